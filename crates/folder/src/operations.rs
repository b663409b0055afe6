//! The operations of DynamoDB, as dynoxide implements them.

use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::query::{QueryRequest, QueryResponse};
use dynoxide::actions::scan::{ScanRequest, ScanResponse};
use dynoxide::actions::update_table::UpdateTableRequest;
use dynoxide::{Database, DynoxideError, Result};
use model::items::{Table, Tables};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::layout;

/// Parses and runs a request in DynamoDB's JSON, and returns the response. Blocks.
type Operation = fn(&Database, &str) -> Result<String>;

/// Parses and runs a request in DynamoDB's JSON, and returns the response. Blocks.
pub(super) fn run(
    database: &Database,
    tables: &Tables,
    operation: &str,
    body: &str,
) -> Result<String> {
    let unknown = || DynoxideError::SerializationException("an unknown operation".to_owned());
    let of_name = of_name(operation).ok_or_else(unknown)?;
    match operation {
        "CreateTable" => {
            let request: CreateTableRequest = parse(body)?;
            check(tables, &request.table_name, |table| {
                is_ours(&request, table)
            })
        }
        "UpdateTable" => {
            let request: UpdateTableRequest = parse(body)?;
            check(tables, &request.table_name, |_| false)
        }
        _ => Ok(()),
    }?;
    of_name(database, body).map_err(|error| match error {
        // A statement reports the item in another form than the other operations do.
        DynoxideError::ConditionalCheckFailedException(message, Some(item))
            if operation == "ExecuteStatement" =>
        {
            DynoxideError::StatementConditionalCheckFailed(message, item)
        }
        error => error,
    })
}

/// Refuses to change a table of the service or to create it otherwise, and to create one that `SQLite`, which
/// compares names without case, would take for it.
fn check(tables: &Tables, name: &str, is_ours: impl FnOnce(Table) -> bool) -> Result<()> {
    let refuse = |message: &str| Err(DynoxideError::ValidationException(message.to_owned()));
    let mut all = Table::ALL.into_iter();
    match all.find(|table| tables.name(*table).eq_ignore_ascii_case(name)) {
        Some(table) if tables.name(table) != name => {
            refuse("a data folder has a table whose name differs from this one in case alone")
        }
        Some(table) if !is_ours(table) => {
            refuse("a table of a data folder has its own keys, no indexes and no streams")
        }
        _ => Ok(()),
    }
}

/// Returns whether a table to create has the keys of the service's, and neither an index nor a stream, which
/// dynoxide alone would maintain.
fn is_ours(request: &CreateTableRequest, table: Table) -> bool {
    let creation = layout::creation(table, &request.table_name).to_string();
    let has_keys = parse(&creation).is_ok_and(|ours: CreateTableRequest| {
        let mut attributes = ours.attribute_definitions.iter();
        request.key_schema == ours.key_schema
            && attributes.all(|it| request.attribute_definitions.contains(it))
    });
    let stream = &request.stream_specification;
    has_keys
        && are_none(request.global_secondary_indexes.as_ref())
        && are_none(request.local_secondary_indexes.as_ref())
        && are_none(request.vector_indexes.as_ref())
        && stream.as_ref().is_none_or(|it| !it.stream_enabled)
}

fn are_none<T>(indexes: Option<&Vec<T>>) -> bool {
    indexes.is_none_or(Vec::is_empty)
}

/// Returns whether there is an operation of this name.
pub(super) fn exists(operation: &str) -> bool {
    of_name(operation).is_some()
}

fn of_name(operation: &str) -> Option<Operation> {
    macro_rules! operations {
        ($($name:literal: $run:path,)+) => {
            match operation {
                $($name => Some(|database, body| respond(database, body, $run)),)+
                _ => None,
            }
        };
    }
    operations! {
        "BatchExecuteStatement": Database::batch_execute_statement,
        "BatchGetItem": Database::batch_get_item,
        "BatchWriteItem": Database::batch_write_item,
        "CreateTable": Database::create_table,
        "DeleteItem": Database::delete_item,
        "DeleteTable": Database::delete_table,
        "DescribeTable": Database::describe_table,
        "DescribeTimeToLive": Database::describe_time_to_live,
        "ExecuteStatement": Database::execute_statement,
        "ExecuteTransaction": Database::execute_transaction,
        "GetItem": Database::get_item,
        "ListTables": Database::list_tables,
        "ListTagsOfResource": Database::list_tags_of_resource,
        "PutItem": Database::put_item,
        "Query": query,
        "Scan": scan,
        "TagResource": Database::tag_resource,
        "TransactGetItems": Database::transact_get_items,
        "TransactWriteItems": Database::transact_write_items,
        "UntagResource": Database::untag_resource,
        "UpdateItem": Database::update_item,
        "UpdateTable": Database::update_table,
        "UpdateTimeToLive": Database::update_time_to_live,
    }
}

/// The greatest number of items of a page that has no `Limit`: dynoxide collects everything that is left to
/// read before it cuts a page.
const LIMIT: usize = 1_000;

fn query(database: &Database, mut request: QueryRequest) -> Result<QueryResponse> {
    request.limit.get_or_insert(LIMIT);
    database.query(request)
}

fn scan(database: &Database, mut request: ScanRequest) -> Result<ScanResponse> {
    request.limit.get_or_insert(LIMIT);
    database.scan(request)
}

fn respond<I: DeserializeOwned, O: Serialize>(
    database: &Database,
    body: &str,
    run: fn(&Database, I) -> Result<O>,
) -> Result<String> {
    let output = run(database, parse(body)?)?;
    serde_json::to_string(&output)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

fn parse<I: DeserializeOwned>(body: &str) -> Result<I> {
    serde_json::from_str(body).map_err(|error| refusal(&error.to_string()))
}

/// Returns the error of a request that cannot be deserialized: dynoxide marks what DynamoDB's validation
/// would refuse, and the library reports a missing member so.
fn refusal(error: &str) -> DynoxideError {
    let (error, _) = error.rsplit_once(" at line ").unwrap_or((error, ""));
    match error.split_once(':') {
        Some((class, text)) if class.starts_with("VALIDATION") => {
            DynoxideError::ValidationException(text.to_owned())
        }
        Some((class, text)) if class.starts_with("SERIALIZATION") => {
            DynoxideError::SerializationException(text.to_owned())
        }
        _ if error.contains("missing field") => {
            DynoxideError::ValidationException(error.to_owned())
        }
        _ => DynoxideError::SerializationException(error.to_owned()),
    }
}
