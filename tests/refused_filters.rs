//! The filters of statistics that are refused, and how (contract, section 4).

use model::{Operator, TraitType};

use crate::support::{check_statistics, empty_app};

/// Puts the operators of each type into a table, as a sentence lists them.
fn with_operators(table: &str) -> String {
    [
        ("OF_STRINGS", TraitType::String),
        ("OF_NUMBERS", TraitType::Number),
        ("OF_BOOLEANS", TraitType::Boolean),
    ]
    .into_iter()
    .fold(table.to_owned(), |table, (word, kind)| {
        table.replace(word, &Operator::listed(kind))
    })
}

#[tokio::test]
async fn an_operator_or_a_value_of_another_type_is_refused_with_what_it_must_be() {
    let table = r#"
        @string.a {eq ne contains ncontains} 1 | 0
        @number.a {eq ne gt gte lt lte} 1 | 0
        @boolean.a {eq ne} true | 0
        @string.a { EQ equals gt gte lt lte eq%20 number.eq} 1 | invalid @string.a[operator]
        @string.a EQ 1 | invalid @string.a[operator] | OF_STRINGS, got "EQ"
        @number.a { EQ contains ncontains number.eq} 1 | invalid @number.a[operator]
        @number.a  1 | invalid @number.a[operator] | must be OF_NUMBERS, got ""
        @boolean.a { EQ contains ncontains number.eq} true | invalid @boolean.a[operator]
        @boolean.a {gt gte lt lte} true | invalid @boolean.a[operator]
        @boolean.a gt true | invalid @boolean.a[operator] | [operator] must be OF_BOOLEANS, got "gt"
        @number.a eq { NaN inf -Infinity +5 %205 5%20 1e+2 0x10 1e999} | invalid @number.a[value]
        @number.a eq {-1e126 1e-131 1e e5 . - --5 1.2.3 1,5 1_000 1e2e3 1e%2B} | invalid @number.a[value]
        @number.a eq {1e126 -9.99e-131 1e9223372036854775807 0e126} | invalid @number.a[value] | between 1E-130 and
        @number.a eq 1e99999999999999999999 | invalid @number.a[value] | between 1E-130 and 9.99E+125 in magnitude
        @number.a eq {true %D9%A3 0.333333333333333333333333333333333333333} | invalid @number.a[value]
        @number.a eq 111111111111111111111111111111111111111 | invalid @number.a[value] | at most 38 significant digits
        @number.a eq 100000000000000000000000000000000000001 | invalid @number.a[value] | at most 38 significant digits
        @boolean.a eq { True TRUE 1 0 yes %20true null} | invalid @boolean.a[value]
        @boolean.a eq True | invalid @boolean.a[value] | a][value] must be true or false, got "True"
        @string.a eq %C0%80 | invalid @string.a[value]
        filters[user.traits.string.a][value]=1 | missing @string.a[operator]
        filters[user.traits.number.a][value]=1 | missing @number.a[operator]
        filters[user.traits.boolean.a][value]=true | missing @boolean.a[operator]
        filters[user.traits.string.a][operator]=eq | missing @string.a[value]
        filters[user.traits.number.a][operator]=eq | missing @number.a[value]
        filters[user.traits.boolean.a][operator]=eq | missing @boolean.a[value]
    "#;
    check_statistics(&empty_app(), &with_operators(table)).await;
    let values = [
        format!("@string.a eq {} | 0", "v".repeat(1024)),
        format!(
            "@string.a eq {} | invalid @string.a[value]",
            "v".repeat(1025)
        ),
    ];
    check_statistics(&empty_app(), &values.join("\n")).await;
}

#[tokio::test]
async fn any_other_filter_key_is_an_unknown_parameter() {
    let long = format!("filters[user.traits.string.{}][value]", "n".repeat(256));
    let keys = "
        filters[user.traits.date.a][value] filters[user.traits.Number.a][value] filters[user.traits..a][value]
        filters[user.traits.number.][value] filters[user.traits.boolean][value] filters[user.traits.string.][value]
        filters[user.traits.string][value] filters[user.traits.string.a] filters[user.traits.string.a][values]
        filters[user.email][value] filters[] Filters[user.traits.string.a][value]
    ";
    for key in keys.split_whitespace().chain([&*long]) {
        check_statistics(&empty_app(), &format!("{key}=1 | unknown {key}")).await;
    }
}

#[tokio::test]
async fn the_first_malformed_filter_is_reported_and_quoted_and_no_other() {
    let (long_name, long_value) = (
        "n".repeat(256) + "=eq:a",
        "a=eq:".to_owned() + &"v".repeat(1025),
    );
    let many = ["v"; 101].join(",");
    let long_listed = format!("a=in:a,{}", "v".repeat(1025));
    let malformed = format!(
        "
         | must be NAME=OPERATOR:VALUE
        plan | must be NAME=OPERATOR:VALUE
        plan=pro | must be NAME=OPERATOR:VALUE
        plan:eq:pro | must be NAME=OPERATOR:VALUE
        =eq:pro | must name a trait in 1 to 255 bytes
        {long_name} | must name a trait in 1 to 255 bytes
        a=date.eq:1 | must have as the type before the operator string, number or boolean
        a=.eq:1 | must have as the type before the operator string, number or boolean
        a=number.string.eq:1 | must have as the operator of a number OF_NUMBERS
        a=number.contains:4 | must have as the operator of a number OF_NUMBERS
        a=is:1 | must have as the operator of a string OF_STRINGS
        a=:1 | must have as the operator of a string OF_STRINGS
        a=gt:1 | must have as the operator of a string OF_STRINGS (of a number, number.gt)
        a=string.lt:4 | OF_STRINGS (of a number, number.lt)
        a=boolean.gt:true | must have as the operator of a boolean OF_BOOLEANS
        a=number.eq:four | must have a value that is a decimal number, such as 4, -0.5 or 1e3
        a=number.eq:1e999 | must have a value that is between 1E-130 and 9.99E+125 in magnitude, or 0
        a=number.eq:111111111111111111111111111111111111111 | must have a value that is a number of at most 38
        a=boolean.eq:1 | must have a value that is true or false
        a=boolean.eq:True | must have a value that is true or false
        a=number.in:4 | must have as the operator of a number OF_NUMBERS
        a=in:{many} | must have a value that is at most 100 values
        {long_listed} | must have a value that is values of at most 1024 bytes each
        {long_value} | must have a value that is at most 1024 bytes"
    );
    let app = empty_app();
    for line in with_operators(&malformed).lines().skip(1) {
        let (filter, expected) = line
            .trim_start_matches("        ")
            .split_once(" | ")
            .unwrap();
        let filter = filter.trim();
        let others = "filter=b=eq:1&filter=b=eq:1&filter=another";
        let query = format!("filter=c=eq:1&filter={filter}&{others}");
        check_statistics(&app, &format!("{query} | invalid filter | {expected}")).await;
        let quoted: String = filter.chars().take(90).collect();
        check_statistics(&app, &format!("{query} | invalid filter | got \"{quoted}")).await;
    }
    check_statistics(
        &app,
        "filter=a=eq:%FF | invalid filter | is not valid UTF-8",
    )
    .await;
}

#[tokio::test]
async fn two_values_of_one_trait_are_refused_and_those_of_a_string_as_a_list_are_proposed() {
    let table = r#"
        filter=a=eq:x&filter=a=eq:y | invalid filter | must not require two values of one trait; write a=in:x,y for either of them, got "a=eq:y"
        @string.a eq x&filter=a=eq:y | invalid filter | write a=in:x,y
        filter=a=eq:x&filter=a=eq:y,z | invalid filter | must not require two values of one trait, got "a=eq:y,z"
        filter=a=number.eq:4&filter=a=number.eq:5 | invalid filter | must not require two values of one trait, got
        filter=a=boolean.eq:true&filter=a=boolean.eq:false | invalid filter | must not require two values of one trait, got
        filter=a=eq:x&filter=a=eq:y&filter=a=eq:x | duplicate filter
        filter=a=number.eq:4&filter=a=eq:4 | 0
        filter=a=eq:x&filter=a=ne:y | 0
        filter=a=in:x,y&filter=a=eq:y | 0
        filter=a=in:x,y&filter=a=in:y,x | duplicate filter
    "#;
    check_statistics(&empty_app(), table).await;
}

#[tokio::test]
async fn the_same_filter_twice_is_refused_in_whichever_forms_and_operations_share_no_filter() {
    let table = "
        filter=a=eq:x&filter=a=eq:x | duplicate filter
        filter=a=eq:x&filter=a=string.eq:x | duplicate filter
        filter=a=number.gte:4&filter=b=eq:x&filter=a=number.gte:0.4e1 | duplicate filter
        @number.a gte 4.0&filter=a=number.gte:4 | duplicate filter
        @number.a gte 4.0&filter=a=number.gt:4 | 0
        @string.a eq 1&filters%5Buser.traits.string.a%5D%5Bvalue%5D=2 | duplicate @string.a[value]
    ";
    check_statistics(&empty_app(), table).await;
    let key = "filters[user.traits.number.x]";
    let both = format!("duplicate {key}[operator], duplicate {key}[value]");
    let table = [
        format!("@number.x ne 1&@number.x gt 0 | {both} | is given more than once"),
        format!("@number.x gte 4&@number.x gte 4&filter=b=eq:x | {both}"),
    ];
    check_statistics(&empty_app(), &table.join("\n")).await;
}
