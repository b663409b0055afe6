//! Imports users, merging what records say of them with what is stored.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::{ProjectId, UserId};
use shared::store::{Error, ErrorKind};

use super::attributes::{Item, string};
use super::backoff::Backoff;
use super::item::{user_attributes, user_key};
use super::{AdminStore, IN_FLIGHT, Imported, UserFacts};

/// The facts to import, by user, in the order in which they were read.
type Pending = BTreeMap<UserId, Vec<UserFacts>>;

impl AdminStore {
    /// Creates or updates users with these facts, merged in this order ([`UserFacts::absorb`]).
    pub(crate) async fn import_users(
        &self,
        project: &ProjectId,
        facts: Vec<UserFacts>,
    ) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut pending = Pending::new();
        for facts in facts {
            pending
                .entry(facts.user_id.clone())
                .or_default()
                .push(facts);
        }
        let mut backoff = Backoff::default();
        while !pending.is_empty() {
            let before = pending.len();
            let (done, conflicts) = self.import_users_once(project, pending).await?;
            imported += done;
            pending = conflicts;
            if !pending.is_empty() {
                let progress = pending.len() < before;
                backoff.pause("import users", progress).await?;
            }
        }
        Ok(imported)
    }

    /// Returns what it imported, and the users that another program changed between reading and
    /// writing.
    async fn import_users_once(
        &self,
        project: &ProjectId,
        pending: Pending,
    ) -> Result<(Imported, Pending), Error> {
        let keys = pending.keys().map(|user_id| user_key(project, user_id));
        let stored = self.get_all(&self.tables.users, keys.collect()).await?;
        let mut stored: HashMap<String, Item> = stored
            .into_iter()
            .filter_map(|item| Some((string(&item, "userId")?, item)))
            .collect();
        let users: Vec<_> = pending
            .into_iter()
            .map(|(user_id, facts)| {
                let before = stored.remove(user_id.as_str()).unwrap_or_default();
                (user_id, facts, before)
            })
            .collect();
        let outcomes: Vec<_> = stream::iter(users)
            .map(async |(user_id, facts, before)| {
                let outcome = self.import_user(project, &user_id, &facts, &before).await?;
                Ok::<_, Error>((outcome, user_id, facts))
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await?;
        let (mut imported, mut conflicts) = (Imported::default(), Pending::new());
        for (outcome, user_id, facts) in outcomes {
            match outcome {
                Some(outcome) => imported += outcome,
                None => drop(conflicts.insert(user_id, facts)),
            }
        }
        Ok((imported, conflicts))
    }

    /// Returns `None` if another program changed the user after `stored` was read.
    async fn import_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
        facts: &[UserFacts],
        stored: &Item,
    ) -> Result<Option<Imported>, Error> {
        let mut imported = Imported::default();
        let attributes = changed_attributes(user_id, stored, facts)?;
        if attributes.is_empty() {
            imported.unchanged = facts.len() as u64;
            return Ok(Some(imported));
        }
        let unless_changed = ["created", "lastSeen", "asOf"].map(|name| (name, stored.get(name)));
        let key = user_key(project, user_id);
        let updated = self
            .update(&self.tables.users, key, attributes, unless_changed)
            .await?;
        imported.written = facts.len() as u64;
        Ok(updated.then_some(imported))
    }
}

/// Returns the attributes of the stored user that these facts change.
fn changed_attributes(
    user_id: &UserId,
    stored: &Item,
    facts: &[UserFacts],
) -> Result<Vec<(&'static str, Option<AttributeValue>)>, Error> {
    let before = UserFacts::from_item(stored, user_id.clone());
    let mut after = before.clone();
    for facts in facts {
        after.absorb(facts.clone());
    }
    // What is stored can be stored again, and the importer has checked the new facts.
    let encode = |facts| {
        user_attributes(facts)
            .map_err(|invalid| Error::new(ErrorKind::Internal, "import users", invalid.0))
    };
    let pairs = encode(&before)?.into_iter().zip(encode(&after)?);
    Ok(pairs
        .filter(|(before, after)| before != after)
        .map(|(_, after)| after)
        .collect())
}
