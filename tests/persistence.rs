//! `--data`: a folder keeps what is written into it.

use feedback::commands::serve::{Options, Service};

use crate::support::{Api, Project, basic, n, options, s};

fn with_data(folder: &std::path::Path) -> Options {
    Options {
        data: Some(folder.to_owned()),
        ..options()
    }
}

#[tokio::test]
async fn items_persist_across_a_restart() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("is/created/when missing");
    let service = Service::start(&with_data(&folder)).await.unwrap();
    let project = Project::at(service.dynamodb_address(), "kept").await;
    project.put_user("one", &[("name", s("One"))]).await;
    project
        .put_response("2026-01-01T00:00:00.000Z", "1", &[("rating", n(9))])
        .await;
    service.stop().await;

    let service = Service::start(&with_data(&folder)).await.unwrap();
    let api = Api::at(service.api_address());
    assert_eq!(api.users(&project, "").await.user_ids(), ["one"]);
    assert_eq!(
        api.statistics(&project, "&endDate=2026-01-02")
            .await
            .figures()["promoters"],
        1
    );
    service.stop().await;
}

#[tokio::test]
async fn the_demo_project_is_written_into_a_folder_only_on_request_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let demo = async |options: &Options| {
        let service = Service::start(options).await.unwrap();
        let api = Api::at(service.api_address());
        let statistics = "/api/v2/response-statistics?project=demo&startDate=2014-08-01";
        let statistics = api
            .get(statistics, &[("AuthKey", "demo-read-key-0000")])
            .await;
        let account = basic("demo", "demo-password-0000");
        let users = api
            .get("/api/users?project=demo", &[("Authorization", &account)])
            .await;
        service.stop().await;
        (statistics, users)
    };
    let without = with_data(folder.path());
    let (statistics, users) = demo(&without).await;
    assert_eq!(
        (statistics.status.as_u16(), users.status.as_u16()),
        (401, 401)
    );
    let with = Options {
        demo: true,
        ..without.clone()
    };
    for options in [&with, &with, &without] {
        let (statistics, users) = demo(options).await;
        assert_eq!(
            statistics.figures()["displays"],
            390,
            "written once, however often it is requested"
        );
        assert_eq!(users.user_ids().len(), 1158);
    }
}

#[tokio::test]
async fn a_folder_in_use_is_refused_until_it_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let first = Service::start(&with_data(folder.path())).await.unwrap();
    let second = Service::start(&with_data(folder.path()))
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        second.ends_with("is in use by another feedback") && !second.contains('\n'),
        "{second}"
    );
    first.stop().await;
    Service::start(&with_data(folder.path()))
        .await
        .unwrap()
        .stop()
        .await;
}
