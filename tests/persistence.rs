//! `--data`: a folder keeps what is written into it.

use feedback::commands::serve::Options;

use crate::support::{Api, basic, options, start};

fn with_data(folder: &std::path::Path) -> Options {
    Options {
        data: Some(folder.to_owned()),
        ..options()
    }
}

#[tokio::test]
async fn the_demo_project_is_written_into_a_folder_only_on_request_and_once() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("is/created/when missing");
    let demo = async |options: &Options| {
        let service = start(options).await;
        let api = Api::at(service.api_address());
        let statistics =
            "/api/v2/response-statistics?project=demo&startDate=2025-03-01&endDate=2025-04-01";
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
    let without = with_data(&folder);
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
            778,
            "written once, however often it is requested"
        );
        assert_eq!(users.user_ids().len(), 1912);
    }
}
