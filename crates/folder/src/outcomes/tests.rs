//! Tests that the index is what is read.

use std::collections::BTreeSet;

use model::items::{PagedTable, Partition};
use rusqlite::params_from_iter;
use store::KeyRange;

use super::*;
use crate::readers::query;

/// Returns how `SQLite` reads a page of outcomes from the index, or from the table.
fn plan(database: &Connection, of_outcomes: bool) -> String {
    let read = PageRead {
        range: KeyRange::Between(["2020".to_owned(), "2021".to_owned()]),
        attributes: Attributes::Outcome {
            others: Vec::new(),
            traits: BTreeSet::new(),
        },
        ..PageRead::of(Partition {
            table: PagedTable::Responses,
            key: "acme#0".to_owned(),
        })
    };
    assert!(read.attributes.are_indexed());
    let (sql, values) = query("responses", &read, of_outcomes);
    let steps = database
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap()
        .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
        .unwrap()
        .collect::<Result<Vec<_>, _>>();
    steps.unwrap().join("; ")
}

#[test]
fn outcomes_are_read_from_the_index_alone_and_items_as_before() {
    let database = Connection::open_in_memory().unwrap();
    let (table, _) = dynoxide::storage_backend::sql_builders::create_data_table("responses");
    database.execute_batch(&table).unwrap();
    assert!(!exists(&database, "responses").unwrap());
    create(&database, "responses").unwrap();
    assert!(exists(&database, "responses").unwrap());
    let outcomes = plan(&database, true);
    assert_eq!(
        outcomes,
        "SEARCH responses USING COVERING INDEX responses::outcomes (pk=? AND sk>? AND sk<?)"
    );
    let items = plan(&database, false);
    assert!(items.contains("sqlite_autoindex_responses_1"), "{items}");
}
