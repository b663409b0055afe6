//! Decimal numbers: compared and written as DynamoDB does. `filters.rs` has numbers of 38 digits, and
//! `refused_filters.rs` what is no number.

use model::Decimal;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::{Item, n, new_project, s};

/// Generates numbers as texts, of which several may be equal, with their values in units of 10^-18.
fn written() -> impl Strategy<Value = (String, i128)> {
    let digits = prop_oneof!["[0-2]{1,3}", "0{0,2}[0-9]{1,10}"];
    ("[+-]?", digits, -6..7_i32, 0..13_usize).prop_map(|(sign, digits, exponent, point)| {
        let (whole, fraction) = digits.split_at(point.min(digits.len()));
        let places = i32::try_from(fraction.len()).unwrap();
        let unit = 10_i128.pow(u32::try_from(18 + exponent - places).unwrap());
        let value = digits.parse::<i128>().unwrap() * unit;
        let value = if sign == "-" { -value } else { value };
        (format!("{sign}{whole}.{fraction}E{exponent}"), value)
    })
}

/// Generates texts that are numbers, and texts that are nearly so.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        written().prop_map(|(text, _)| text),
        "[+-]?[0-9]{0,2}[.]?[0-9]{0,2}([eE][+-]?[0-9]{0,3})?",
        "[+-]?[1-9][.][0-9]{0,2}[eE](-1(29|3[01])|[+]?12[4-7])",
        "[+-]?0{0,3}[1-9][0-9]{36,38}0{0,3}",
        "[+-]?0{1,3}[.]?0{0,3}e-?1[23][0-9]",
        "[-+.eE0-9 _xé]{1,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn numbers_compare_as_their_values_do_and_equal_ones_have_one_text(one in written(), two in written()) {
        let [a, b] = [&one.0, &two.0].map(|text| text.parse::<Decimal>().unwrap());
        prop_assert_eq!(a.cmp(&b), one.1.cmp(&two.1), "{} {}", one.0, two.0);
        prop_assert_eq!(a.to_string() == b.to_string(), one.1 == two.1);
        prop_assert_eq!(a.to_string().parse::<Decimal>().unwrap(), a);
    }
}

#[tokio::test]
async fn a_number_is_what_the_store_accepts_and_has_the_text_that_the_store_returns() {
    let project = new_project().await;
    let key = [("project", s(&project.id)), ("userId", s("a"))];
    let stored = async |text: &str| {
        let key = key
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let key: Item = key.collect();
        let put = project.dynamodb.put_item().table_name("users");
        let put = put.set_item(Some(key.clone())).item("number", n(text));
        put.send().await.ok()?;
        let get = project.dynamodb.get_item().table_name("users");
        let read = get.set_key(Some(key)).send().await.unwrap();
        read.item.unwrap()["number"].as_n().ok().cloned()
    };
    let mut runner = TestRunner::deterministic();
    let mut counts = [0, 0];
    for _ in 0..300 {
        let text = text().new_tree(&mut runner).unwrap().current();
        let parsed = text.parse::<Decimal>().ok().map(|it| it.to_string());
        counts[usize::from(parsed.is_some())] += 1;
        assert_eq!(parsed, stored(&text).await, "{text}");
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}
