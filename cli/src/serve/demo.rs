//! The demo project: real ratings (cli/demo/README.md), and users derived from them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use shared::model::{
    Account, Credential, Outcome, ProjectId, Rating, ReadKey, ResponseRecord, Secret, Timestamp,
    Traits, User, UserId,
};
use shared::store::{NewItem, Store};

/// The project.
pub(super) const PROJECT: &str = "demo";
/// Its Read Key.
pub(super) const READ_KEY: &str = "demo-read-key-0000";
/// The account that may list its users.
pub(super) const USERNAME: &str = "demo";
/// The account's password.
pub(super) const PASSWORD: &str = "demo-password-0000";

const DATA: &str = include_str!("../../demo/seat-reviews.ndjson");

/// A line of the data.
#[derive(Deserialize)]
struct Line {
    id: String,
    created: Timestamp,
    rating: Option<Rating>,
    dismissed: bool,
    user: LineUser,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LineUser {
    id: String,
    user_id: String,
    traits: Box<RawValue>,
}

/// Writes the demo project, replacing what an earlier start wrote.
pub(super) async fn load(store: &Store) -> Result<(), String> {
    let items = items()
        .map_err(|error| format!("the demo data that this program carries is damaged: {error}"))?;
    store
        .put_all(items)
        .await
        .map_err(|error| format!("the demo project cannot be written: {error}"))
}

type Damage = Box<dyn std::error::Error>;

fn items() -> Result<Vec<NewItem>, Damage> {
    let project: ProjectId = PROJECT.parse()?;
    let mut lines: Vec<Line> = DATA
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    lines.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
    let mut items = credentials(&project).ok_or("no credentials")?;
    for line in &lines {
        items.push(NewItem::response(&record(&project, line)?));
    }
    for user in users(&project, lines)?.values() {
        items.push(NewItem::user(user));
    }
    Ok(items)
}

fn credentials(project: &ProjectId) -> Option<Vec<NewItem>> {
    let (label, created) = (Some("demo"), Timestamp::now());
    let read_key = Credential::ReadKey(ReadKey {
        project: project.clone(),
    });
    let account = Credential::Account(Account {
        username: USERNAME.to_owned(),
        projects: vec![project.clone()],
    });
    Some(vec![
        NewItem::credential(&Secret::new(READ_KEY)?, &read_key, label, created),
        NewItem::credential(&Secret::new(PASSWORD)?, &account, label, created),
    ])
}

fn record(project: &ProjectId, line: &Line) -> Result<ResponseRecord, Damage> {
    let traits: Map<String, Value> = serde_json::from_str(line.user.traits.get())?;
    Ok(ResponseRecord {
        project: project.clone(),
        id: line.id.clone(),
        created: line.created,
        outcome: Outcome::new(line.rating, line.dismissed),
        user_id: Some(line.user.user_id.clone()),
        traits,
    })
}

/// The users of these lines, oldest line first: each was created with the first line and is as the
/// last one says.
fn users(project: &ProjectId, lines: Vec<Line>) -> Result<BTreeMap<String, User>, Damage> {
    let mut users: BTreeMap<String, User> = BTreeMap::new();
    for Line {
        created: seen,
        user: LineUser {
            id,
            user_id,
            traits,
        },
        ..
    } in lines
    {
        let user = User {
            id,
            project: project.clone(),
            user_id: user_id.parse::<UserId>()?,
            last_seen: Some(seen),
            created: users.get(&user_id).map_or(seen, |known| known.created),
            email: None,
            name: None,
            unsubscribed: false,
            traits: Traits::from_json(traits).ok_or("traits that are no object")?,
        };
        users.insert(user_id, user);
    }
    Ok(users)
}
