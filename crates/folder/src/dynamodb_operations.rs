//! DynamoDB's operations as dynoxide implements them, on requests in DynamoDB's JSON.

use dynoxide::actions::query::{QueryRequest, QueryResponse};
use dynoxide::actions::scan::{ScanRequest, ScanResponse};
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// Answers a request. Blocks.
    pub(super) run: fn(&Database, &[u8]) -> dynoxide::Result<String>,
}

macro_rules! operation {
    ($name:literal, $run:path) => {
        Operation {
            name: $name,
            run: |database, body| run_parsed(database, body, $run),
        }
    };
}

pub(super) const CREATE_TABLE: Operation = operation!("CreateTable", Database::create_table);

/// What collectors and the functions need, and what shows and copies tables. `UpdateTable` would give tables indexes and
/// streams, in which items that are written with SQL would be missing.
const OPERATIONS: [Operation; 14] = [
    operation!("BatchGetItem", Database::batch_get_item),
    operation!("BatchWriteItem", Database::batch_write_item),
    CREATE_TABLE,
    operation!("DeleteItem", Database::delete_item),
    operation!("DeleteTable", Database::delete_table),
    operation!("DescribeTable", Database::describe_table),
    operation!("GetItem", Database::get_item),
    operation!("ListTables", Database::list_tables),
    operation!("PutItem", Database::put_item),
    operation!("Query", query),
    operation!("Scan", scan),
    operation!("TransactGetItems", Database::transact_get_items),
    operation!("TransactWriteItems", Database::transact_write_items),
    operation!("UpdateItem", Database::update_item),
];

impl Operation {
    pub(super) fn named(name: &str) -> Option<Self> {
        OPERATIONS.into_iter().find(|known| known.name == name)
    }
}

/// The greatest number of items of a page that has no `Limit`: dynoxide collects everything that is left to
/// read before it cuts a page.
const DEFAULT_LIMIT: usize = 1_000;

fn query(database: &Database, mut request: QueryRequest) -> dynoxide::Result<QueryResponse> {
    request.limit.get_or_insert(DEFAULT_LIMIT);
    database.query(request)
}

fn scan(database: &Database, mut request: ScanRequest) -> dynoxide::Result<ScanResponse> {
    request.limit.get_or_insert(DEFAULT_LIMIT);
    database.scan(request)
}

fn run_parsed<I: DeserializeOwned, O: Serialize>(
    database: &Database,
    body: &[u8],
    run: fn(&Database, I) -> dynoxide::Result<O>,
) -> dynoxide::Result<String> {
    let request = serde_json::from_slice(body);
    let request = request.map_err(|error| DynoxideError::ValidationException(error.to_string()))?;
    serde_json::to_string(&run(database, request)?)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}
