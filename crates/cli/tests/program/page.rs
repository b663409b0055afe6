//! The page of figures that `feedback serve` shows at `/`.

use std::path::{Path, PathBuf};

use crate::http::get;
use crate::process::Served;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Returns the head and the body of a response.
fn fetch(address: &str, target: &str) -> (String, String) {
    let response = get(address, target, "Accept: */*");
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    (head.to_owned() + "\r\n", body.to_owned())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page")
}

/// Returns the names of the files that the page is made of, as its folder has them beside the code.
fn files() -> Vec<String> {
    let mut pending = vec![folder()];
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).unwrap();
            pending.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .is_some_and(|kind| kind != "md" && kind != "rs")
        {
            let name = path.strip_prefix(folder()).unwrap();
            found.push(name.to_str().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn every_file_is_served_with_its_type_and_headers_that_keep_the_page_to_itself() {
    let served = Served::without_records("");
    let mut size = 0;
    let names = files();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let target = match name.as_str() {
            "index.html" => "/".to_owned(),
            name => format!("/dashboard/{name}"),
        };
        let (head, body) = fetch(&served.api, &target);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{name}");
        let kind = match name.rsplit('.').next().unwrap() {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "svg" => "image/svg+xml",
            other => panic!("{other}"),
        };
        for line in [
            &*format!("content-type: {kind}"),
            &format!("content-security-policy: {POLICY}"),
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "cache-control: no-cache",
        ] {
            assert!(head.contains(&format!("\r\n{line}\r\n")), "{name}: {head}");
        }
        assert!(!head.contains("access-control-allow-origin"), "{name}");
        assert!(head.contains("\r\nx-request-id: "), "{name}");
        size += body.len();
    }
    assert!(size <= 205_000, "{size} bytes");
}

#[test]
fn the_page_loads_every_module_at_once_and_nothing_from_elsewhere() {
    let (_, page) = fetch(&Served::without_records("").api, "/");
    for name in files().iter().filter(|name| *name != "index.html") {
        assert!(page.contains(&format!("\"dashboard/{name}\"")), "{name}");
    }
    assert!(!page.contains("://"), "{page}");
}

#[test]
fn the_path_of_the_folder_is_told_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::with_data(folder.path());
    let (_, settings) = fetch(&served.api, "/dashboard/settings.json");
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["data"], "DIR");
    assert!(settings["project"].is_null(), "nothing is suggested");
}
