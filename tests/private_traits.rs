//! Traits that name people: a key that is made for figures lists none of them (contract, section 4).

use serde_json::json;

use crate::support::{
    Api, Project, STATISTICS_PROGRAM, answer, bootstrap, check_statistics, empty_app, event, map,
    n, new_project, s,
};

const EMAIL: &str = "jane@example.com";

/// Makes a project with a record of a person.
async fn project() -> Project {
    let project = new_project().await;
    let traits = ["email", "E-Mail", "fullName", "plan"].map(|name| (name, s(EMAIL)));
    let attributes = [("rating", n(9)), ("traits", map(&traits))];
    project
        .put_response("2026-03-01T12:00:00.000Z", "a", &attributes)
        .await;
    project
}

fn group_by(kind: &str, name: &str) -> String {
    format!("&startDate=2026-03-01&endDate=2026-03-02&groupBy=user.traits.{kind}.{name}")
}

#[tokio::test]
async fn a_read_key_lists_no_values_of_private_traits() {
    let table = "
        groupBy=user.traits.{string boolean}.{email Email EMAIL name firstName} | 403 private_trait groupBy
        groupBy=user.traits.{string boolean}.{firstname lastName fullName username phone} | 403 private_trait groupBy
        groupBy=user.traits.{string boolean}.{plan E-Mail emails e.mail name%20} | none
        groupBy=user.traits.string.email&limit=1 | unknown limit
        ?project=other&groupBy=user.traits.string.email | 403 forbidden project
    ";
    check_statistics(&empty_app(), table).await;
    let query = group_by("string", "email");
    let reply = Api::shared().statistics(&project().await, &query).await;
    assert_eq!(answer(&reply), "403 private_trait groupBy");
    assert!(!reply.text().contains(EMAIL), "{reply:?}");
}

#[tokio::test]
async fn private_traits_may_still_be_filtered_by() {
    let project = project().await;
    for filter in ["email=eq:jane@example.com", "email=contains:jane"] {
        let query = format!("{}&filter={filter}", group_by("string", "plan"));
        let reply = Api::shared().statistics(&project, &query).await;
        assert_eq!(reply.figures()["displays"], 1);
    }
}

#[tokio::test]
async fn the_names_are_a_setting_of_the_function() {
    let project = project().await;
    for (setting, private, others) in [
        (" plan ,E-mail,", ["plan", "e-mAIL"], ["email", "name"]),
        ("+plan, E-mail", ["plan", "email"], ["emails", "%2Bplan"]),
        (" + ", ["email", "survey.comment"], ["plan", "%2B"]),
        ("", ["", ""], ["email", "plan"]),
    ] {
        let variables = [("PRIVATE_TRAITS", setting)];
        let mut program = bootstrap(STATISTICS_PROGRAM, &variables);
        let mut status = async |name: &str| {
            let mut event = event("response-statistics-http");
            let query = format!("project={}{}", project.id, group_by("string", name));
            event["rawQueryString"] = json!(query);
            event["headers"] = json!({"authkey": project.read_key});
            program.invoke(&event).await.response().status
        };
        for name in private.into_iter().filter(|name| !name.is_empty()) {
            assert_eq!(status(name).await, 403, "{setting} {name}");
        }
        for name in others {
            assert_eq!(status(name).await, 200, "{setting} {name}");
        }
    }
}
