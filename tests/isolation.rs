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
            let user_id = format!("user {count} of {}", project.id);
            project.put_user(&user_id, &[]).await;
            // The ids are the same in every project.
            let (id, rating) = (format!("record {count}"), [("rating", n(position))]);
            let created = "2026-01-01T00:00:00.000Z";
            project.put_response(created, &id, &rating).await;
        }
    }
    for (position, project) in projects.iter().enumerate() {
        let user_ids = (0..=position).map(|count| format!("user {count} of {}", project.id));
        let users = Api::shared().users(project, "").await;
        assert_eq!(users.user_ids(), user_ids.collect::<Vec<_>>());
        let january = "&endDate=2026-01-02";
        let figures = Api::shared().statistics(project, january).await.figures();
        let mut frequency = vec![0; 11];
        frequency[position] = position + 1;
        assert_eq!(figures["frequency"], json!(frequency), "{}", project.id);
        let other = &projects[(position + 1) % projects.len()];
        let foreign = format!("&userId=user+0+of+{}", other.id);
        let users = Api::shared().users(project, &foreign).await;
        assert_eq!(users.user_ids(), Vec::<String>::new());
    }
}
