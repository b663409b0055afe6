//! The operations of DynamoDB, as dynoxide implements them.

use dynoxide::{Database, DynoxideError, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Runs an operation on a request in DynamoDB's JSON, and returns the response. Blocks.
pub(super) fn run(database: &Database, operation: &str, body: &str) -> Result<String> {
    match operation {
        "BatchExecuteStatement" => respond(body, |it| database.batch_execute_statement(it)),
        "BatchGetItem" => respond(body, |it| database.batch_get_item(it)),
        "BatchWriteItem" => respond(body, |it| database.batch_write_item(it)),
        "CreateTable" => respond(body, |it| database.create_table(it)),
        "DeleteItem" => respond(body, |it| database.delete_item(it)),
        "DeleteTable" => respond(body, |it| database.delete_table(it)),
        "DescribeStream" => respond(body, |it| database.describe_stream(it)),
        "DescribeTable" => respond(body, |it| database.describe_table(it)),
        "DescribeTimeToLive" => respond(body, |it| database.describe_time_to_live(it)),
        "ExecuteStatement" => respond(body, |it| database.execute_statement(it)),
        "ExecuteTransaction" => respond(body, |it| database.execute_transaction(it)),
        "GetItem" => respond(body, |it| database.get_item(it)),
        "GetRecords" => respond(body, |it| database.get_records(it)),
        "GetShardIterator" => respond(body, |it| database.get_shard_iterator(it)),
        "ListStreams" => respond(body, |it| database.list_streams(it)),
        "ListTables" => respond(body, |it| database.list_tables(it)),
        "ListTagsOfResource" => respond(body, |it| database.list_tags_of_resource(it)),
        "PutItem" => respond(body, |it| database.put_item(it)),
        "Query" => respond(body, |it| database.query(it)),
        "Scan" => respond(body, |it| database.scan(it)),
        "SearchVectors" => respond(body, |it| database.search_vectors(it)),
        "TagResource" => respond(body, |it| database.tag_resource(it)),
        "TransactGetItems" => respond(body, |it| database.transact_get_items(it)),
        "TransactWriteItems" => respond(body, |it| database.transact_write_items(it)),
        "UntagResource" => respond(body, |it| database.untag_resource(it)),
        "UpdateItem" => respond(body, |it| database.update_item(it)),
        "UpdateTable" => respond(body, |it| database.update_table(it)),
        "UpdateTimeToLive" => respond(body, |it| database.update_time_to_live(it)),
        _ => Err(DynoxideError::SerializationException(String::new())),
    }
}

fn respond<I: DeserializeOwned, O: Serialize>(
    body: &str,
    operation: impl FnOnce(I) -> Result<O>,
) -> Result<String> {
    let request = serde_json::from_str(body)
        .map_err(|error| DynoxideError::SerializationException(error.to_string()))?;
    let response = operation(request)?;
    serde_json::to_string(&response)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}
