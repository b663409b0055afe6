//! The files of pages are compressed for browsers that accept it, and sent to each once.

use http::Method;

use crate::support::{Api, Reply, gunzip};

/// A file of each kind.
fn files() -> impl Iterator<Item = &'static str> {
    "/ /dashboard/main.js /dashboard/styles/content.css /openapi.yaml".split(' ')
}

async fn accepting(target: &str, encoding: &str) -> Reply {
    let accepted = [("Accept-Encoding", encoding)];
    Api::shared().get(target, &accepted).await
}

#[tokio::test]
async fn a_file_is_compressed_for_who_accepts_gzip_and_whole_for_others() {
    for target in files() {
        let plain = Api::shared().get(target, &[]).await;
        assert_eq!(plain.header("content-encoding"), None, "{target}");
        assert_eq!(plain.header("vary"), Some("Accept-Encoding"), "{target}");
        for refused in [
            "",
            "gzip;Q=0",
            "br, gzip; q=0.000",
            "identity",
            "x-gzip",
            "gzip;q=many",
        ] {
            let reply = accepting(target, refused).await;
            assert_eq!(reply.header("content-encoding"), None, "{target} {refused}");
            assert!(reply.body == plain.body, "{target} {refused}");
        }
        for accepted in ["gzip", "br;q=1, GZIP;q=0.5"] {
            let reply = accepting(target, accepted).await;
            assert_eq!(reply.header("content-encoding"), Some("gzip"), "{target}");
            assert_eq!(reply.header("vary"), Some("Accept-Encoding"), "{target}");
            let length = reply.header("content-length").unwrap();
            assert_eq!(length, reply.body.len().to_string(), "{target}");
            assert!(gunzip(&reply.body) == plain.body, "{target}");
            assert!(2 * reply.body.len() < plain.body.len(), "{target}");
        }
    }
}

#[tokio::test]
async fn a_browser_that_has_a_file_is_told_so_without_its_content() {
    let mut tags = std::collections::BTreeSet::new();
    for target in files() {
        let file = Api::shared().get(target, &[]).await;
        let tag = file.header("etag").unwrap().to_owned();
        let compressed = accepting(target, "gzip").await;
        assert_eq!(compressed.header("etag"), Some(&*tag), "{target}");
        let strong = tag.strip_prefix("W/").unwrap();
        let (last, first) = (format!("\"a\", {tag}"), format!("{strong},W/\"b\""));
        for known in [tag.as_str(), strong, &last, &first, "*"] {
            let headers = [("If-None-Match", known), ("Accept-Encoding", "gzip")];
            let reply = Api::shared().get(target, &headers).await;
            assert_eq!(reply.status, 304, "{target} {known}");
            assert!(reply.body.is_empty(), "{target} {known}");
            assert_eq!(reply.header("content-encoding"), None, "{target}");
            for same in ["etag", "vary", "cache-control", "content-security-policy"] {
                assert_eq!(reply.header(same), file.header(same), "{target} {same}");
            }
        }
        let cut = &tag[..tag.len() - 1];
        let longer = format!("{cut}0\"");
        for other in ["\"a\"", "", "W/", cut, strong.trim_matches('"'), &longer] {
            let headers = [("If-None-Match", other), ("Range", "bytes=0-3")];
            let reply = Api::shared().get(target, &headers).await;
            assert_eq!(reply.status, 200, "{target} {other}");
            assert!(reply.body == file.body, "{target} {other}");
        }
        assert!(tags.insert(tag), "{target} has the tag of another");
    }
}

#[tokio::test]
async fn what_changes_or_is_refused_has_no_tag() {
    let any = [("If-None-Match", "*")];
    let settings = Api::shared().get("/dashboard/settings.json", &any).await;
    assert_eq!(settings.status, 200);
    assert_eq!(settings.header("etag"), None);
    let api = Api::shared();
    let head = api.send(Method::HEAD, "/dashboard/main.js", &any).await;
    assert_eq!(head.status, 304);
    let post = api.send(Method::POST, "/dashboard/main.js", &any).await;
    assert_eq!((post.status.as_u16(), post.header("etag")), (405, None));
}
