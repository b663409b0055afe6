//! Authentication (contract, section 2). `access_matrix.rs` has who may read what.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{STATISTICS, USERS, basic, new_project, service, status};

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[tokio::test]
async fn an_account_authorizes_users_with_basic_and_with_bearer() {
    let project = new_project().await;
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
async fn a_read_key_authorizes_statistics_in_its_header_as_the_username_of_basic_and_with_bearer() {
    let project = new_project().await;
    let target = project.target(STATISTICS);
    let key = &project.read_key;
    assert_eq!(status(&target, &[("AuthKey", key)]).await, 200);
    for token in [bearer(key), bearer(key).replace("Bearer", "bEARER")] {
        assert_eq!(status(&target, &[("Authorization", &token)]).await, 200);
    }
    for password in ["None", "", "a:b"] {
        assert_eq!(
            status(&target, &[("Authorization", &basic(key, password))]).await,
            200,
            "{password:?}"
        );
    }
}

#[tokio::test]
async fn header_names_are_case_insensitive() {
    let project = new_project().await;
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
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        assert!(
            response.starts_with("HTTP/1.1 200 "),
            "{header}: {response}"
        );
    }
}

#[tokio::test]
async fn a_password_may_contain_colons_and_a_username_any_utf8() {
    let project = new_project().await;
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
async fn the_operations_own_scheme_takes_precedence() {
    let project = new_project().await;
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
}

#[tokio::test]
async fn two_credentials_of_the_same_scheme_are_refused_in_any_order() {
    let project = new_project().await;
    let account = basic(&project.username, &project.password);
    let as_username = basic(&project.read_key, "None");
    let token = bearer(&project.password);
    let (users, statistics) = (project.target(USERS), project.target(STATISTICS));
    for (target, name, valid, wrong) in [
        (&statistics, "AuthKey", project.read_key.as_str(), "wrong"),
        (
            &statistics,
            "Authorization",
            &as_username,
            &basic("wrong", "None"),
        ),
        (
            &users,
            "Authorization",
            &account,
            &basic(&project.username, "wrong"),
        ),
        (&users, "Authorization", &token, &bearer("wrong")),
    ] {
        assert_eq!(status(target, &[(name, valid)]).await, 200, "{valid}");
        for values in [[valid, wrong], [wrong, valid], [valid, valid]] {
            let headers = values.map(|value| (name, value));
            assert_eq!(status(target, &headers).await, 401, "{values:?}");
        }
    }
}
