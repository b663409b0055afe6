//! Decimal numbers: parsed, compared and written as DynamoDB does.

use std::cmp::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;
use model::Decimal;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::{n, new_project, s};

/// Writes the digits × 10^exponent in one of many ways.
#[derive(Debug, Clone)]
struct Written {
    negative: bool,
    digits: String,
    exponent: i32,
    /// Where the point is, after this many digits.
    point: usize,
    zeros: usize,
    plus: bool,
}

impl Written {
    fn text(&self) -> String {
        let digits = format!("{0}{1}{0}", "0".repeat(self.zeros), self.digits);
        let (whole, fraction) = digits.split_at(self.point.min(digits.len()));
        let places = i32::try_from(fraction.len()).unwrap() - i32::try_from(self.zeros).unwrap();
        let sign = match (self.negative, self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        };
        let point = if fraction.is_empty() && !self.plus {
            ""
        } else {
            "."
        };
        match self.exponent + places {
            0 if !self.plus => format!("{sign}{whole}{point}{fraction}"),
            exponent => format!("{sign}{whole}{point}{fraction}E{exponent:+}"),
        }
    }

    /// Returns the magnitude with 200 digits before the point and 200 after it.
    fn magnitude(&self) -> String {
        let end = usize::try_from(200 - self.exponent).unwrap();
        format!("{:0>end$}{}", self.digits, "0".repeat(400 - end))
    }

    /// Compares the values digit by digit.
    fn compare(&self, other: &Self) -> Ordering {
        let (one, two) = (self.magnitude(), other.magnitude());
        let zero = "0".repeat(400);
        match (self.negative && one != zero, other.negative && two != zero) {
            (false, false) => one.cmp(&two),
            (true, true) => two.cmp(&one),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

fn written() -> impl Strategy<Value = Written> {
    // Few digits and exponents, so that many pairs are equal or nearly so; and the largest ones.
    let digits = prop_oneof![
        "[0-2]{1,3}",
        "[0-9]{1,19}",
        "[0-9]{38}",
        "9{37}[89]",
        "10{36}[01]"
    ];
    let exponent = prop_oneof![3 => -3..4, 1 => -92..88];
    (
        any::<bool>(),
        digits,
        exponent,
        0..40_usize,
        0..3_usize,
        any::<bool>(),
    )
        .prop_map(|(negative, digits, exponent, point, zeros, plus)| Written {
            negative,
            digits,
            exponent,
            point,
            zeros,
            plus,
        })
}

/// Returns texts that are numbers, and texts that are nearly so.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        written().prop_map(|written| written.text()),
        "[+-]?[0-9]{0,2}[.]?[0-9]{0,2}([eE][+-]?[0-9]{0,3})?",
        "[+-]?[1-9][.][0-9]{0,2}[eE](-1(29|3[01])|[+]?12[4-7])",
        "[+-]?0{0,3}[1-9][0-9]{36,38}0{0,3}",
        "[+-]?0{1,3}[.]?0{0,3}e-?1[23][0-9]",
        "[-+.eE0-9 _xé]{1,4}",
    ]
}

fn decimal(text: &str) -> Decimal {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn numbers_compare_as_their_digits_do(one in written(), two in written()) {
        let (a, b) = (decimal(&one.text()), decimal(&two.text()));
        prop_assert_eq!(a.cmp(&b), one.compare(&two), "{} {}", one.text(), two.text());
        prop_assert_eq!(a == b, one.compare(&two).is_eq());
    }

    #[test]
    fn equal_numbers_have_one_text_which_is_the_number(one in written(), two in written()) {
        let (a, b) = (decimal(&one.text()), decimal(&two.text()));
        prop_assert_eq!(decimal(&a.to_string()), a);
        prop_assert_eq!(a.to_string() == b.to_string(), a == b);
    }
}

#[tokio::test]
async fn a_number_is_what_the_store_accepts_and_has_the_text_that_the_store_returns() {
    let project = new_project().await;
    let key = [("project", s(&project.id)), ("userId", s("a"))];
    let stored = async |text: &str| {
        let mut put = project.dynamodb.put_item().table_name("users");
        for (name, value) in &key {
            put = put.item(*name, value.clone());
        }
        put.item("number", n(text)).send().await.ok()?;
        let mut get = project.dynamodb.get_item().table_name("users");
        for (name, value) in &key {
            get = get.key(*name, value.clone());
        }
        let item = get.send().await.unwrap().item.unwrap();
        match &item["number"] {
            AttributeValue::N(digits) => Some(digits.clone()),
            other => panic!("{other:?}"),
        }
    };
    let mut runner = TestRunner::deterministic();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..300 {
        let text = text().new_tree(&mut runner).unwrap().current();
        let parsed = text.parse::<Decimal>().ok();
        assert_eq!(
            parsed.map(|number| number.to_string()),
            stored(&text).await,
            "{text}"
        );
        if parsed.is_some() {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} {refused}");
}

#[test]
fn what_is_no_number_too_long_or_out_of_range_is_refused_with_the_reason() {
    let reason = |text: &str| text.parse::<Decimal>().unwrap_err().to_string();
    let others = "- + . e5 1e 1e+ --5 +-5 1.2.3 1e2e3 1,5 1_000 0x10 NaN inf -Infinity ٣";
    for text in others.split(' ').chain(["", " 5", "5 "]) {
        assert_eq!(
            reason(text),
            "must be a decimal number, such as 4, -0.5 or 1e3",
            "{text}"
        );
    }
    for text in [
        "1".repeat(39),
        format!("1{}1", "0".repeat(37)),
        format!("0.{}", "3".repeat(39)),
    ] {
        assert_eq!(reason(&text), "must have at most 38 significant digits");
    }
    let far =
        "1e126 -1e126 1e999 1e-131 -9.99e-131 1e9223372036854775807 1e99999999999999999999 0e126";
    for text in far.split(' ') {
        assert_eq!(
            reason(text),
            "must be between 1E-130 and 9.99E+125 in magnitude, or 0 with such an exponent",
            "{text}"
        );
    }
}
