//! `feedback users`: the pages that it requests.

use std::process::Output;

use axum::Router;
use axum::body::Body;
use axum::http::{Response, Uri};
use serde_json::json;
use test_support::serve;

use crate::outcome::{failed, succeeded};
use crate::process::{feedback, output};

/// Lists the users of a service in which a page has one user, named as its cursor, and these `Link` headers.
fn list(links: fn(&str) -> Vec<String>) -> Output {
    let page = move |uri: Uri| async move {
        let query = uri.query().unwrap_or_default();
        let cursor = query.split_once("cursor=").map_or("first", |(_, it)| it);
        let body = json!({"users": [{"userId": cursor, "unsubscribed": false}]});
        let mut response = Response::builder();
        for link in links(cursor) {
            response = response.header("Link", link);
        }
        response.body(Body::from(body.to_string())).unwrap()
    };
    let url = serve(Router::new().fallback(page));
    let account = [("FEEDBACK_USERNAME", "u"), ("FEEDBACK_PASSWORD", "p")];
    let mut command = feedback(&format!("users --project acme --url {url}"));
    output(command.envs(account))
}

fn link(cursor: &str, rel: &str) -> String {
    format!("</api/users?project=acme&limit=1000&cursor={cursor}>; rel=\"{rel}\"")
}

#[test]
fn only_the_link_to_the_next_page_is_followed() {
    let output = list(|cursor| match cursor {
        "first" => vec![link("wrong", "prev"), link("second,1", "next")],
        "second,1" => vec![link("third", "next")],
        _ => vec![
            format!("{}; title=next", link("wrong", "prev")),
            "</api/users?project=acme&limit=1000&cursor=wrong>".to_owned(),
        ],
    });
    let table = succeeded(&output);
    let names = table.lines().skip(1);
    let names = names.map(|line| line.split(' ').next().unwrap());
    assert!(names.eq(["first", "second,1", "third", "", "3"]), "{table}");
}

#[test]
fn links_that_lead_back_are_an_error() {
    for links in [
        (|_| vec![link("same", "next")]) as fn(&str) -> Vec<String>,
        |cursor| vec![link(if cursor == "a" { "b" } else { "a" }, "next")],
    ] {
        let said = failed(&list(links), 1);
        let reason = "unexpected response: its Link leads to a page again\n";
        let is_clear = said.ends_with(reason) && said.lines().count() == 1;
        assert!(is_clear, "{said}");
    }
}
