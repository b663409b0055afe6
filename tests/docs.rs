//! `openapi.yaml`, and the page that renders it.

use model::{Operator, TraitType};

use crate::support::Api;

#[tokio::test]
async fn openapi_yaml_is_served_as_it_is_in_the_repository() {
    let reply = Api::shared().get("/openapi.yaml", &[]).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.text(), include_str!("../docs/openapi.yaml"));
    assert_eq!(reply.header("content-type"), Some("application/yaml"));
    let version = format!("\n  version: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(reply.text().contains(&version));
}

#[tokio::test]
async fn the_page_and_everything_it_loads_are_served_without_a_network() {
    let page = Api::shared().get("/docs/", &[]).await;
    assert_eq!(page.status, 200);
    let html = Some("text/html; charset=utf-8");
    assert_eq!(page.header("content-type"), html);
    assert!(!page.text().contains("<script"), "it is text");
    let links = page.text().split(['"']);
    // Behind a proxy, the page may be below a path.
    let links: Vec<_> = links.filter_map(|link| link.strip_prefix("../")).collect();
    assert!(links.len() >= 5, "{links:?}");
    for link in links {
        let reply = Api::shared().get(&format!("/{link}"), &[]).await;
        assert_eq!(reply.status, 200, "{link}");
        assert!(!reply.body.is_empty(), "{link}");
    }
    for absolute in ["href=\"/", "src=\"/", "href=\"http"] {
        assert!(!page.text().contains(absolute), "{absolute}");
    }
}

#[tokio::test]
async fn the_path_without_a_slash_redirects_and_any_other_path_is_not_found() {
    let reply = Api::shared().get("/docs", &[]).await;
    assert_eq!(reply.status, 308);
    assert_eq!(reply.header("location"), Some("docs/"));
    let unknown = "/docs/../Cargo.toml /docs/no-such-file /docs/a/b /docs/%ff";
    for target in unknown.split(' ') {
        let reply = Api::shared().get(target, &[]).await;
        assert_eq!(reply.code(404), "not_found", "{target}");
    }
}

#[tokio::test]
async fn programs_of_any_origin_may_read_the_description_and_keep_it_for_ten_minutes() {
    for (target, caching, origin) in [
        ("/openapi.yaml", "max-age=600", Some("*")),
        ("/docs", "no-cache", None),
        ("/docs/", "no-cache", None),
    ] {
        let reply = Api::shared().get(target, &[]).await;
        assert_eq!(reply.header("cache-control"), Some(caching), "{target}");
        assert_eq!(reply.header("access-control-allow-origin"), origin);
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[test]
fn every_operator_is_documented_with_its_types() {
    let openapi = include_str!("../docs/openapi.yaml");
    let contract = include_str!("../docs/CONTRACT.md");
    for kind in TraitType::ALL {
        let operators = Operator::ALL.iter();
        let of_type = operators.filter(|operator| operator.types().contains(kind));
        let names: Vec<_> = of_type.map(ToString::to_string).collect();
        let pattern = format!("({}):", names.join("|"));
        assert!(openapi.contains(&pattern), "{pattern}");
        let prose = format!("`{}`", names.join("`, `"));
        let openapi = openapi.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(openapi.contains(&prose), "{prose}");
        let row = format!("| `{kind}`");
        let rows = contract.lines().filter(|line| line.starts_with(&row));
        let rows: String = rows.collect();
        for name in names {
            assert!(rows.contains(&format!("`{name}`")), "{kind} {name}");
        }
    }
}
