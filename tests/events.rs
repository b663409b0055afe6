//! API Gateway's events, answered by the handlers: v1 of a REST API, v2 of an HTTP API.

use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::App;
use shared::http::{Call, Response, buffered};
use shared::model::Timestamp;

use crate::support::{Api, Project, app_at, event, service};

fn app() -> App {
    app_at(&format!("http://{}", service().dynamodb_address()))
}

fn now() -> Timestamp {
    "2026-03-01T12:00:00.000Z".parse().unwrap()
}

/// The call of an event that Lambda ends at `deadline`.
fn call(event: &Value, id: &str, deadline: u64) -> Call {
    let event = serde_json::from_value(event.clone()).unwrap();
    Call::from_event(event, id.to_owned(), deadline, now())
}

async fn answer(event: &Value) -> Response {
    let path = event["path"].as_str().or(event["rawPath"].as_str());
    let call = call(event, "an-id", 0);
    if path.unwrap().contains("users") {
        users::handle(call, &app()).await
    } else {
        response_statistics::handle(call, &app()).await
    }
}

async fn body(answer: Response) -> Value {
    serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

#[tokio::test]
async fn both_kinds_of_event_give_the_served_answer() {
    let statistics = "/api/v2/response-statistics?project=demo&startDate=2014-08-01\
                      &filters[user.traits.string.airline][operator]=contains&filters[user.traits.string.airline][value]=air";
    let served = Api::shared()
        .get(statistics, &[("AuthKey", "demo-read-key-0000")])
        .await;
    assert!(
        served.figures()["displays"].as_u64().unwrap() > 100,
        "{served:?}"
    );
    let account = crate::support::basic("demo", "demo-password-0000");
    let users = Api::shared()
        .get(
            "/api/users?project=demo&limit=2",
            &[("Authorization", &account)],
        )
        .await;
    for (name, served) in [
        ("response-statistics-rest", &served),
        ("response-statistics-http", &served),
        ("users-rest", &users),
        ("users-http", &users),
    ] {
        let answer = answer(&event(name)).await;
        assert_eq!(answer.status(), 200, "{name}");
        assert_eq!(
            answer.headers()["content-type"],
            "application/json",
            "{name}"
        );
        assert_eq!(body(answer).await, served.json(), "{name}");
    }
}

#[tokio::test]
async fn a_wrong_key_and_a_bad_parameter_give_the_contracts_errors() {
    let wrong_key = answer(&event("response-statistics-wrong-key-rest")).await;
    assert_eq!(wrong_key.status(), 401);
    assert_eq!(
        wrong_key.headers()["www-authenticate"],
        r#"AuthKey realm="survey-feedback""#
    );
    let bad_parameter = answer(&event("users-bad-parameter-http")).await;
    assert_eq!(bad_parameter.status(), 400);
    assert_eq!(
        body(bad_parameter).await["errors"][0]["source"],
        json!({"parameter": "limit"})
    );
}

#[tokio::test]
async fn a_link_leads_through_the_gateways_stage() {
    let link = |answer: &Response| answer.headers()["link"].to_str().unwrap().to_owned();
    let rest = answer(&event("users-rest")).await;
    assert!(
        link(&rest).starts_with("</prod/api/users?"),
        "{}",
        link(&rest)
    );
    let http = answer(&event("users-http")).await;
    assert!(link(&http).starts_with("</api/users?"), "{}", link(&http));
    let mut staged = event("users-http");
    staged["rawPath"] = json!("/prod/api/users");
    staged["requestContext"]["stage"] = json!("prod");
    let staged = answer(&staged).await;
    assert_eq!(staged.status(), 200);
    assert!(
        link(&staged).starts_with("</prod/api/users?"),
        "{}",
        link(&staged)
    );
}

#[tokio::test]
async fn a_rest_events_parameters_are_not_decoded_again() {
    let project = Project::new().await;
    project.put_user("100%25+1", &[]).await;
    let mut event = event("users-rest");
    let parameters = json!({"project": project.id, "userId": "100%25+1"});
    event["queryStringParameters"] = parameters.clone();
    event["multiValueQueryStringParameters"] =
        json!({"project": [parameters["project"]], "userId": [parameters["userId"]]});
    let account = crate::support::basic(&project.username, &project.password);
    event["multiValueHeaders"]["Authorization"] = json!([account]);
    event["headers"]["Authorization"] = json!(account);
    assert_eq!(
        body(answer(&event).await).await["users"][0]["userId"],
        "100%25+1"
    );
    event["multiValueQueryStringParameters"]["project"] = json!([project.id, project.id]);
    assert_eq!(
        body(answer(&event).await).await["errors"][0]["code"],
        "duplicate_parameter"
    );
}

#[tokio::test]
async fn a_rest_event_without_parameters_lacks_the_project() {
    let mut event = event("response-statistics-rest");
    event["queryStringParameters"] = Value::Null;
    event["multiValueQueryStringParameters"] = Value::Null;
    assert_eq!(
        body(answer(&event).await).await["errors"][0]["code"],
        "missing_parameter"
    );
}

#[tokio::test]
async fn the_request_id_is_lambdas_own() {
    let event = event("response-statistics-wrong-key-rest");
    let answer = response_statistics::handle(call(&event, "an-id-of-lambda", 0), &app()).await;
    assert_eq!(answer.headers()["x-request-id"], "an-id-of-lambda");
    assert_eq!(body(answer).await["errors"][0]["id"], "an-id-of-lambda");
}

#[tokio::test]
async fn a_period_that_cannot_be_read_in_the_time_left_is_refused() {
    let arrival = 1_772_366_400_000;
    let app = app();
    let with_deadline = async |deadline| {
        let call = call(&event("response-statistics-rest"), "an-id", deadline);
        response_statistics::handle(call, &app).await
    };
    assert_eq!(with_deadline(arrival + 20_000).await.status(), 200);
    // What `cargo lambda watch` says: ten minutes after 1970 began.
    assert_eq!(with_deadline(600_000).await.status(), 200);
    let late = with_deadline(arrival + 501).await;
    assert_eq!(late.status(), 504);
    assert_eq!(body(late).await["errors"][0]["code"], "period_too_large");
}

#[tokio::test]
async fn a_buffered_answer_is_the_streamed_one_or_none() {
    let streamed = body(answer(&event("users-rest")).await).await;
    let whole = buffered(answer(&event("users-rest")).await).await;
    assert_eq!(
        serde_json::from_str::<Value>(whole.body()).unwrap(),
        streamed
    );

    let project = Project::new().await;
    for user_id in 0..20 {
        project
            .put_user(
                &user_id.to_string(),
                &[("name", crate::support::s(&"x".repeat(350_000)))],
            )
            .await;
    }
    let mut event = event("users-rest");
    event["multiValueQueryStringParameters"] = json!({"project": [project.id]});
    let account = crate::support::basic(&project.username, &project.password);
    event["multiValueHeaders"]["Authorization"] = json!([account]);
    event["headers"]["Authorization"] = json!(account);
    let refused = buffered(answer(&event).await).await;
    assert_eq!(refused.status(), 422);
    let document: Value = serde_json::from_str(refused.body()).unwrap();
    assert_eq!(document["errors"][0]["code"], "response_too_large");
    assert_eq!(
        document["errors"][0]["id"],
        refused.headers()["x-request-id"].to_str().unwrap()
    );
}

#[tokio::test]
async fn a_handler_that_panics_answers_the_contracts_internal_error() {
    let app = crate::support::app_that_panics();
    for name in [
        "users-rest",
        "users-http",
        "response-statistics-rest",
        "response-statistics-http",
    ] {
        let call = call(&event(name), "an-id", 0);
        let answer = if name.starts_with("users") {
            users::handle(call, &app).boxed().await
        } else {
            response_statistics::handle(call, &app).boxed().await
        };
        assert_eq!(answer.status(), 500, "{name}");
        let document = body(answer).await;
        assert_eq!(document["errors"][0]["code"], "internal", "{name}");
        assert!(!document.to_string().contains("panic"), "{document}");
    }
}
