//! A store whose requests suffer faults: a stub before a served one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use test_support::stub::{self, Answer, Request};

use crate::http::Connection;
use crate::operator::Operator;

/// A store that throttles, leaves batches incomplete, and changes between reads and writes.
#[derive(Clone)]
pub(crate) struct Faulty {
    store: Store,
    /// How often it received each operation, and caused each fault.
    counts: Arc<Mutex<BTreeMap<String, usize>>>,
    /// The first request of each operation, by the id that the SDK's attempts share.
    first: Arc<Mutex<BTreeMap<String, String>>>,
}

/// The store that requests are forwarded to.
#[derive(Clone)]
pub(crate) struct Store(String);

impl Store {
    pub(crate) fn of(operator: &Operator) -> Self {
        Self(operator.served().dynamodb().to_owned())
    }

    pub(crate) fn run(&self, operation: &str, input: &Value) -> (u16, Value) {
        let mut connection = Connection::open(&self.0).unwrap();
        let exchanged = connection.exchange(operation, &input.to_string());
        let (status, output) = exchanged.unwrap();
        (status, serde_json::from_str(&output).unwrap())
    }

    pub(crate) fn forward(&self, request: &Request) -> (u16, Value) {
        self.run(&request.operation, &request.input)
    }
}

/// Returns the answer to a conditional write after another program has changed the item.
fn conflict() -> Answer {
    Answer::refusal(400, "ConditionalCheckFailedException", "it changed")
}

impl Faulty {
    /// Starts it before the operator's store; returns it with its URL.
    pub(crate) fn before(operator: &Operator) -> (Self, String) {
        let faulty = Self {
            store: Store::of(operator),
            counts: Arc::default(),
            first: Arc::default(),
        };
        let answering = faulty.clone();
        let url = stub::start(async move |request| answering.answer(&request));
        (faulty, url)
    }

    fn answer(&self, request: &Request) -> Answer {
        if self.is_first(request) {
            let code = "ProvisionedThroughputExceededException";
            return Answer::refusal(400, code, "slow down");
        }
        match request.operation.as_str() {
            "BatchWriteItem" => self.write_half(&request.input).into(),
            "BatchGetItem" => self.get_half(&request.input).into(),
            "UpdateItem" => {
                let table = request.input["TableName"].as_str().unwrap();
                if !self.count(&format!("write {table}")).is_multiple_of(5) {
                    return self.store.forward(request).into();
                }
                self.count(&format!("conflict {table}"));
                conflict()
            }
            _ => self.store.forward(request).into(),
        }
    }

    /// Returns whether this is an attempt of the first request of the operation.
    fn is_first(&self, request: &Request) -> bool {
        let id = request.header("amz-sdk-invocation-id");
        let mut first = self.first.lock().unwrap();
        let first = first.entry(request.operation.clone());
        first.or_insert(id.to_owned()) == id
    }

    /// Returns whether it caused this fault.
    pub(crate) fn has_caused(&self, fault: &str) -> bool {
        self.counts.lock().unwrap().contains_key(fault)
    }

    fn count(&self, name: &str) -> usize {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        *count
    }

    fn write_half(&self, input: &Value) -> Value {
        let (table, mut requests) = only_table(input);
        let rest = second_half(requests.as_array_mut().unwrap());
        let input = json!({"RequestItems": {&table: requests}});
        assert_eq!(self.store.run("BatchWriteItem", &input).0, 200);
        let unprocessed = rest.map(|rest| {
            self.count("incomplete write");
            json!({table: rest})
        });
        json!({"UnprocessedItems": unprocessed})
    }

    fn get_half(&self, input: &Value) -> Value {
        let (table, mut request) = only_table(input);
        let mut unprocessed = request.clone();
        let rest = second_half(request["Keys"].as_array_mut().unwrap());
        let input = json!({"RequestItems": {&table: request}});
        let (_, mut output) = self.store.run("BatchGetItem", &input);
        if let Some(keys) = rest {
            self.count("incomplete read");
            unprocessed["Keys"] = json!(keys);
            output["UnprocessedKeys"] = json!({table: unprocessed});
        }
        output
    }
}

/// Returns the only table of a batch, with what is requested of it.
fn only_table(input: &Value) -> (String, Value) {
    let mut tables = input["RequestItems"].as_object().unwrap().clone();
    assert_eq!(tables.len(), 1);
    let name = tables.keys().next().unwrap().clone();
    let requested = tables.remove(&name).unwrap();
    (name, requested)
}

/// Removes and returns the second half, if there are at least two elements.
fn second_half(list: &mut Vec<Value>) -> Option<Vec<Value>> {
    let rest = list.split_off(list.len().div_ceil(2));
    (!rest.is_empty()).then_some(rest)
}
