//! The program and the functions over another implementation of DynamoDB than the embedded one:
//! `tests/second_store/over_moto` runs these over moto.

mod session;

use serde_json::json;

use self::session::{KEY, PASSWORD, Session};
use crate::support::{Operation, service};

/// Returns the URLs of the embedded store and of the other one.
fn stores() -> [String; 2] {
    let embedded = format!("http://{}", service().dynamodb_address().unwrap());
    [embedded, std::env::var("OTHER_DYNAMODB").unwrap()]
}

/// The records of the project, of which a shard and the users need several pages.
const RECORDS: usize = 240;

/// Returns responses as they are imported: rated, dismissed and pending ones.
fn responses() -> String {
    let padding = "x".repeat(80_000);
    let response = |id: usize| {
        let (month, day) = (1 + id % 3, 1 + id % 28);
        let plan = if id.is_multiple_of(2) { "free" } else { "pro" };
        let traits = json!({"plan": plan, "seats": id % 7, "trial": id.is_multiple_of(3), "padding": padding});
        let user = json!({"userId": format!("u{:03}", id % 90), "email": format!("u{}@example.com", id % 90), "traits": traits});
        let created = format!("2026-{month:02}-{day:02}T08:30:00.000Z");
        let mut response = json!({"id": format!("r{id}"), "created": created, "dismissed": id.is_multiple_of(5), "user": user});
        if id % 5 > 1 {
            response["rating"] = json!(id % 11);
        }
        format!("{response}\n")
    };
    (0..RECORDS).map(response).collect()
}

/// Sends the requests that both functions answer about the project.
async fn request_everything(session: &mut Session) {
    let key = ("AuthKey", KEY);
    let period = "project=second&startDate=2026-01-01&endDate=2026-04-01";
    let mut statistics = session.function(Operation::Statistics);
    for query in [
        period,
        "project=second&startDate=2026-02-10T00:00:00.000Z&endDate=2026-04-01",
        &format!("{period}&interval=week&timezone=America/New_York&groupBy=plan&confidence=95"),
        &format!("{period}&filter=seats=number.gte:4"),
        &format!("{period}&filter=trial=boolean.eq:true"),
        "project=another&startDate=2026-01-01&endDate=2026-04-01",
        "project=second&startDate=never&endDate=2026-04-01",
    ] {
        session.request(&mut statistics, &key, query).await;
    }
    let password = ("AuthKey", PASSWORD);
    session.request(&mut statistics, &password, period).await;
    let password = crate::support::basic("reports", PASSWORD);
    let password = ("Authorization", password.as_str());
    let mut users = session.function(Operation::Users);
    let queries =
        "project=second project=second&userId=u007 project=second&limit=7 project=another";
    for query in queries.split(' ') {
        session.request(&mut users, &password, query).await;
    }
}

/// Exports, which have the records in the order of their keys.
fn export_everything(session: &mut Session) {
    for kind in ["responses", "users"] {
        session.run(&format!("export {kind} --project second"), "");
    }
}

/// Imports, requests, exports, erases and revokes. Returns what every step printed or answered.
async fn transcript(endpoint: String) -> Vec<(String, String)> {
    let mut session = Session::over(endpoint);
    session.run("tables create", "");
    let create = "credentials create --project second --may statistics --label key --secret-stdin";
    session.run(create, KEY);
    session.run(create, KEY);
    let create = "credentials create --project second --project another --may users,statistics --username reports --secret-stdin";
    session.run(create, PASSWORD);
    session.run(create, PASSWORD);
    let responses = responses();
    session.run("import responses - --project second", &responses);
    request_everything(&mut session).await;
    export_everything(&mut session);
    session.run("check --project second", "");
    session.run("import responses - --project second", &responses);
    let corrected = r#"{"id":"r1","created":"2026-02-02T08:30:00.000Z","rating":3,"user":{"userId":"u001","traits":{"plan":"team","seats":1e2}}}"#;
    session.run("import responses - --project second", corrected);
    let users = r#"{"userId":"u002","name":"Two","traits":{"seats":-0.50}}
{"userId":""}"#;
    session.run("import users - --project second", users);
    session.run("erase --project second --user-id u007 --yes", "");
    request_everything(&mut session).await;
    export_everything(&mut session);
    session.run("credentials list --project second", "");
    session.run("erase --project second --all --yes", "");
    session.run("credentials list --project another", "");
    // New processes, which have not verified the key.
    request_everything(&mut session).await;
    export_everything(&mut session);
    session.steps
}

#[tokio::test]
#[ignore = "needs another implementation of DynamoDB, empty, at OTHER_DYNAMODB"]
async fn the_program_and_the_functions_print_and_answer_the_same_in_another_store() {
    let [embedded, other] = stores();
    let (ours, theirs) = (transcript(embedded).await, transcript(other).await);
    // A store that takes long makes an import say how far it is.
    let is_progress = |line: &&str| {
        let is_count = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        line.contains("records read; then users")
            || line.ends_with(" left")
            || line.strip_suffix(" records").is_some_and(is_count)
    };
    let without_progress = |text: &str| -> String {
        let lines = text.lines().filter(|line| !is_progress(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    };
    for ((step, ours), (_, theirs)) in ours.iter().zip(&theirs) {
        let [ours, theirs] = [ours, theirs].map(|text| without_progress(text));
        let mut lines = ours.lines().zip(theirs.lines());
        let differing = lines.find(|(ours, theirs)| ours != theirs);
        let [our, their] = differing.map_or(["", ""], |(ours, theirs)| [ours, theirs]);
        assert!(ours == theirs, "{step}\n{our:.1000}\n{their:.1000}");
    }
    assert_eq!(ours.len(), theirs.len());
    let said = |text: &str| {
        let outputs = ours.iter().filter(|(_, output)| output.contains(text));
        outputs.count()
    };
    // Each of the three times that the functions are asked, and the exports. The figures are asked for with the
    // Read Key and with the password, before and after the erasure of a person.
    assert_eq!(said(&format!(r#""displays":{RECORDS},"#)), 2 + 2);
    assert_eq!(said("240 exported, 0 damaged"), 2);
    assert_eq!(said("89 exported, 0 damaged"), 1);
    assert_eq!(said("0 exported, 0 damaged"), 2 + 2 + 1);
    eprintln!("{} steps are the same", ours.len());
}
