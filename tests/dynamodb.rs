//! The embedded store's address, a DynamoDB endpoint that programs can use and web pages cannot.

use crate::support::{Api, service};

#[tokio::test]
async fn requests_of_web_pages_are_refused() {
    let address = service().dynamodb_address().unwrap();
    let send = async |method: &str, name: &str, value: &str| {
        let store = Api::at(address);
        let method = method.parse().unwrap();
        let reply = store.send(method, "/", &[(name, value)]).await;
        assert_eq!(reply.header("access-control-allow-origin"), None);
        reply.status.as_u16()
    };
    let local = "localhost LOCALHOST host.docker.internal 127.0.0.1 172.17.0.1 [::1] 192.168.0.7";
    for host in local.split(' ') {
        for host in [host.to_owned(), format!("{host}:{}", address.port())] {
            assert_eq!(send("GET", "Host", &host).await, 404, "{host}");
        }
    }
    let others = "evil.example localhost.evil.example host.docker.internal.evil.example evil.docker.internal \
                  127.0.0.1.evil.example evil.example:8000 1 :8000";
    for host in others.split_whitespace().chain([""]) {
        assert_eq!(send("GET", "Host", host).await, 403, "{host}");
    }
    for origin in ["http://evil.example", "http://localhost:3000", "null"] {
        for method in ["GET", "POST", "OPTIONS"] {
            let status = send(method, "Origin", origin).await;
            assert_eq!(status, 403, "{method} {origin}");
        }
    }
}
