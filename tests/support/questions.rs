//! Tables of questions with their answers, asked of the handlers within this process.

use std::panic::AssertUnwindSafe;

use bytes::BytesMut;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde_json::Value;
use service::App;
use service::Call;
use service::response::Response;

use super::{Operation, Reply, STATISTICS, USERS, basic, call, sha256};

/// Asks with valid credentials. The query follows that of the project `p`, unless it begins with `?`.
pub(crate) async fn ask(app: &App, operation: Operation, query: &str) -> Reply {
    handle(app, operation, question(operation, query)).await
}

/// Asks as [`ask`] does. Also returns how many items were read, and how many of them were skipped or
/// returned with a default.
pub(crate) async fn ask_counting(
    app: &App,
    operation: Operation,
    query: &str,
) -> (Reply, [u64; 2]) {
    let call = question(operation, query);
    let usage = call.usage.clone();
    let reply = handle(app, operation, call).await;
    let totals = usage.totals();
    (reply, [totals.records, totals.skipped + totals.defaulted])
}

/// Asks as [`ask`] does, and does not read the response.
pub(crate) async fn respond(app: &App, operation: Operation, query: &str) -> Response {
    respond_to(app, operation, question(operation, query)).await
}

/// Makes the call of a question.
pub(crate) fn question(operation: Operation, query: &str) -> Call {
    let query = match query.strip_prefix('?') {
        Some(whole) => whole.to_owned(),
        None => format!("project=p&{query}"),
    };
    let request = |path| http::Request::get(format!("{path}?{query}"));
    call(match operation {
        Operation::Users => request(USERS).header("Authorization", basic("u", "any")),
        Operation::Statistics => request(STATISTICS).header("AuthKey", "any key"),
    })
}

/// Handles a call, and reads the whole response.
pub(crate) async fn handle(app: &App, operation: Operation, call: Call) -> Reply {
    let (reply, end) = read_to_end(respond_to(app, operation, call).await).await;
    assert_eq!(end, End::Whole, "{reply:?}");
    reply
}

/// Handles a call.
pub(crate) async fn respond_to(app: &App, operation: Operation, call: Call) -> Response {
    match operation {
        Operation::Users => users::handle(call, app).await,
        Operation::Statistics => response_statistics::handle(call, app).await,
    }
}

/// How the body of a response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    /// The stream reports a failure.
    Failed,
    /// The stream panics, which ends the connection of a server.
    Panicked,
}

/// Reads a response, however it ends.
pub(crate) async fn read_to_end(response: Response) -> (Reply, End) {
    let (head, mut content) = response.into_parts();
    let mut body = BytesMut::new();
    let mut next = async || AssertUnwindSafe(content.frame()).catch_unwind().await;
    let end = loop {
        match next().await {
            Ok(None) => break End::Whole,
            Ok(Some(Ok(frame))) => body.extend_from_slice(&frame.into_data().unwrap()),
            Ok(Some(Err(_))) => break End::Failed,
            Err(_) => break End::Panicked,
        }
    };
    let reply = Reply {
        status: head.status,
        headers: head.headers,
        body: body.freeze(),
    };
    (reply, end)
}

/// Checks a table, each line of which is `QUERY | ANSWER` or `QUERY | ANSWER | DETAIL`.
///
/// - The query is as for [`ask`]. `{a b}` in it stands for a line with `a` and one with `b`, and a part
///   `@TYPE.NAME OPERATOR VALUE` for the two parameters of a filter.
/// - The answer is the number of displays of the first element, or the ids of users, or `none` without
///   either; or the problems of a 400, such as `invalid startDate, missing @TYPE.NAME[value]`; or status, code and
///   perhaps parameter of another error.
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

/// Asks for statistics that are not refused; returns the attributes of each element.
pub(crate) async fn elements(app: &App, query: &str) -> Vec<Value> {
    ask(app, Operation::Statistics, query).await.elements()
}

/// Checks a table of instants. A line has the values of a parameter, of `timezone`, `startDate` and `endDate`, and
/// perhaps more of the query; the next one has the instants that the elements then show, as `shown`
/// says. Instants may lack `:00.000`.
pub(crate) async fn check_instants(
    app: &App,
    parameter: &str,
    shown: impl Fn(&[Value]) -> Vec<Value>,
    table: &str,
) {
    let lines: Vec<_> = table.trim().lines().map(str::trim).collect();
    for pair in lines.chunks(2) {
        let words: Vec<_> = pair[0].split(' ').collect();
        let [value, zone, start, end]: [&str; 4] = words[..4].try_into().unwrap();
        let rest = words.get(4).copied().unwrap_or_default();
        let query =
            format!("{parameter}={value}&timezone={zone}&startDate={start}&endDate={end}{rest}");
        let whole = |instant: &str| match instant.find('.') {
            Some(_) => instant.to_owned(),
            None => format!("{}:00.000{}", &instant[..16], &instant[16..]),
        };
        let expected: Vec<_> = pair[1].split(' ').map(whole).collect();
        assert_eq!(shown(&elements(app, &query).await), expected, "{query}");
    }
}

/// Checks a table of ids. A line has a query, and the next one what the id of each element is derived from, with
/// ` ; ` between elements (contract, appendix).
pub(crate) async fn check_ids(app: &App, table: &str) {
    let lines: Vec<_> = table.trim().lines().map(str::trim).collect();
    for pair in lines.chunks(2) {
        for query in queries(pair[0]) {
            let reply = ask(app, Operation::Statistics, &query).await;
            let data = reply.json()["data"].as_array().unwrap().clone();
            let found: Vec<_> = data.iter().map(|element| element["id"].clone()).collect();
            let derived = pair[1]
                .split(" ; ")
                .map(|text| sha256(text)[..24].to_owned());
            assert_eq!(found, derived.collect::<Vec<_>>(), "{query}");
        }
    }
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
        return vec![expanded(cell)];
    };
    let words = words.split(' ');
    words
        .flat_map(|word| queries(&format!("{before}{word}{after}")))
        .collect()
}

/// Writes the filters of a query that begin with `@` in full.
pub(crate) fn expanded(query: &str) -> String {
    query
        .split('&')
        .map(parameters)
        .collect::<Vec<_>>()
        .join("&")
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
        let users = document["users"].as_array().into_iter().flatten();
        let ids: Vec<_> = users.filter_map(|user| user["userId"].as_str()).collect();
        return match displays {
            Some(displays) => displays.to_string(),
            None if ids.is_empty() => "none".to_owned(),
            None => ids.join(" "),
        };
    };
    let problem = |error: &Value| {
        let code = error["code"].as_str().unwrap();
        let parameter = error["source"]["parameter"].as_str().unwrap_or_default();
        match (reply.status.as_u16(), code.strip_suffix("_parameter")) {
            (400, Some(problem)) => format!("{problem} {parameter}"),
            (status, _) => format!("{status} {code} {parameter}"),
        }
    };
    errors.iter().map(problem).collect::<Vec<_>>().join(", ")
}
