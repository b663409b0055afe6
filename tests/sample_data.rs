//! The sample data of the demo project.

use serde_json::{Value, json};

use crate::support::{Api, STATISTICS, USERS, basic, options};
use feedback::commands::serve::Service;

/// What a service that starts on this day says of the project.
struct Demo(Service);

impl Demo {
    async fn starts_on(day: &str) -> Self {
        let service = Service::start(&options(), day.parse().unwrap()).await;
        Self(service.unwrap())
    }

    /// Returns the figures of a query, an object for each interval and group.
    async fn figures(&self, query: &str) -> Vec<Value> {
        let target = format!("{STATISTICS}?project=demo&{query}");
        let key = [("AuthKey", "demo-read-key-0000")];
        let reply = Api::at(self.0.api_address()).get(&target, &key).await;
        reply.elements()
    }

    /// Returns the users of the first half of 2025.
    async fn early_users(&self) -> Vec<Value> {
        let account = basic("demo", "demo-password-0000");
        let (target, line) = (
            format!("{USERS}?project=demo"),
            ("Authorization", &*account),
        );
        let reply = Api::at(self.0.api_address()).get(&target, &[line]).await;
        let users = reply.json()["users"].as_array().unwrap().clone();
        let is_early = |user: &Value| user["userId"].as_str().unwrap().starts_with("2025h1-");
        users.into_iter().filter(is_early).collect()
    }
}

#[tokio::test]
async fn past_days_of_the_sample_data_never_change_and_look_like_those_of_a_product() {
    let march = "startDate=2025-03-01&endDate=2025-04-01";
    let half = "startDate=2025-01-01&endDate=2025-07-01&interval=day&groupBy=company";
    let early = Demo::starts_on("2025-07-01").await;
    let late = Demo::starts_on("2026-07-01T23:59:59.999Z").await;
    for demo in [&early, &late] {
        let expected = json!({
            "responses": 256, "displays": 778, "dismissed": 109, "promoters": 113, "passives": 84,
            "detractors": 59, "nps": 21.09375, "frequency": [2, 4, 5, 8, 5, 12, 23, 28, 56, 55, 58],
        });
        assert_eq!(demo.figures(march).await, [expected]);
    }
    assert_eq!(early.figures(half).await, late.figures(half).await);
    assert_eq!(early.early_users().await, late.early_users().await);
    let last_days = "startDate=2026-06-30&endDate=2026-07-02&interval=day";
    let displays: Vec<_> = late.figures(last_days).await;
    assert!(displays[0]["displays"].as_u64() > Some(0), "{displays:?}");
    assert_eq!(displays[1]["displays"], 0, "today has not ended");
    assert_figures_look_real(&late).await;
    assert_users_look_real(&late).await;
}

/// Checks that the months have figures like those of a product, of two campaigns.
async fn assert_figures_look_real(demo: &Demo) {
    let range = |value: &Value, from: f64, to: f64| {
        let value = value.as_f64().unwrap();
        assert!((from..=to).contains(&value), "{value}");
    };
    let months = "startDate=2025-01-01&endDate=2026-07-01&interval=month";
    let months = demo.figures(months).await;
    assert_eq!(months.len(), 18);
    for month in &months {
        range(&month["nps"], 15.0, 50.0);
        range(&month["displays"], 640.0, 840.0);
    }
    let campaigns = "startDate=2025-01-01&groupBy=user.traits.string.survey.campaign";
    assert_eq!(demo.figures(campaigns).await.len(), 2);
}

/// Checks that each person belongs to one half-year, and has an address of its own.
async fn assert_users_look_real(demo: &Demo) {
    let users = demo.early_users().await;
    assert!(users.len() > 1_500, "{}", users.len());
    let text = |user: &Value, name: &str| user[name].as_str().unwrap().to_owned();
    for user in &users {
        assert!(text(user, "created").as_str() >= "2025-01-01", "{user}");
        assert!(text(user, "lastSeen").as_str() < "2025-07-01", "{user}");
        assert!(text(user, "email").ends_with("@example.com"), "{user}");
        assert!(text(user, "name").contains(' '), "{user}");
    }
    let addresses = users.iter().map(|user| text(user, "email"));
    let distinct: std::collections::BTreeSet<_> = addresses.collect();
    assert_eq!(distinct.len(), users.len());
}
