//! Projects with similar names stay apart.

use serde_json::json;

use crate::support::{Api, n, named_project};

#[tokio::test]
async fn projects_with_similar_names_never_leak_into_each_other() {
    let names = ["p", "p1", "p-1", "P", "p_", "p-", "p1-1", "_p"];
    let mut projects = Vec::new();
    for name in names {
        projects.push(named_project(name).await);
    }
    for (position, project) in projects.iter().enumerate() {
        for count in 0..=position {
            project
                .put_user(&format!("user {count} of {}", project.id), &[])
                .await;
            // The ids are the same in every project.
            let rating = n(position);
            project
                .put_response(
                    "2026-01-01T00:00:00.000Z",
                    &format!("record {count}"),
                    &[("rating", rating)],
                )
                .await;
        }
    }
    for (position, project) in projects.iter().enumerate() {
        let expected: Vec<_> = (0..=position)
            .map(|count| format!("user {count} of {}", project.id))
            .collect();
        assert_eq!(Api::shared().users(project, "").await.user_ids(), expected);
        let figures = Api::shared()
            .statistics(project, "&endDate=2026-01-02")
            .await
            .figures();
        let mut frequency = vec![0; 11];
        frequency[position] = position + 1;
        assert_eq!(figures["frequency"], json!(frequency), "{}", project.id);
        let other = &projects[(position + 1) % projects.len()];
        let foreign = format!(
            "/api/users?project={}&userId=user+0+of+{}",
            project.id, other.id
        );
        assert_eq!(
            Api::shared()
                .get_as_account(project, &foreign)
                .await
                .user_ids(),
            Vec::<String>::new()
        );
    }
}
