//! Figures that need no traits are read from an index, and are those of the records.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::http::{get, operate, put_item};
use crate::operator::Operator;
use crate::process::succeeded;

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

/// Puts an item of the responses with a key of its own and these attributes, in this order.
fn put_item_with(operator: &Operator, n: usize, attributes: &[(&str, Option<&Value>)]) {
    let month = n % 12 + 1;
    let at = format!("2020-{month:02}-01T00:00:00.000Z#\"\\{n}\u{7}ü");
    let mut item = json!({"shard": {"S": format!("acme#{}", n % 4)}, "at": {"S": at}});
    for (name, value) in attributes {
        if let Some(value) = value {
            item[*name] = (*value).clone();
        }
    }
    put_item(operator.served().dynamodb(), "responses", &item.to_string());
}

fn put_outcome(operator: &Operator, n: usize, rating: Option<&Value>, dismissed: Option<&Value>) {
    let attributes = [("rating", rating), ("dismissed", dismissed)];
    put_item_with(operator, n, &attributes);
}

/// Returns the figures of the year, whole and by month: of the index, or with a filter that matches every record.
fn figures(operator: &Operator, filter: &str) -> [Value; 2] {
    ["", "&interval=month"].map(|interval| {
        let target = format!(
            "/api/v2/response-statistics?project=acme&startDate=2020-01-01&endDate=2021-01-01{interval}{filter}"
        );
        let key = format!("AuthKey: {}", operator.secrets()[0]);
        let response = get(&operator.served().api, &target, &key);
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        let document: Value =
            serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap();
        let elements = document["data"].as_array().unwrap().iter();
        elements.map(|element| element["attributes"].clone()).collect()
    })
}

const EVERYTHING: &str = "&filter=absent=ne:x";

fn drop_index(operator: &Operator) {
    let database = Connection::open(operator.path("data").join("tables.sqlite")).unwrap();
    let drop = "DROP INDEX \"responses::outcomes\"";
    database.execute(drop, []).unwrap();
}

fn has_index(operator: &Operator) -> bool {
    let database = Connection::open(operator.path("data").join("tables.sqlite")).unwrap();
    let index = "SELECT count(*) FROM sqlite_schema WHERE name = 'responses::outcomes' AND tbl_name = 'responses'";
    let count = database.query_row(index, [], |row| row.get::<_, i64>(0));
    count.unwrap() == 1
}

#[test]
fn figures_of_sound_and_damaged_records_are_those_with_a_filter_that_matches_all() {
    let operator = Operator::new();
    let mut n = 0;
    for rating in values() {
        for dismissed in values() {
            put_outcome(&operator, n, rating.as_ref(), dismissed.as_ref());
            n += 1;
        }
    }
    assert_eq!(figures(&operator, ""), figures(&operator, EVERYTHING));
    let skipped = |line: &str| line.split("skipped").nth(1).unwrap()[..8].to_owned();
    let log = operator.served().log(4);
    let log: Vec<_> = log
        .lines()
        .filter(|line| line.contains("skipped"))
        .collect();
    assert_eq!(log.len(), 4, "{log:?}");
    assert!(
        log.iter().all(|line| skipped(line) == skipped(log[0])),
        "{log:?}"
    );
}

#[test]
fn an_attribute_whose_name_goes_on_after_a_nul_is_another_one() {
    let operator = Operator::new();
    let [rating, other] = [json!({"N": "10"}), json!({"N": "0"})];
    let dismissed = json!({"BOOL": true});
    for (n, attributes) in [
        vec![("rating\0", &other)],
        vec![("rating\0x", &other), ("rating", &rating)],
        vec![("rating", &rating), ("rating\0x", &other)],
        vec![("dismissed\0", &dismissed)],
        vec![
            ("traits", &json!({"M": {"\0": {"S": "\0"}}})),
            ("rating", &rating),
        ],
    ]
    .iter()
    .enumerate()
    {
        let attributes = attributes.iter().map(|(name, value)| (*name, Some(*value)));
        put_item_with(&operator, n, &attributes.collect::<Vec<_>>());
    }
    let [whole, by_month] = figures(&operator, "");
    assert_eq!(whole[0]["promoters"], 3, "{whole}");
    assert_eq!(
        [&whole[0]["responses"], &whole[0]["dismissed"]],
        [3, 0],
        "{whole}"
    );
    assert_eq!([whole, by_month], figures(&operator, EVERYTHING));
}

#[test]
fn a_table_that_is_created_anew_has_its_index_and_its_figures() {
    let operator = Operator::new();
    let dynamodb = operator.served().dynamodb();
    let put = |n| put_outcome(&operator, n, Some(&json!({"N": "7"})), None);
    (0..8).for_each(put);
    operate(dynamodb, "DeleteTable", r#"{"TableName":"responses"}"#);
    succeeded(&operator.run("tables create"));
    assert!(has_index(&operator));
    (8..13).for_each(put);
    let of_index = figures(&operator, "");
    assert_eq!(of_index[0][0]["displays"], 5, "{of_index:?}");
    assert_eq!(of_index, figures(&operator, EVERYTHING));
}

#[test]
fn another_table_that_is_created_does_not_start_an_upgrade() {
    let operator = Operator::new();
    put_outcome(&operator, 0, None, None);
    drop_index(&operator);
    let other = json!({
        "TableName": "other", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]});
    let dynamodb = operator.served().dynamodb();
    operate(dynamodb, "CreateTable", &other.to_string());
    assert!(!has_index(&operator));
}
