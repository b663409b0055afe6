//! Records that come from elsewhere, and never replace what the tables know better.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::attributes::{Attributes, Item, boolean, json, parsed, string};
use super::item::user_attributes;
use super::users::key as user_key;
use super::write::{IN_FLIGHT, Patience};
use super::{NewItem, Store};
use crate::error::Error;
use crate::model::{ProjectId, Timestamp, Traits, UserFacts, UserId};

/// What became of the records of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that changed a table.
    pub written: u64,
    /// Records that said nothing new.
    pub unchanged: u64,
}

impl std::ops::AddAssign for Imported {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.unchanged += other.unchanged;
    }
}

impl Store {
    /// Writes these items of [`NewItem::response`]. A later one of the same record replaces an
    /// earlier one, unless it knows less: a rating is never lost to a dismissal or a pending display.
    pub async fn import_responses(&self, items: Vec<NewItem>) -> Result<Imported, Error> {
        let all = items.len();
        let mut pending: HashMap<[String; 2], Item> = HashMap::with_capacity(all);
        for NewItem { item, .. } in items {
            let Some(key) = response_key(&item) else {
                continue;
            };
            if pending
                .get(&key)
                .is_none_or(|earlier| knows(&item) >= knows(earlier))
            {
                pending.insert(key, item);
            }
        }
        let mut written = 0;
        let mut patience = Patience::default();
        while !pending.is_empty() {
            let (done, conflicts) = self.import_once(pending).await?;
            written += done;
            pending = conflicts;
            if !pending.is_empty() {
                patience.pause(done > 0).await?;
            }
        }
        Ok(Imported {
            written: written as u64,
            unchanged: (all - written) as u64,
        })
    }

    /// How many it wrote, and those whose item changed between reading and writing.
    async fn import_once(
        &self,
        mut new: HashMap<[String; 2], Item>,
    ) -> Result<(usize, HashMap<[String; 2], Item>), Error> {
        let table = &self.tables.responses;
        let keys = new.values().map(|item| only(item, RESPONSE_KEY)).collect();
        let mut changed = Vec::new();
        for stored in self.existing(table, keys).await? {
            let known = response_key(&stored).and_then(|key| Some((new.remove(&key)?, key)));
            if let Some((item, key)) = known
                && knows(&item) >= knows(&stored)
                && only(&item, FIGURES) != only(&stored, FIGURES)
            {
                changed.push((key, item, stored));
            }
        }
        let written = new.len() + changed.len();
        let puts = new.into_values().map(|item| NewItem {
            table: |tables| &tables.responses,
            item,
        });
        self.put_all(puts.collect()).await?;
        let conflicts: HashMap<_, _> = stream::iter(changed)
            .map(async |(key, item, stored)| {
                let attributes = FIGURES.map(|name| (name, item.get(name).cloned()));
                let unless_changed = ["rating", "dismissed"].map(|name| (name, stored.get(name)));
                let updated = self
                    .update(table, only(&item, RESPONSE_KEY), attributes, unless_changed)
                    .await?;
                Ok::<_, Error>((!updated).then_some((key, item)))
            })
            .buffer_unordered(IN_FLIGHT)
            .try_filter_map(async |conflict| Ok(conflict))
            .try_collect()
            .await?;
        Ok((written - conflicts.len(), conflicts))
    }

    /// Creates or refreshes users, each with the facts about it in this order
    /// ([`UserFacts::absorb`]).
    pub async fn import_users(
        &self,
        project: &ProjectId,
        facts: Vec<UserFacts>,
    ) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut pending: BTreeMap<UserId, Vec<UserFacts>> = BTreeMap::new();
        for said in facts {
            pending.entry(said.user_id.clone()).or_default().push(said);
        }
        let mut patience = Patience::default();
        while !pending.is_empty() {
            let tried = pending.len();
            pending = self
                .import_users_once(project, pending, &mut imported)
                .await?;
            if !pending.is_empty() {
                patience.pause(pending.len() < tried).await?;
            }
        }
        Ok(imported)
    }

    /// Those whose item changed between reading and writing.
    async fn import_users_once(
        &self,
        project: &ProjectId,
        facts: BTreeMap<UserId, Vec<UserFacts>>,
        imported: &mut Imported,
    ) -> Result<BTreeMap<UserId, Vec<UserFacts>>, Error> {
        let table = &self.tables.users;
        let keys = facts
            .keys()
            .map(|user_id| user_key(project, user_id))
            .collect();
        let mut stored: HashMap<String, Item> = HashMap::new();
        for item in self.existing(table, keys).await? {
            if let Some(AttributeValue::S(user_id)) = item.get("userId") {
                stored.insert(user_id.clone(), item);
            }
        }
        let changes = facts.into_iter().map(|(user_id, said)| {
            let before = stored.remove(user_id.as_str()).unwrap_or_default();
            (user_id, said, before)
        });
        let outcomes: Vec<_> = stream::iter(changes.collect::<Vec<_>>())
            .map(async |(user_id, said, before)| {
                let count = said.len() as u64;
                let attributes = news(&user_id, &before, &said)?;
                if attributes.is_empty() {
                    return Ok::<_, Error>((0, count, None));
                }
                let unless_changed =
                    ["created", "lastSeen", "asOf"].map(|name| (name, before.get(name)));
                let key = user_key(project, &user_id);
                let updated = self.update(table, key, attributes, unless_changed).await?;
                Ok(if updated {
                    (count, 0, None)
                } else {
                    (0, 0, Some((user_id, said)))
                })
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await?;
        let mut conflicts = BTreeMap::new();
        for (written, unchanged, conflict) in outcomes {
            *imported += Imported { written, unchanged };
            conflicts.extend(conflict);
        }
        Ok(conflicts)
    }
}

const RESPONSE_KEY: [&str; 2] = ["shard", "at"];
/// What an import says of a response record beside its key.
const FIGURES: [&str; 4] = ["rating", "dismissed", "userId", "traits"];

fn response_key(item: &Item) -> Option<[String; 2]> {
    let text = |name: &str| item.get(name)?.as_s().ok().cloned();
    Some([text("shard")?, text("at")?])
}

pub(super) fn only<const N: usize>(item: &Item, names: [&str; N]) -> Item {
    names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())))
        .collect()
}

/// A display that is rated knows more than a dismissed one, and that more than a pending one.
fn knows(item: &Item) -> u8 {
    let dismissed = item.get("dismissed") == Some(&AttributeValue::Bool(true));
    match item.get("rating") {
        Some(AttributeValue::N(_)) => 2,
        _ => u8::from(dismissed),
    }
}

/// The attributes of the stored user that these facts change.
fn news(
    user_id: &UserId,
    stored: &Item,
    said: &[UserFacts],
) -> Result<Vec<(&'static str, Option<AttributeValue>)>, Error> {
    let before = facts_of(stored.clone(), user_id.clone());
    let mut after = before.clone();
    for facts in said {
        after.absorb(facts.clone());
    }
    // Whatever was stored can be stored, and new facts have been checked.
    let encode = |facts| user_attributes(facts).map_err(|_| Error::Internal);
    let pairs = encode(&before)?.into_iter().zip(encode(&after)?);
    Ok(pairs
        .filter(|(before, after)| before != after)
        .map(|(_, after)| after)
        .collect())
}

/// What is stored about a user, without what is damaged.
pub(super) fn facts_of(item: Item, user_id: UserId) -> UserFacts {
    let mut item = Attributes::new(item);
    let last_seen: Option<Timestamp> = item.take("lastSeen", parsed);
    let seen = last_seen.map(|seen| seen.to_string()).unwrap_or_default();
    UserFacts {
        id: item.take("id", string),
        user_id,
        last_seen,
        created: item.take("created", parsed),
        email: item.take("email", string),
        name: item.take("name", string),
        unsubscribed: item.take("unsubscribed", boolean),
        traits: item.take("traits", |value| Traits::from_json(json(&value)?)),
        // Others write users too, and do not say how new their facts are.
        as_of: item.take("asOf", string).unwrap_or_default().max(seen),
    }
}
