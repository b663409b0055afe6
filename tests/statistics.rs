//! `GET /api/v2/response-statistics` (contract, section 4), except the forms of its parameters.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use crate::support::{Api, Project, filter, log_line, n, new_project, null, s, sha256};

const DAY: &str = "2026-03-01T12:00:00.000Z";
const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-03-02";

/// Makes a project with one record of each of these ratings.
async fn rated(ratings: &[u8]) -> Project {
    let project = new_project().await;
    for (count, rating) in ratings.iter().enumerate() {
        project
            .put_response(DAY, &format!("r{count}"), &[("rating", n(rating))])
            .await;
    }
    project
}

#[tokio::test]
async fn the_response_is_one_document_with_its_members_in_the_contracts_order() {
    let project = rated(&[7, 7, 8, 8, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10]).await;
    for id in ["d1", "d2", "d3", "d4"] {
        project
            .put_response(DAY, id, &[("dismissed", AttributeValue::Bool(true))])
            .await;
    }
    for id in ["p1", "p2"] {
        project.put_response(DAY, id, &[]).await;
    }
    let reply = Api::shared().statistics(&project, PERIOD).await;
    let id = reply.json()["data"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        reply.text(),
        format!(
            r#"{{"data":[{{"id":"{id}","type":"response-statistics","attributes":{{"responses":15,"displays":21,"dismissed":4,"promoters":11,"passives":4,"detractors":0,"nps":73.33333333333333,"frequency":[0,0,0,0,0,0,0,2,2,5,6]}},"relationships":{{"project":{{"data":{{"id":"{}","type":"project"}}}}}}}}]}}"#,
            project.id
        )
    );
}

#[tokio::test]
async fn promoters_rate_9_and_10_passives_7_and_8_detractors_0_to_6() {
    let project = rated(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).await;
    let figures = Api::shared().statistics(&project, PERIOD).await.figures();
    assert_eq!(
        figures["frequency"],
        json!([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    );
    assert_eq!(
        (
            &figures["detractors"],
            &figures["passives"],
            &figures["promoters"]
        ),
        (&json!(7), &json!(2), &json!(2))
    );
}

#[tokio::test]
async fn without_responses_the_nps_is_a_zero_with_a_fraction() {
    let project = new_project().await;
    project
        .put_response(
            DAY,
            "dismissed",
            &[("dismissed", AttributeValue::Bool(true))],
        )
        .await;
    let reply = Api::shared().statistics(&project, PERIOD).await;
    assert!(
        reply
            .text()
            .contains(r#""responses":0,"displays":1,"dismissed":1"#),
        "{reply:?}"
    );
    assert!(reply.text().contains(r#""nps":0.0,"#), "{reply:?}");
}

#[tokio::test]
async fn a_stored_null_is_an_absent_attribute() {
    let project = new_project().await;
    project
        .put_response(
            DAY,
            "null",
            &[
                ("rating", null()),
                ("dismissed", null()),
                ("traits", null()),
            ],
        )
        .await;
    project
        .put_response(
            DAY,
            "not",
            &[
                ("rating", null()),
                ("dismissed", AttributeValue::Bool(false)),
            ],
        )
        .await;
    let query = PERIOD.to_owned() + &filter("plan", "ne", "x");
    let figures = Api::shared().statistics(&project, &query).await.figures();
    assert_eq!(
        (
            &figures["displays"],
            &figures["responses"],
            &figures["dismissed"]
        ),
        (&json!(2), &json!(0), &json!(0))
    );
}

#[tokio::test]
async fn a_record_that_cannot_be_decoded_is_in_no_figure_and_is_counted_in_the_log() {
    let project = rated(&[10]).await;
    let damages: [(&str, &[(&str, AttributeValue)]); 7] = [
        ("above", &[("rating", n(11))]),
        ("below", &[("rating", n(-1))]),
        ("between", &[("rating", n("7.5"))]),
        ("huge", &[("rating", n("1e30"))]),
        ("text", &[("rating", s("10"))]),
        ("flag", &[("rating", n(10)), ("dismissed", s("true"))]),
        ("number", &[("dismissed", n(1))]),
    ];
    for (id, attributes) in damages {
        project.put_response(DAY, id, attributes).await;
    }
    let reply = Api::shared().statistics(&project, PERIOD).await;
    assert_eq!(
        reply.figures(),
        json!({"responses": 1, "displays": 1, "dismissed": 0, "promoters": 1, "passives": 0, "detractors": 0,
               "nps": 100.0, "frequency": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]})
    );
    let line = log_line(reply.request_id()).await;
    assert_eq!((&line["skipped"], &line["records"]), (&json!(7), &json!(8)));
}

#[tokio::test]
async fn equal_queries_have_equal_ids() {
    let project = new_project().await;
    let id = async |query: &str| {
        let reply = Api::shared().statistics(&project, query).await;
        reply.json()["data"][0]["id"].as_str().unwrap().to_owned()
    };
    let sha = |text: String| sha256(&text)[..24].to_owned();
    assert_eq!(
        id("").await,
        sha(format!(r#"["{}",null,null,[]]"#, project.id))
    );
    let a = filter("a", "eq", "1%22");
    let b =
        "&filters[user.traits.string.b][value]=&filters[user.traits.string.b][operator]=ncontains";
    let expected = sha(format!(
        r#"["{}","2026-03-01T00:00:00.000Z","2026-03-02T00:00:00.000Z",[["a","eq","1\""],["b","ncontains",""]]]"#,
        project.id
    ));
    assert_eq!(id(&format!("{PERIOD}{a}{b}")).await, expected);
    assert_eq!(
        id(&format!(
            "{b}&format=json&endDate=2026-03-02T01:00%2B01:00{a}&startDate=2026-03-01T00:00Z"
        ))
        .await,
        expected
    );
}
