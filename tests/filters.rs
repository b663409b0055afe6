//! The filters of statistics, in both forms: what they accept and compare (contract, section 4).

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::support::{Operation, app_of_page, app_of_traits, ask, check_statistics, expanded};

const PERIOD: &str = "startDate=2026-03-01&endDate=2026-03-02";

/// Checks a table of filters on records whose trait `x` has these values, and one that lacks it.
async fn check_x(values: &[Value], table: &str) {
    let app = app_of_traits(values.iter().map(|value| json!({"x": value})));
    let in_period = |line: &str| format!("{PERIOD}&{line}");
    let table: Vec<_> = table.trim().lines().map(str::trim).map(in_period).collect();
    check_statistics(&app, &table.join("\n")).await;
}

fn strings(values: &[&str]) -> Vec<Value> {
    values.iter().map(|value| json!({"S": value})).collect()
}

/// A trait of every type.
fn of_each_type() -> Vec<Value> {
    let values = r#"[{"N":"1"},{"N":"0"},{"S":"1"},{"S":"true"},{"BOOL":true},{"BOOL":false},{"NULL":true},
        {"L":[{"N":"1"},{"BOOL":true}]},{"NS":["1"]},{"M":{"x":{"N":"1"}}},{"SS":["1"]}]"#;
    serde_json::from_str(values).unwrap()
}

#[tokio::test]
async fn strings_are_compared_by_code_points_and_the_value_is_all_after_the_first_colon() {
    let table = "
        @string.x eq %C3%A9 | 1
        filter=x=eq:x=y:z | 1
        filter=x%3Deq%3Ax%3Dy%3Az | 1
        filter=x=string.contains:x | 2
        filter=x=eq:a+b | 1
        filter=x=eq:%2541 | 1
        filter=x=contains: | 6
        filter=x=eq: | 0
        filter=x=ncontains:x | 5
    ";
    let values = strings(&["é", "e\u{301}", "x=y:z", "x", "a b", "%41"]);
    check_x(&values, table).await;
}

#[tokio::test]
async fn a_list_has_the_strings_that_are_equal_to_one_of_its_values() {
    // One record lacks the trait, and two have it as another type.
    let table = "
        filter=x=in:pro,team | 2
        filter=x=string.in:team,team | 1
        @string.x in pro,free | 2
        @string.x nin pro,team | 7
        filter=x=nin:pro,team,free,,a | 4
        filter=x=in: | 1
        filter=x=in:pro, | 2
        filter=x=in:a%2Cb | 1
        filter=x=in:1,true | 0
        filter=x=nin:1,true | 9
        filter=x=in:pro,team&filter=x=nin:team | 1
    ";
    let mut values = strings(&["pro", "team", "free", "", "a", "a,b"]);
    values.extend([json!({"N": "1"}), json!({"BOOL": true})]);
    check_x(&values, table).await;
}

#[tokio::test]
async fn a_trait_of_another_type_is_equal_to_nothing_and_neither_greater_nor_less() {
    let table = "
        @number.x eq 1 | 1
        @number.x ne 1 | 11
        @number.x ne 7 | 12
        @number.x gt 0 | 1
        @number.x gte {0 -1e125} | 2
        @number.x lt 1 | 1
        @number.x lte {1 1e125} | 2
        @boolean.x eq {true false} | 1
        @boolean.x ne {true false} | 11
        @string.x eq 1 | 1
        @string.x ne true | 11
        @string.x contains  | 2
        @string.x ncontains  | 10
        @string.x ne 1&@number.x ne 1&@boolean.x ne true | 9
        @boolean.x ne true&@string.x ne 1&@number.x ne 1 | 9
        @number.x ne 1&@string.x ne 1 | 10
        @number.x gte 0&@string.x ne 1&@boolean.x ne true | 2
        @number.x gte 0&@boolean.x eq true&@string.x ne 1 | 0
        filter=x=boolean.ne:true | 11
        filter=x=number.gte:0&filter=x=ne:true | 2
    ";
    check_x(&of_each_type(), table).await;
}

#[tokio::test]
async fn numbers_are_compared_by_value_and_exactly() {
    // Two of them are the same as doubles.
    let numbers = [
        "-1e125 -3 -2.5 0 1e-130 0.1 2.5 9007199254740993 9007199254740992",
        "12345678901234567890123456789012345678 12345678901234567890123456789012345679",
        "9.9999999999999999999999999999999999999e125",
    ];
    let numbers = numbers.join(" ");
    let numbers = numbers.split(' ').map(|digits| json!({"N": digits}));
    let numbers: Vec<_> = numbers.collect();
    let table = "
        @number.x eq {-2.50 25e-1 %2B00250E-2 -0 .1 9007199254740992} | 1
        @number.x eq 0.1000000000000000000000000000000000001 | 0
        @number.x gt 9007199254740992 | 4
        @number.x lte 12345678901234567890123456789012345678 | 10
        @number.x lt 12345678901234567890123456789012345678 | 9
        @number.x gt 0 | 8
        @number.x lt 0 | 3
        @number.x lt 1e-129 | 5
        @number.x gte -25E-1 | 10
        @number.x gte 9.9999999999999999999999999999999999999e125 | 1
        @number.x lte -1e125 | 1
        @number.x ne 2.5 | 12
        filter=x=number.lt:45e-1 | 7
        filter=x=number.gt:%2B2.50 | 5
    ";
    check_x(&numbers, table).await;
}

#[tokio::test]
async fn a_trait_may_be_filtered_several_times_as_one_type_and_all_must_match() {
    let mut values = strings(&["trial", "free", "pro"]);
    values.extend(["2", "3", "9", "10"].map(|digits| json!({"N": digits})));
    let table = "
        filter=x=number.gte:3&filter=x=number.lt:10 | 2
        filter=x=ne:free&filter=x=ne:trial&filter=x=contains:r | 1
        @number.x gte 3&filter=x=number.lt:10 | 2
        @number.x gte 3&filter=x=number.gt:3 | 2
    ";
    check_x(&values, table).await;
}

#[tokio::test]
async fn a_stored_number_is_read_however_it_is_written_and_one_that_is_none_equals_nothing() {
    let digits = [
        "1E+2",
        "-0.50",
        "+7.",
        "00100",
        r"\u0031e2",
        "abc",
        // No digits at all.
        "",
        "1e999",
    ];
    let items = digits.map(|digits| format!(r#"{{"traits":{{"M":{{"x":{{"N":"{digits}"}}}}}}}}"#));
    let page = format!(r#"{{"Items":[{}]}}"#, items.join(","));
    let table = "
        @number.x eq 100 | 3
        @number.x ne 100 | 5
        @number.x lt -0.4 | 1
        @number.x gte -0.5 | 5
        @number.x lte 1e125 | 5
    ";
    check_statistics(&app_of_page(&page), table).await;
}

#[tokio::test]
async fn a_name_may_contain_anything_whatever_the_type() {
    let longest = "n".repeat(255);
    let names = [
        "a.b a] a[b] a:b.c[d] a][operator] ][value [ ] ünï 名 string.x number a+b 100% % x=y&z",
        "user.traits.string.x",
        &longest,
    ];
    let names = names.join(" ");
    let names: Vec<_> = names.split(' ').chain(["a b"]).collect();
    let of_name = |name: &&str| {
        let values = [
            json!({"S": "yes"}),
            json!({"N": "4"}),
            json!({"BOOL": true}),
        ];
        values.map(|value| json!({*name: value}))
    };
    let app = app_of_traits(names.iter().flat_map(of_name));
    for name in names {
        let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
        // Unencoded, some characters mean something else.
        let is_plain = |c: char| c.is_ascii_graphic() && !"%+&=".contains(c);
        let plain = name.chars().all(is_plain).then(|| name.to_owned());
        for name in [encoded].into_iter().chain(plain) {
            for filter in [
                format!("@string.{name} eq yes"),
                format!("@number.{name} gte 4"),
                format!("@boolean.{name} eq true"),
            ] {
                check_statistics(&app, &format!("{PERIOD}&{filter} | 1")).await;
            }
            // The name of the other form ends at the first equals sign.
            if !name.contains("%3D") {
                let filter = format!("{PERIOD}&filter={name}=string.eq:yes | 1");
                check_statistics(&app, &filter).await;
            }
        }
    }
}

#[tokio::test]
async fn there_are_twenty_filters_of_all_types_and_both_forms_together() {
    let joined = |count, filter: fn(u32) -> String| (0..count).map(filter).collect::<String>();
    let whole = |count| joined(count, |n| format!("&filter=a=ne:{n}"));
    let nested = |count| joined(count, |n| format!("&@string.t{n} eq yes"));
    let yes = |n| (format!("t{n}"), json!({"S": "yes"}));
    let app = app_of_traits([20, 19].map(|count| (0..count).map(yes).collect::<Value>()));
    let half = "filters[user.traits.boolean.a][operator]=eq";
    let lacks = "missing filters[user.traits.boolean.a][value]";
    let most = format!("{PERIOD}{}", nested(20));
    let table = [
        format!("{most} | 1"),
        format!("{most}&@number.t0 ne 1 | invalid filters | must not be more than 20"),
        format!("{most}&@number.t0 ne 1&{half} | invalid filters, {lacks}"),
        format!("{most}&{half} | invalid filters, {lacks}"),
        format!("{PERIOD}{} | 3", whole(20)),
        format!("{PERIOD}{}{} | 2", whole(10), nested(10)),
        format!("{PERIOD}{} | invalid filter", whole(21)),
        format!("{PERIOD}{}{} | invalid filter", whole(10), nested(11)),
        format!("{PERIOD}{}{} | invalid filter", whole(1), nested(21)),
        format!("{PERIOD}{} | invalid filters", nested(21)),
        // The first problem of `filter` is the only one.
        format!("{PERIOD}{}&filter=a=ne:7 | duplicate filter", whole(20)),
        format!("{PERIOD}{}&filter=a=ne:7 | duplicate filter", whole(22)),
    ];
    check_statistics(&app, &table.join("\n")).await;
}

#[tokio::test]
async fn both_forms_of_the_same_filters_have_the_same_response_byte_for_byte() {
    let traits = r#"{"seats":{"N":"9"},"beta":{"BOOL":true},"plan":{"S":"pro"}}"#;
    let others = r#"{"seats":{"N":"7"},"beta":{"BOOL":true},"plan":{"S":"pro"}}"#;
    let app = app_of_traits([traits, others].map(|text| serde_json::from_str(text).unwrap()));
    let get = async |filters: &str| {
        let query = expanded(&format!("{PERIOD}&{filters}"));
        let reply = ask(&app, Operation::Statistics, &query).await;
        assert!(reply.figures()["displays"].as_u64() > Some(0), "{reply:?}");
        reply.text().to_owned()
    };
    let nested =
        "@number.seats gte 8.0&@boolean.beta eq true&@string.plan ne free&@string.seats ne 4";
    let whole = "filter=beta=boolean.eq:true&filter=seats=ne:4&filter=plan=string.ne:free";
    let both = "@number.seats gte 8.0&".to_owned() + whole;
    let all_whole = format!("{whole}&filter=seats=number.gte:8");
    let expected = get(nested).await;
    assert_eq!(get(&both).await, expected);
    assert_eq!(get(&all_whole).await, expected);
    assert_ne!(get(whole).await, expected);
}
