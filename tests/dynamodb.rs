//! The embedded store's address, a DynamoDB endpoint that programs can use and web pages cannot.

use crate::support::{Api, STATISTICS, new_project, service, shard_of};

#[tokio::test]
async fn requests_of_web_pages_are_refused() {
    let store = Api::at(service().dynamodb_address());
    let port = service().dynamodb_address().port();
    assert_eq!(store.get("/", &[]).await.status, 200);
    for host in [
        "localhost",
        "LOCALHOST",
        "host.docker.internal",
        "127.0.0.1",
        "172.17.0.1",
        "[::1]",
        "192.168.0.7",
    ] {
        assert_eq!(
            store.get("/", &[("Host", host)]).await.status,
            200,
            "{host}"
        );
        assert_eq!(
            store
                .get("/", &[("Host", &format!("{host}:{port}"))])
                .await
                .status,
            200,
            "{host}"
        );
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "host.docker.internal.evil.example",
        "evil.docker.internal",
        "127.0.0.1.evil.example",
        "evil.example:8000",
        "",
        "1",
        ":8000",
    ] {
        let reply = store.get("/", &[("Host", host)]).await;
        assert_eq!(reply.status, 403, "{host}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    for origin in ["http://evil.example", "http://localhost:3000", "null"] {
        for method in ["GET", "POST", "OPTIONS"] {
            let reply = store
                .send(method.parse().unwrap(), "/", &[("Origin", origin)])
                .await;
            assert_eq!(reply.status, 403, "{method} {origin}");
            assert_eq!(
                reply.header("access-control-allow-origin"),
                None,
                "{method} {origin}"
            );
        }
    }
}

#[tokio::test]
async fn every_demo_record_is_in_the_shard_that_its_id_determines() {
    let project = new_project().await;
    let mut pages = project
        .dynamodb
        .scan()
        .table_name("responses")
        .into_paginator()
        .items()
        .send();
    let mut records = 0;
    while let Some(item) = pages.next().await {
        let item = item.unwrap();
        let (shard, at) = (item["shard"].as_s().unwrap(), item["at"].as_s().unwrap());
        if let Some(shard) = shard.strip_prefix("demo#") {
            assert_eq!(
                shard,
                shard_of(at.split_once('#').unwrap().1).to_string(),
                "{at}"
            );
            records += 1;
        }
    }
    let figures = "project=demo&startDate=2024-12-01&endDate=2025-04-01";
    let key = [("AuthKey", "demo-read-key-0000")];
    let figures = Api::shared()
        .get(&format!("{STATISTICS}?{figures}"), &key)
        .await;
    assert_eq!(records, figures.figures()["displays"]);
}
