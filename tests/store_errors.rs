//! How the failures of the store are logged and reported: with operation and code, but without its
//! message.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    Bootstrap, STATISTICS_PROGRAM, USERS_PROGRAM, basic, credential, event_with, fault, stub_store,
};

/// A failure of the store, and what is logged and reported about it.
struct Failure {
    program: &'static str,
    /// What the store responds with to a `GetItem`; by default, the credential.
    credential: Option<(u16, Value)>,
    /// What the store responds with to a Query.
    page: (u16, Value),
    operation: &'static str,
    code: &'static str,
    status: u64,
}

impl Failure {
    /// The store responds with this to Queries.
    fn of_query(
        program: &'static str,
        page: (u16, Value),
        code: &'static str,
        status: u64,
    ) -> Self {
        let operation = if program == USERS_PROGRAM {
            "Query users"
        } else {
            "Query responses"
        };
        Self {
            program,
            credential: None,
            page,
            operation,
            code,
            status,
        }
    }

    /// The store responds with this error to `GetItem`.
    fn of_credential(status_of_store: u16, code: &'static str, status: u64) -> Self {
        Self {
            program: STATISTICS_PROGRAM,
            credential: Some((status_of_store, fault(code))),
            page: (200, json!({"Items": []})),
            operation: "GetItem credentials",
            code,
            status,
        }
    }

    /// Invokes the program over the store that fails. Returns the status of the response and what the
    /// program has written.
    async fn provoke(&self) -> (u64, String) {
        let (item, page) = (self.credential.clone(), self.page.clone());
        let endpoint = stub_store(move |operation, input, _| match operation {
            "GetItem" => item.clone().unwrap_or_else(|| (200, credential(input))),
            _ => page.clone(),
        });
        let mut bootstrap = Bootstrap::start(&endpoint, self.program, &[]);
        let name = if self.program == USERS_PROGRAM {
            "users-rest"
        } else {
            "response-statistics-rest"
        };
        let account = basic("u", "any");
        let headers = [("AuthKey", "any key"), ("Authorization", account.as_str())];
        let event = event_with(name, &headers, json!({"project": "p"}));
        let (status, _, body) = bootstrap.invoke(&event).await.response();
        let body = String::from_utf8(body).unwrap();
        assert!(!body.contains("inner workings"), "{body}");
        bootstrap.metrics_line().await; // follows every other line of the request
        (status, bootstrap.output())
    }
}

/// Returns the fields of the lines of level `ERROR`.
fn errors(output: &str) -> Vec<Value> {
    let lines = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["level"] == "ERROR")
        .map(|line| line["fields"].clone())
        .collect()
}

#[tokio::test]
async fn a_failure_of_the_store_is_logged_with_operation_and_code_but_not_with_its_message() {
    let damaged = (200, json!({"Items": "secret inner workings"}));
    let failures = [
        Failure::of_credential(400, "ThrottlingException", 503),
        Failure::of_credential(500, "InternalServerError", 503),
        Failure::of_credential(400, "ResourceNotFoundException", 500),
        Failure::of_credential(400, "AccessDeniedException", 500),
        Failure::of_query(
            STATISTICS_PROGRAM,
            damaged.clone(),
            "not a page of items",
            503,
        ),
        Failure::of_query(USERS_PROGRAM, damaged, "not a page of items", 503),
        Failure::of_query(
            STATISTICS_PROGRAM,
            (400, fault("ProvisionedThroughputExceededException")),
            "ProvisionedThroughputExceededException",
            503,
        ),
        Failure::of_query(
            USERS_PROGRAM,
            (400, fault("AccessDeniedException")),
            "AccessDeniedException",
            500,
        ),
    ];
    // The SDK pauses between its attempts.
    let outcomes = join_all(failures.iter().map(Failure::provoke)).await;
    for (failure, (status, output)) in failures.iter().zip(outcomes) {
        assert_eq!(status, failure.status, "{output}");
        let errors = errors(&output);
        assert_eq!(errors.len(), 1, "{output}");
        assert_eq!(errors[0]["operation"], failure.operation, "{output}");
        assert_eq!(errors[0]["code"], failure.code, "{output}");
        assert!(!output.contains("inner workings"), "{output}");
    }
}
