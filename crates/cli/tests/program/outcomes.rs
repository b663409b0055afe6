//! Figures that need no traits are read from an index, and are those of the records.

use serde_json::{Value, json};

use crate::http::{get, put_item, put_items};
use crate::operator::{Operator, READ_KEY};

/// Values of an attribute, sound and damaged.
fn values() -> Vec<Option<Value>> {
    let typed = json!([
        {"N": "7"}, {"N": "10"}, {"N": "0"}, {"N": "11"}, {"N": "-1"}, {"N": "7.5"}, {"N": "700e-2"}, {"S": "7"}, {"S": "\"\u{1}ü"}, {"B": "AA=="},
        {"BOOL": true}, {"BOOL": false}, {"NULL": true}, {"L": []}, {"L": [{"N": "7"}]}, {"M": {}}, {"M": {"N": {"N": "7"}}},
        {"SS": ["7"]}, {"NS": ["7"]}
    ]);
    let typed = typed.as_array().unwrap().iter().cloned().map(Some);
    std::iter::once(None).chain(typed).collect()
}

/// Returns an item of the responses with a key of its own.
fn outcome(n: usize, rating: Option<&Value>, dismissed: Option<&Value>) -> Value {
    let month = n % 12 + 1;
    let at = format!("2020-{month:02}-01T00:00:00.000Z#\"\\{n}\u{7}ü");
    let mut item = json!({"shard": {"S": format!("acme#{:x}", n % 16)}, "at": {"S": at}});
    for (name, value) in [("rating", rating), ("dismissed", dismissed)] {
        if let Some(value) = value {
            item[name] = value.clone();
        }
    }
    item
}

/// Returns the figures of the year, whole and by month, of the index or, with a filter that all records
/// match, of these.
fn figures(operator: &Operator, filter: &str) -> [Vec<Value>; 2] {
    ["", "&interval=month"].map(|interval| {
        let target = format!(
            "/api/v2/response-statistics?project=acme&startDate=2020-01-01&endDate=2021-01-01{interval}{filter}"
        );
        let key = format!("AuthKey: {READ_KEY}");
        let response = get(&operator.served().api, &target, &key);
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        let document: Value = serde_json::from_str(body).unwrap();
        let elements = document["data"].as_array().unwrap().iter();
        elements.map(|element| element["attributes"].clone()).collect()
    })
}

const FILTER: &str = "&filter=absent=ne:x";

#[test]
fn figures_of_sound_and_damaged_records_are_the_same_from_the_index_and_from_the_records() {
    let operator = Operator::new();
    let values = values();
    let pairs = values
        .iter()
        .flat_map(|rating| values.iter().map(move |dismissed| (rating, dismissed)));
    let items = pairs.enumerate();
    let items: Vec<_> = items
        .map(|(n, (rating, dismissed))| outcome(n, rating.as_ref(), dismissed.as_ref()))
        .collect();
    put_items(operator.served().dynamodb(), "responses", &items);
    assert_eq!(figures(&operator, ""), figures(&operator, FILTER));
    let skipped = |line: &str| line.split(r#""skipped":"#).nth(1).unwrap()[..4].to_owned();
    let log = operator.served().log(4);
    let log: Vec<_> = log.lines().map(skipped).collect();
    assert_eq!(log, vec![log[0].clone(); 4]);
}

#[test]
fn an_attribute_whose_name_goes_on_after_a_nul_is_another_one() {
    let operator = Operator::new();
    for (n, attributes) in [
        r#""rating\u0000":{"N":"0"}"#,
        r#""rating\u0000x":{"N":"0"},"rating":{"N":"10"}"#,
        r#""rating":{"N":"10"},"rating\u0000x":{"N":"0"}"#,
        r#""dismissed\u0000":{"BOOL":true}"#,
        r#""traits":{"M":{"\u0000":{"S":"\u0000"}}},"rating":{"N":"10"}"#,
    ]
    .iter()
    .enumerate()
    {
        let key =
            format!(r#""shard":{{"S":"acme#0"}},"at":{{"S":"2020-01-01T00:00:00.000Z#{n}"}}"#);
        let item = format!("{{{key},{attributes}}}");
        put_item(operator.served().dynamodb(), "responses", &item);
    }
    let of_index = figures(&operator, "");
    let whole = &of_index[0][0];
    let counts = ["displays", "responses", "promoters", "dismissed"].map(|name| &whole[name]);
    assert_eq!(counts, [5, 3, 3, 0], "{whole}");
    assert_eq!(figures(&operator, FILTER), of_index);
}
