//! `/openapi.yaml`, the description of the API.

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
async fn programs_of_any_origin_may_read_the_description_and_keep_it_for_ten_minutes() {
    let reply = Api::shared().get("/openapi.yaml", &[]).await;
    for (header, value) in [
        ("cache-control", "max-age=600"),
        ("access-control-allow-origin", "*"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(reply.header(header), Some(value), "{header}");
    }
    let policy = reply.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn every_operator_is_documented_with_its_types_and_offered_by_the_page() {
    let openapi = include_str!("../docs/openapi.yaml");
    let contract = include_str!("../docs/CONTRACT.md");
    let page = include_str!("../crates/cli/src/page/model/question.js");
    for kind in TraitType::ALL {
        let operators = Operator::ALL.iter();
        let of_type = operators.filter(|operator| operator.types().contains(kind));
        let names: Vec<_> = of_type.map(ToString::to_string).collect();
        let pattern = format!("({}):", names.join("|"));
        let in_prose = format!("`{}`", names.join("`, `"));
        let prose = openapi.split_whitespace().collect::<Vec<_>>().join(" ");
        for (text, part) in [(openapi, pattern), (&*prose, in_prose)] {
            assert!(text.contains(&part), "docs/openapi.yaml lacks {part}");
        }
        let row = format!("| `{kind}`");
        let rows = contract.lines().filter(|line| line.starts_with(&row));
        let rows: String = rows.collect();
        for name in &names {
            let has_it = rows.contains(&format!("`{name}`"));
            assert!(has_it, "docs/CONTRACT.md lacks {name} of a {kind}");
        }
        let (_, offered) = page.split_once(&format!("\n  {kind}: {{")).unwrap();
        let (offered, _) = offered.split_once('}').unwrap();
        let offered = offered.split(',').filter_map(|one| one.split_once(':'));
        let offered: Vec<_> = offered.map(|(name, _)| name.trim()).collect();
        let of_page = "question.js of the page has the operators of a";
        assert_eq!(offered, names, "{of_page} {kind}");
    }
}
