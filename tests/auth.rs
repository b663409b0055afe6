//! Who may ask (contract, section 2).

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Api, Project, STATISTICS, USERS, basic, service, status};

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[tokio::test]
async fn an_account_opens_users_with_basic_and_with_bearer() {
    let project = Project::new().await;
    let target = project.target(USERS);
    let (name, password) = (&project.username, &project.password);
    let encoded = basic(name, password);
    for authorization in [
        encoded.as_str(),
        &encoded.replace("Basic", "bAsIc"),
        &encoded.replace("Basic ", "Basic   "),
        &bearer(password),
        &bearer(password).replace("Bearer", "BEARER"),
    ] {
        assert_eq!(
            status(&target, &[("Authorization", authorization)]).await,
            200,
            "{authorization}"
        );
    }
}

#[tokio::test]
async fn a_read_key_opens_statistics_in_its_header_and_as_the_username_of_basic() {
    let project = Project::new().await;
    let target = project.target(STATISTICS);
    let key = &project.read_key;
    assert_eq!(status(&target, &[("AuthKey", key)]).await, 200);
    for password in ["None", "", "a:b"] {
        assert_eq!(
            status(&target, &[("Authorization", &basic(key, password))]).await,
            200,
            "{password:?}"
        );
    }
    assert_eq!(
        status(&target, &[("Authorization", &bearer(key))]).await,
        401
    );
}

#[tokio::test]
async fn header_names_count_in_any_case_as_they_are_sent() {
    let project = Project::new().await;
    let account = basic(&project.username, &project.password);
    for (path, header) in [
        (STATISTICS, format!("AuthKey: {}", project.read_key)),
        (STATISTICS, format!("authkey: {}", project.read_key)),
        (STATISTICS, format!("Authkey: {}", project.read_key)),
        (STATISTICS, format!("AUTHKEY:{}", project.read_key)),
        (STATISTICS, format!("aUtHkEy:   {}  ", project.read_key)),
        (USERS, format!("Authorization: {account}")),
        (USERS, format!("AUTHORIZATION: {account}")),
        (USERS, format!("authorization: {account}")),
    ] {
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: localhost\r\n{header}\r\nConnection: close\r\n\r\n",
            project.target(path)
        );
        let mut stream = tokio::net::TcpStream::connect(service().api_address())
            .await
            .unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{header}: {answer}");
    }
}

#[tokio::test]
async fn absent_malformed_unknown_and_revoked_credentials_get_one_and_the_same_answer() {
    let project = Project::new().await;
    project.add_read_key("a revoked read key").await;
    project.revoke("a revoked read key").await;
    project
        .add_account("a revoked password", "someone", &[&project.id])
        .await;
    project.revoke("a revoked password").await;
    let encoded = |text: &[u8]| {
        format!(
            "Basic {}",
            base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text)
        )
    };
    let without_colon = encoded(b"no colon");
    let not_utf8 = encoded(b"user\xff:password");
    let statistics = [
        None,
        Some(("AuthKey", "")),
        Some(("AuthKey", "unknown")),
        Some(("AuthKey", "a revoked read key")),
        Some(("AuthKey", &project.password)),
        Some(("Authorization", "Basic")),
        Some(("Authorization", "Basic !!!!")),
        Some(("Authorization", &without_colon)),
    ];
    let users = [
        None,
        Some(("AuthKey", project.read_key.as_str())),
        Some(("Authorization", "")),
        Some(("Authorization", "Basic")),
        Some(("Authorization", "Basic ")),
        Some(("Authorization", "Basic ????")),
        Some(("Authorization", "Bearer ")),
        Some(("Authorization", "Digest username=\"someone\"")),
        Some(("Authorization", &without_colon)),
        Some(("Authorization", &not_utf8)),
        Some(("Authorization", &project.password)),
    ];
    let own = |text: String| ("Authorization", text);
    let users_too = [
        own(basic(&project.username, "unknown")),
        own(basic(&project.username, "")),
        own(basic("someone else", &project.password)),
        own(basic("", &project.password)),
        own(basic(&project.username, &project.read_key)),
        own(basic(&project.read_key, "None")),
        own(basic("someone", "a revoked password")),
        own(bearer(&project.read_key)),
        own(bearer("unknown")),
    ];
    let users_too = users_too
        .iter()
        .map(|(name, value)| Some((*name, value.as_str())));
    for (path, challenge, headers) in [
        (
            STATISTICS,
            r#"AuthKey realm="survey-feedback""#,
            statistics.to_vec(),
        ),
        (
            USERS,
            r#"Basic realm="survey-feedback", charset="UTF-8""#,
            users.into_iter().chain(users_too).collect(),
        ),
    ] {
        let mut bodies = std::collections::BTreeSet::new();
        for header in headers {
            let reply = Api::shared()
                .get(&project.target(path), header.as_slice())
                .await;
            assert_eq!(reply.code(401), "unauthenticated", "{header:?}");
            assert_eq!(
                reply.header("www-authenticate"),
                Some(challenge),
                "{header:?}"
            );
            bodies.insert(reply.text().replace(reply.request_id(), "ID"));
        }
        assert_eq!(bodies.len(), 1, "{bodies:?}");
    }
}

#[tokio::test]
async fn a_password_may_contain_colons_and_a_username_any_utf8() {
    let project = Project::new().await;
    project
        .add_account(":pass:wörd:of:colons", "Jürgen", &[&project.id])
        .await;
    let account = basic("Jürgen", ":pass:wörd:of:colons");
    assert_eq!(
        status(&project.target(USERS), &[("Authorization", &account)]).await,
        200
    );
}

#[tokio::test]
async fn of_several_credentials_the_operations_own_scheme_counts() {
    let project = Project::new().await;
    let (key, account) = (
        project.read_key.as_str(),
        basic(&project.username, &project.password),
    );
    let as_username = basic(key, "None");
    let token = bearer(&project.password);
    let statistics = project.target(STATISTICS);
    assert_eq!(
        status(
            &statistics,
            &[("AuthKey", key), ("Authorization", &account)]
        )
        .await,
        200
    );
    assert_eq!(
        status(
            &statistics,
            &[("AuthKey", "wrong"), ("Authorization", &as_username)]
        )
        .await,
        401
    );
    let users = project.target(USERS);
    let wrong = basic(&project.username, "wrong");
    assert_eq!(
        status(&users, &[("Authorization", &account), ("AuthKey", "wrong")]).await,
        200
    );
    assert_eq!(
        status(
            &users,
            &[
                ("Authorization", "Bearer wrong"),
                ("Authorization", &account)
            ]
        )
        .await,
        200
    );
    assert_eq!(
        status(
            &users,
            &[("Authorization", &token), ("Authorization", &wrong)]
        )
        .await,
        401
    );
    // Of two of one scheme nobody can say which one counts.
    assert_eq!(
        status(
            &users,
            &[("Authorization", &account), ("Authorization", &wrong)]
        )
        .await,
        401
    );
    assert_eq!(
        status(&statistics, &[("AuthKey", key), ("AuthKey", "wrong")]).await,
        401
    );
}

#[tokio::test]
async fn valid_credentials_of_another_project_are_forbidden_whether_or_not_it_exists() {
    let (own, other) = (Project::new().await, Project::new().await);
    let account = basic(&own.username, &own.password);
    for project in [other.id.as_str(), "does-not-exist"] {
        let headers = [
            ("AuthKey", own.read_key.as_str()),
            ("Authorization", &account),
        ];
        for path in [STATISTICS, USERS] {
            let reply = Api::shared()
                .get(&format!("{path}?project={project}"), &headers)
                .await;
            assert_eq!(reply.code(403), "forbidden", "{path} {project}");
        }
    }
}
