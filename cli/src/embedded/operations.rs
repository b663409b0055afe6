//! The operations of DynamoDB, as dynoxide implements them.

use dynoxide::{Database, DynoxideError, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parses a request in DynamoDB's JSON.
pub(super) type Parse = fn(&str) -> Result<Request>;

/// A parsed request: runs it, and returns the response in DynamoDB's JSON. Blocks.
pub(super) type Request = Box<dyn FnOnce(&Database) -> Result<String>>;

/// Parses and runs a request in DynamoDB's JSON, and returns the response. Blocks.
pub(super) fn run(database: &Database, operation: &str, body: &str) -> Result<String> {
    let unknown = || DynoxideError::SerializationException("an unknown operation".to_owned());
    let parse = parser(operation).ok_or_else(unknown)?;
    parse(body)?(database).map_err(|error| match error {
        // A statement reports the item in another form than the other operations do.
        DynoxideError::ConditionalCheckFailedException(message, Some(item))
            if operation == "ExecuteStatement" =>
        {
            DynoxideError::StatementConditionalCheckFailed(message, item)
        }
        error => error,
    })
}

/// Returns what parses the requests of an operation; `None` if there is no such operation.
pub(super) fn parser(operation: &str) -> Option<Parse> {
    Some(match operation {
        "BatchExecuteStatement" => |body| parse(body, Database::batch_execute_statement),
        "BatchGetItem" => |body| parse(body, Database::batch_get_item),
        "BatchWriteItem" => |body| parse(body, Database::batch_write_item),
        "CreateTable" => |body| parse(body, Database::create_table),
        "DeleteItem" => |body| parse(body, Database::delete_item),
        "DeleteTable" => |body| parse(body, Database::delete_table),
        "DescribeStream" => |body| parse(body, Database::describe_stream),
        "DescribeTable" => |body| parse(body, Database::describe_table),
        "DescribeTimeToLive" => |body| parse(body, Database::describe_time_to_live),
        "ExecuteStatement" => |body| parse(body, Database::execute_statement),
        "ExecuteTransaction" => |body| parse(body, Database::execute_transaction),
        "GetItem" => |body| parse(body, Database::get_item),
        "GetRecords" => |body| parse(body, Database::get_records),
        "GetShardIterator" => |body| parse(body, Database::get_shard_iterator),
        "ListStreams" => |body| parse(body, Database::list_streams),
        "ListTables" => |body| parse(body, Database::list_tables),
        "ListTagsOfResource" => |body| parse(body, Database::list_tags_of_resource),
        "PutItem" => |body| parse(body, Database::put_item),
        "Query" => |body| parse(body, Database::query),
        "Scan" => |body| parse(body, Database::scan),
        "SearchVectors" => |body| parse(body, Database::search_vectors),
        "TagResource" => |body| parse(body, Database::tag_resource),
        "TransactGetItems" => |body| parse(body, Database::transact_get_items),
        "TransactWriteItems" => |body| parse(body, Database::transact_write_items),
        "UntagResource" => |body| parse(body, Database::untag_resource),
        "UpdateItem" => |body| parse(body, Database::update_item),
        "UpdateTable" => |body| parse(body, Database::update_table),
        "UpdateTimeToLive" => |body| parse(body, Database::update_time_to_live),
        _ => return None,
    })
}

fn parse<I: DeserializeOwned + 'static, O: Serialize + 'static>(
    body: &str,
    run: fn(&Database, I) -> Result<O>,
) -> Result<Request> {
    let input = serde_json::from_str(body).map_err(|error| refusal(&error.to_string()))?;
    Ok(Box::new(move |database| {
        let output = run(database, input)?;
        serde_json::to_string(&output)
            .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
    }))
}

/// Returns the error of a request that cannot be deserialized. dynoxide marks the class of its own
/// errors with a prefix; of the library's errors, those about missing values are DynamoDB's validation.
fn refusal(error: &str) -> DynoxideError {
    const VALIDATION: [&str; 5] = [
        "missing field",
        "unknown variant",
        "invalid type: null",
        "empty AttributeValue",
        "Supplied AttributeValue",
    ];
    let without_position = |text: &str| {
        let (text, _) = text.rsplit_once(" at line ").unwrap_or((text, ""));
        text.to_owned()
    };
    match error.split_once(':') {
        Some(("VALIDATION" | "VALIDATION_REQUEST", text)) => {
            DynoxideError::ValidationException(without_position(text))
        }
        Some(("VALIDATION_AS_READ", text)) => DynoxideError::ValidationException(text.to_owned()),
        Some(("SERIALIZATION", text)) => {
            DynoxideError::SerializationException(without_position(text))
        }
        Some(("SERIALIZATION_AS_READ", text)) => {
            DynoxideError::SerializationException(text.to_owned())
        }
        _ if VALIDATION.iter().any(|kind| error.contains(kind)) => {
            DynoxideError::ValidationException(without_position(error))
        }
        _ => DynoxideError::SerializationException(without_position(error)),
    }
}
