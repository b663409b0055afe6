//! Imports users, merging what records say of them with what is stored.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::{Invalid, ProjectId, UserId};
use shared::store::{Error, ErrorKind};

use super::attributes::{Item, string};
use super::backoff::Backoff;
use super::item::{changed_facts, user_key};
use super::size::fits;
use super::{AdminStore, IN_FLIGHT, Imported, NewItem, UserFacts};

/// The facts to import, by user, in the order of the import and with their positions in it.
type Pending = BTreeMap<UserId, Vec<(usize, UserFacts)>>;

/// The attributes to set.
type Attributes = HashMap<&'static str, AttributeValue>;

/// A user whose item changes.
struct Change {
    user_id: UserId,
    key: Item,
    stored: Item,
    facts: Vec<(usize, UserFacts)>,
    attributes: Attributes,
    /// The positions of the facts with which the item would be too large.
    too_large: Vec<usize>,
}

impl AdminStore {
    /// Creates or updates users with these facts, each with its position in the import, merged in
    /// this order ([`UserFacts::absorb`]).
    pub(crate) async fn import_users(
        &self,
        project: &ProjectId,
        facts: Vec<(usize, UserFacts)>,
    ) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut pending = Pending::new();
        for (record, facts) in facts {
            pending
                .entry(facts.user_id.clone())
                .or_default()
                .push((record, facts));
        }
        let mut backoff = Backoff::default();
        while !pending.is_empty() {
            let before = pending.len();
            pending = self
                .import_users_once(project, pending, &mut imported)
                .await?;
            if !pending.is_empty() {
                let progress = pending.len() < before;
                backoff.pause("import users", progress).await?;
            }
        }
        Ok(imported)
    }

    /// Returns the users that another program changed between reading and writing.
    async fn import_users_once(
        &self,
        project: &ProjectId,
        pending: Pending,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        let keys = pending.keys().map(|user_id| user_key(project, user_id));
        let stored = self.get_all(&self.tables.users, keys.collect()).await?;
        let mut stored: HashMap<String, Item> = stored
            .into_iter()
            .filter_map(|item| Some((string(&item, "userId")?, item)))
            .collect();
        let mut updates = Vec::new();
        for (user_id, facts) in pending {
            let key = user_key(project, &user_id);
            let stored = stored
                .remove(user_id.as_str())
                .unwrap_or_else(|| key.clone());
            let (attributes, too_large) = changed_attributes(&user_id, &stored, &facts)?;
            if attributes.is_empty() {
                imported.unchanged += (facts.len() - too_large.len()) as u64;
                imported.too_large.extend(too_large);
            } else {
                updates.push(Change {
                    user_id,
                    key,
                    stored,
                    facts,
                    attributes,
                    too_large,
                });
            }
        }
        self.update_users(updates, imported).await
    }

    /// Updates users; returns those whose item changed after it was read.
    async fn update_users(
        &self,
        updates: Vec<Change>,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        if self.is_only_writer() {
            return self.put_users(updates, imported).await;
        }
        let outcomes: Vec<_> = stream::iter(updates)
            .map(async |change| Ok::<_, Error>((self.update_user(&change).await?, change)))
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await?;
        let mut conflicts = Pending::new();
        for (is_updated, change) in outcomes {
            if is_updated {
                imported.count_user(change.facts.len(), change.too_large);
            } else {
                conflicts.insert(change.user_id, change.facts);
            }
        }
        Ok(conflicts)
    }

    /// Replaces users that no other program changes.
    async fn put_users(
        &self,
        updates: Vec<Change>,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        let mut puts = Vec::with_capacity(updates.len());
        for mut change in updates {
            imported.count_user(change.facts.len(), change.too_large);
            let attributes = change.attributes.into_iter();
            let attributes = attributes.map(|(name, value)| (name.to_owned(), value));
            change.stored.extend(attributes);
            puts.push(NewItem::stored_user(change.stored));
        }
        self.put_all(puts).await?;
        Ok(Pending::new())
    }

    /// Returns `false` if the item changed after it was read.
    async fn update_user(&self, change: &Change) -> Result<bool, Error> {
        let attributes = &change.attributes;
        let changes_traits = attributes.iter().any(|(name, _)| *name == "traits");
        let unless_changed = ["created", "lastSeen", "asOf"].into_iter();
        let unless_changed = unless_changed
            .chain(changes_traits.then_some("traits"))
            .map(|name| (name, change.stored.get(name)));
        let attributes = attributes
            .iter()
            .map(|(name, value)| (*name, Some(value.clone())));
        let (table, key) = (&self.tables.users, change.key.clone());
        self.update(table, key, attributes, unless_changed).await
    }
}

/// Returns the attributes of the stored user that these facts change, and the positions of facts
/// with which the user would be too large.
fn changed_attributes(
    user_id: &UserId,
    stored: &Item,
    facts: &[(usize, UserFacts)],
) -> Result<(Attributes, Vec<usize>), Error> {
    let before = UserFacts::from_item(stored, user_id.clone());
    let mut after = before.clone();
    for (_, facts) in facts {
        after.absorb(facts.clone());
    }
    let changes = changes_between(stored, &before, &after)?;
    if fits(stored, &changes) {
        return Ok((changes, Vec::new()));
    }
    let (mut after, mut changes, mut too_large) = (before.clone(), Attributes::new(), Vec::new());
    for (record, facts) in facts {
        let mut larger = after.clone();
        larger.absorb(facts.clone());
        let larger_changes = changes_between(stored, &before, &larger)?;
        if fits(stored, &larger_changes) {
            (after, changes) = (larger, larger_changes);
        } else {
            too_large.push(*record);
        }
    }
    Ok((changes, too_large))
}

/// Returns the attributes that differ. Traits that do not change keep their stored values, which may
/// be of types that JSON lacks.
fn changes_between(
    stored: &Item,
    before: &UserFacts,
    after: &UserFacts,
) -> Result<Attributes, Error> {
    // What is stored can be stored again, and the importer has checked the new facts.
    let invalid = |invalid: Invalid| Error::new(ErrorKind::Internal, "import users", invalid.0);
    let mut changes = Attributes::new();
    for (name, value) in changed_facts(before, after).map_err(invalid)? {
        let value = match (value, stored.get(name)) {
            (AttributeValue::M(members), Some(AttributeValue::M(stored))) => {
                AttributeValue::M(with_stored_members(members, stored, before, after))
            }
            (value, _) => value,
        };
        changes.insert(name, value);
    }
    Ok(changes)
}

fn with_stored_members(
    mut members: Item,
    stored: &Item,
    before: &UserFacts,
    after: &UserFacts,
) -> Item {
    for (name, value) in &mut members {
        if before.trait_json(name) == after.trait_json(name)
            && let Some(stored) = stored.get(name)
        {
            *value = stored.clone();
        }
    }
    members
}
