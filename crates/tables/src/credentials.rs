//! Adds, lists and removes credentials.

use items::{ItemKey, ItemMembers, ItemValue, NewCredential, StoredCredential, Table};
use model::{Account, Digest, ProjectId};
use store::Error;

use super::export::Decoded;
use super::{Change, Tables, damaged};

const TABLE: Table = Table::Credentials;

impl Tables {
    /// Adds a credential. If the table already has one with the same secret, changes nothing and returns
    /// `false`.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn add_credential(&self, credential: &NewCredential<'_>) -> Result<bool, Error> {
        let change = Change {
            key: ItemKey::of_credential(&credential.secret.digest().to_string()),
            before: None,
            after: credential.item(),
            guard: &["digest"],
        };
        Ok(self.writer.replace(TABLE, vec![change]).await? == [true])
    }

    /// Returns all credentials, in no order.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credentials(&self) -> Result<Decoded<StoredCredential>, Error> {
        let mut items = Vec::new();
        let mut add = |page| {
            items.extend(page);
            Ok(())
        };
        self.writer.all(TABLE, &mut add).await?;
        let decode = |item: &String| {
            let digest = || Some(ItemMembers::of_item(item)?.string("digest")?.into_owned());
            StoredCredential::from_item(item).ok_or_else(|| digest().unwrap_or_default())
        };
        Ok(items.iter().map(decode).collect())
    }

    /// Returns the credential with this digest.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn credential(&self, digest: &Digest) -> Result<Option<StoredCredential>, Error> {
        let item = self.item(digest).await?;
        Ok(item.and_then(|item| StoredCredential::from_item(&item)))
    }

    async fn item(&self, digest: &Digest) -> Result<Option<String>, Error> {
        let key = ItemKey::of_credential(&digest.to_string());
        let found = self.writer.get(TABLE, vec![key]).await?;
        Ok(found.into_values().next())
    }

    /// Lets the account with this digest also read the statistics of its projects. Returns `false` and
    /// changes nothing if it is not stored, or lists other projects by now.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn allow_statistics(
        &self,
        digest: &Digest,
        account: &Account,
    ) -> Result<bool, Error> {
        self.change(digest, account, "statistics", ItemValue::TRUE)
            .await
    }

    /// Removes the project from an account that lists others too. Returns `false` and changes nothing if it
    /// is not stored, or lists other projects by now.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_project(
        &self,
        digest: &Digest,
        account: &Account,
        project: &ProjectId,
    ) -> Result<bool, Error> {
        let mut left = account.clone();
        left.projects.retain(|other| other != project);
        let projects = project_set(&left);
        self.change(digest, account, "projects", projects).await
    }

    /// Sets an attribute of the account with this digest, unless it is not stored, or lists other projects by
    /// now.
    async fn change(
        &self,
        digest: &Digest,
        account: &Account,
        name: &'static str,
        value: ItemValue<'static>,
    ) -> Result<bool, Error> {
        let Some(before) = self.item(digest).await? else {
            return Ok(false);
        };
        let mut item = ItemMembers::of_item(&before).ok_or_else(damaged)?;
        let lists_others = item
            .get("projects")
            .is_none_or(|found| !found.equals(&project_set(account)));
        if lists_others {
            return Ok(false);
        }
        item.set(name.into(), Some(value));
        let change = Change {
            key: ItemKey::of_credential(&digest.to_string()),
            after: item.json(),
            before: Some(before),
            guard: &["projects"],
        };
        Ok(self.writer.replace(TABLE, vec![change]).await? == [true])
    }

    /// Deletes the credential with this text of a digest, or the item whose key is none. The API refuses a
    /// credential after at most a minute.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_credential(&self, key: &str) -> Result<(), Error> {
        self.writer
            .delete(TABLE, vec![ItemKey::of_credential(key)])
            .await
    }
}

fn project_set(account: &Account) -> ItemValue<'static> {
    ItemValue::strings(account.projects.iter().map(ProjectId::as_str))
}
