//! Tables of questions with their answers, asked of the handlers within this process.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::App;
use shared::config::Tables;
use shared::http::Response;
use shared::store::Store;
use test_support::in_process;
use test_support::responses::{Responses, Usage};
use test_support::stub::{Answer, credential};

use super::{Operation, Reply, STATISTICS, USERS, basic, call};

/// Makes the state of the handlers over these records of the project `p`, in the order of their instants.
pub(crate) fn app_of(records: &[(&str, Value)]) -> App {
    let millis = |at: &str| at.parse::<DateTime<Utc>>().unwrap().timestamp_millis();
    let times = records.iter().map(|(at, _)| millis(at)).collect();
    let items = records
        .iter()
        .map(|(_, item)| item.as_object().unwrap().clone());
    let responses = Responses {
        project: "p".to_owned(),
        shards: [times, Vec::new(), Vec::new(), Vec::new()],
        items: items.collect(),
        size: 100,
        indexed_size: 100,
        latency: Duration::ZERO,
        throttles: false,
        usage: Usage::default(),
    };
    let client = Arc::new(responses).client();
    App::new(Store::new(&client, Tables::from_env(), None))
}

/// Makes the state of the handlers over a record for each of these traits, on 1 March 2026, and one without.
pub(crate) fn app_of_traits(traits: impl IntoIterator<Item = Value>) -> App {
    let at = "2026-03-01T12:00:00Z";
    let rated = |traits: Value| (at, json!({"rating": {"N": "9"}, "traits": {"M": traits}}));
    let records = traits.into_iter().map(rated);
    let without = (at, json!({"rating": {"N": "9"}}));
    app_of(&records.chain([without]).collect::<Vec<_>>())
}

/// Makes the state of the handlers over a project `p` without users and records.
pub(crate) fn empty_app() -> App {
    let client = in_process::client(|operation, input| async move {
        match operation.as_str() {
            "GetItem" => Answer::from(credential(&input)),
            _ => Answer::new(r#"{"Items":[],"Count":0}"#),
        }
    });
    App::new(Store::new(&client, Tables::from_env(), None))
}

/// Asks with valid credentials. The query follows that of the project `p`, unless it begins with `?`.
pub(crate) async fn ask(app: &App, operation: Operation, query: &str) -> Reply {
    let query = match query.strip_prefix('?') {
        Some(whole) => whole.to_owned(),
        None => format!("project=p&{query}"),
    };
    let request = |path| http::Request::get(format!("{path}?{query}"));
    reply(match operation {
        Operation::Users => {
            let request = request(USERS).header("Authorization", basic("u", "any"));
            users::handle(call(request), app).await
        }
        Operation::Statistics => {
            let request = request(STATISTICS).header("AuthKey", "any key");
            response_statistics::handle(call(request), app).await
        }
    })
    .await
}

async fn reply(response: Response) -> Reply {
    let (head, body) = response.into_parts();
    Reply {
        status: head.status,
        headers: head.headers,
        body: body.collect().await.unwrap().to_bytes(),
    }
}

/// Checks a table, each line of which is `QUERY | ANSWER` or `QUERY | ANSWER | DETAIL`.
///
/// - The query is as for [`ask`]. `{a b}` in it stands for a line with `a` and one with `b`, and a part
///   `@TYPE.NAME OPERATOR VALUE` for the two parameters of a filter.
/// - The answer is the number of displays of the first element, or `none` without an element; or the
///   problems of a 400, such as `invalid startDate, missing @TYPE.NAME[value]`; or status, code and
///   parameter of another error.
/// - The detail is what that of the first problem contains.
pub(crate) async fn check(app: &App, operation: Operation, table: &str) {
    let mut wrong = Vec::new();
    for line in table.trim().lines() {
        let cells: Vec<_> = line.split(" | ").map(str::trim).collect();
        let (expected, part) = (cells[1], cells.get(2).copied().unwrap_or_default());
        for query in queries(cells[0]) {
            let reply = ask(app, operation, &query).await;
            let detail = reply.json()["errors"][0]["detail"].clone();
            let has_detail = detail.as_str().unwrap_or_default().contains(part);
            if answer(&reply).trim() != spelled(expected) || !has_detail {
                wrong.push(format!(
                    "{query}: not {expected} {part}, but {}",
                    reply.text()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks a table of statistics.
pub(crate) async fn check_statistics(app: &App, table: &str) {
    check(app, Operation::Statistics, table).await;
}

/// Writes the names of parameters that begin with `@` in full.
fn spelled(problems: &str) -> String {
    let word = |word: &str| match word.strip_prefix('@').and_then(|key| key.split_once('[')) {
        Some((name, member)) => format!("filters[user.traits.{name}][{member}"),
        None => word.to_owned(),
    };
    problems.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn queries(cell: &str) -> Vec<String> {
    let braces = cell.split_once('{').and_then(|(before, rest)| {
        let (words, after) = rest.split_once('}')?;
        Some((before, words, after))
    });
    let Some((before, words, after)) = braces else {
        return vec![
            cell.split('&')
                .map(parameters)
                .collect::<Vec<_>>()
                .join("&"),
        ];
    };
    let words = words.split(' ');
    words
        .flat_map(|word| queries(&format!("{before}{word}{after}")))
        .collect()
}

fn parameters(part: &str) -> String {
    let Some(filter) = part.strip_prefix('@') else {
        return part.to_owned();
    };
    let words: Vec<_> = filter.splitn(3, ' ').collect();
    let key = format!("filters[user.traits.{}]", words[0]);
    let value = words.get(2).copied().unwrap_or_default();
    format!("{key}[operator]={}&{key}[value]={value}", words[1])
}

/// Returns the answer as it is written in a table.
pub(crate) fn answer(reply: &Reply) -> String {
    let document = reply.json();
    let Some(errors) = document["errors"].as_array() else {
        let displays = document["data"][0]["attributes"]["displays"].as_u64();
        return displays.map_or("none".to_owned(), |displays| displays.to_string());
    };
    let problem = |error: &Value| {
        let code = error["code"].as_str().unwrap();
        let parameter = error["source"]["parameter"].as_str().unwrap();
        match (reply.status.as_u16(), code.strip_suffix("_parameter")) {
            (400, Some(problem)) => format!("{problem} {parameter}"),
            (status, _) => format!("{status} {code} {parameter}"),
        }
    };
    errors.iter().map(problem).collect::<Vec<_>>().join(", ")
}
