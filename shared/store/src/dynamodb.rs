//! Reads DynamoDB through its SDK, and returns the bodies of the responses, verified but not decoded.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept};
use aws_sdk_dynamodb::error::{BoxError, ErrorMetadata};
use aws_sdk_dynamodb::operation::get_item::{GetItemError, GetItemOutput};
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use aws_smithy_runtime_api::client::interceptors::context::{self, Output, OutputOrError};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use items::{Json, Partition, Shard, TableNames};
use serde::Deserialize;

use crate::connection::Clients;
use crate::error::{Error, ErrorKind};
use crate::fetched_page::capacity_units;
use crate::page_read::{KeyRange, PageRead, Projection};
use crate::table_reader::{CredentialRead, PageBody, READ_CREDENTIAL, ReaderFuture, TableReader};

/// The tables of an AWS account, or at an endpoint.
pub(crate) struct DynamoDb {
    clients: Clients,
    tables: TableNames,
    /// The name of the index of outcomes. DynamoDB charges for whole records, so what needs no traits is
    /// read from it.
    index: Option<String>,
}

impl TableReader for DynamoDb {
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody> {
        let operation = read.operation();
        let index = if read.projection.are_indexed() {
            self.index.clone()
        } else {
            None
        };
        let query = self.query(read).set_index_name(index.clone());
        Box::pin(async move {
            let body = RawBody::of_query();
            let sent = query.customize().interceptor(body.clone()).send().await;
            sent.map_err(|error| Error::from_sdk(operation, &error).of_index(index))?;
            Ok(PageBody(body.take()))
        })
    }

    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead> {
        let get = self
            .clients
            .credentials
            .get_item()
            .table_name(&self.tables.credentials)
            .key("digest", AttributeValue::S(digest))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        Box::pin(async move {
            let body = RawBody::of_get_item();
            let sent = get.customize().interceptor(body.clone()).send().await;
            sent.map_err(|error| Error::from_sdk(READ_CREDENTIAL, &error))?;
            let damaged = || Error::new(ErrorKind::Damaged, READ_CREDENTIAL, "not an item");
            read_item(body.take().bytes().unwrap_or_default()).ok_or_else(damaged)
        })
    }

    /// One page of each shard.
    fn concurrent_pages(&self) -> usize {
        usize::from(Shard::COUNT)
    }

    fn has_index(&self) -> bool {
        self.index.is_some()
    }
}

/// Reads the JSON of a response to `GetItem`; returns `None` if it is malformed.
fn read_item(body: &[u8]) -> Option<CredentialRead> {
    let mut read = CredentialRead {
        item: None,
        capacity_units: 0.0,
    };
    Json::read(str::from_utf8(body).ok()?, |json| {
        json.object(|json, name| {
            match &*name {
                "Item" => read.item = Some(json.text()?.to_owned()),
                "ConsumedCapacity" => read.capacity_units = capacity_units(json)?,
                _ => json.skip()?,
            }
            Some(())
        })
    })?;
    Some(read)
}

impl DynamoDb {
    pub(crate) fn new(client: &Client, tables: TableNames, index: Option<String>) -> Self {
        Self {
            clients: Clients::new(client),
            tables,
            index,
        }
    }

    fn query(&self, read: PageRead) -> QueryFluentBuilder {
        let [hash, range] = read.partition.key_names();
        let key = read.partition.key().to_owned();
        let (client, table) = match &read.partition {
            Partition::Users(_) => (&self.clients.users, &self.tables.users),
            Partition::Responses(_) => (&self.clients.responses, &self.tables.responses),
        };
        let start = read.after.map(|after| {
            [(hash, key.clone()), (range, after)]
                .map(|(name, text)| (name.to_owned(), AttributeValue::S(text)))
                .into()
        });
        let mut query = client
            .query()
            .table_name(table)
            .set_exclusive_start_key(start)
            .set_consistent_read(read.is_consistent.then_some(true))
            .set_limit(read.limit.and_then(|limit| limit.try_into().ok()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        // All names are placeholders: several are reserved words.
        let mut condition = format!("#{hash} = :{hash}");
        let mut names = BTreeSet::from([hash]);
        let mut values = vec![(format!(":{hash}"), key)];
        match read.range {
            KeyRange::All => {}
            KeyRange::Equal(key) => {
                write!(condition, " AND #{range} = :{range}").unwrap_or_default();
                names.insert(range);
                values.push((format!(":{range}"), key));
            }
            KeyRange::Between([start, end]) => {
                write!(condition, " AND #{range} BETWEEN :start AND :end").unwrap_or_default();
                names.insert(range);
                values.extend([(":start".to_owned(), start), (":end".to_owned(), end)]);
            }
        }
        match &read.projection {
            Projection::All => {}
            Projection::Key => {
                names.insert(range);
                query = query.projection_expression(format!("#{hash}, #{range}"));
            }
            Projection::Outcome { others, traits } => {
                names.extend(["rating", "dismissed"]);
                names.extend(others.iter().map(String::as_str));
                let mut projection = "#rating, #dismissed".to_owned();
                for name in others {
                    write!(projection, ", #{name}").unwrap_or_default();
                }
                // DynamoDB refuses a path that is projected twice.
                for (n, name) in traits.iter().enumerate() {
                    names.insert("traits");
                    write!(projection, ", #traits.#t{n}").unwrap_or_default();
                    query = query.expression_attribute_names(format!("#t{n}"), name);
                }
                query = query.projection_expression(projection);
            }
        }
        query = query.key_condition_expression(condition);
        for name in names {
            query = query.expression_attribute_names(format!("#{name}"), name);
        }
        for (placeholder, text) in values {
            query = query.expression_attribute_values(placeholder, AttributeValue::S(text));
        }
        query
    }
}

/// Replaces the deserializer of an operation, and keeps the body of a successful response.
#[derive(Debug, Clone)]
struct RawBody {
    body: Arc<Mutex<Option<SdkBody>>>,
    /// Makes the output that the SDK expects, which is empty.
    output: fn() -> Output,
    /// Makes the error that the SDK expects, whose code decides whether it retries.
    error: fn(ErrorMetadata) -> context::Error,
}

impl RawBody {
    fn of_query() -> Self {
        Self {
            body: Arc::default(),
            output: || Output::erase(QueryOutput::builder().build()),
            error: |reported| context::Error::erase(QueryError::generic(reported)),
        }
    }

    fn of_get_item() -> Self {
        Self {
            body: Arc::default(),
            output: || Output::erase(GetItemOutput::builder().build()),
            error: |reported| context::Error::erase(GetItemError::generic(reported)),
        }
    }

    fn take(&self) -> SdkBody {
        let mut body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        body.take().unwrap_or_else(SdkBody::empty)
    }
}

impl Intercept for RawBody {
    fn name(&self) -> &'static str {
        "RawBody"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        config
            .interceptor_state()
            .store_put(SharedResponseDeserializer::new(self.clone()));
        Ok(())
    }
}

impl DeserializeResponse for RawBody {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> OutputOrError {
        if !response.status().is_success() {
            let reported = decode_error(response.body().bytes().unwrap_or_default());
            return Err(OrchestratorError::operation((self.error)(reported)));
        }
        verified_body(response).map_err(|flaw| OrchestratorError::response(flaw.into()))?;
        *self.body.lock().unwrap_or_else(PoisonError::into_inner) = response.body().try_clone();
        Ok((self.output)())
    }
}

fn decode_error(body: &[u8]) -> ErrorMetadata {
    #[derive(Deserialize, Default)]
    struct ErrorBody {
        #[serde(rename = "__type", default)]
        kind: String,
        #[serde(alias = "Message")]
        message: Option<String>,
    }
    let document: ErrorBody = serde_json::from_slice(body).unwrap_or_default();
    let code = document.kind.rsplit('#').next().unwrap_or_default();
    let mut metadata = ErrorMetadata::builder().code(code);
    if let Some(message) = document.message {
        metadata = metadata.message(message);
    }
    metadata.build()
}

/// Returns the body of a successful response, or what is wrong with it. The SDK does not check that it arrived
/// as DynamoDB sent it.
fn verified_body(response: &HttpResponse) -> Result<&[u8], &'static str> {
    let body = response.body().bytes().ok_or("the body is missing")?;
    // The SDK would take it for `{}`, which means that there is no such item.
    if body.is_empty() {
        return Err("the body is empty");
    }
    match response.headers().get("x-amz-crc32") {
        Some(expected) if expected.parse() != Ok(crc32fast::hash(body)) => {
            Err("the body does not match its checksum")
        }
        _ => Ok(body),
    }
}
