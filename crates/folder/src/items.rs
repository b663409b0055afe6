//! Reads and writes many items of a table at a time, and creates the tables.

use dynoxide::DynoxideError;
use model::items::{PagedTable, Partition, Table};
use rusqlite::TransactionBehavior;
use store::{Error, ErrorKind};

use super::folder_store::FolderStore;
use super::item_error::{ItemError, named};
use super::key::StoredKey;
use super::table_items::TableItems;
use super::{layout, readers};

const READ: &str = "read items";

impl FolderStore {
    /// Creates the tables that do not exist, and completes those whose creation was interrupted.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub async fn create_missing_tables(&self) -> Result<(), Error> {
        for table in Table::ALL {
            let request = layout::creation(table, self.tables().name(table));
            let created = self.operate("CreateTable".to_owned(), request.to_string().into());
            match created.await {
                Ok(_) | Err(DynoxideError::ResourceInUseException(_)) => {}
                Err(error) => {
                    let (kind, cause) = (ErrorKind::Unavailable, error.to_string());
                    return Err(Error::new(kind, "CreateTable", &cause));
                }
            }
        }
        Ok(())
    }

    /// Runs a function that reads and puts items of a table in one transaction, which is committed if the function
    /// succeeds.
    ///
    /// # Errors
    ///
    /// Fails if the function does, the database cannot be read or written, or the table is missing.
    pub async fn transact<T: Send + 'static>(
        &self,
        table: impl Into<Table>,
        function: impl FnOnce(&mut TableItems<'_>) -> Result<T, ItemError> + Send + 'static,
    ) -> Result<T, Error> {
        let name = self.tables().name(table.into()).to_owned();
        let written = self.write(move |connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let returned = function(&mut TableItems::new(&transaction, &name)?)?;
            transaction.commit()?;
            Ok(returned)
        });
        named("write items", written.await)
    }

    /// Puts the items, which are in DynamoDB's JSON, replacing those with the same key, in one transaction.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written, or the table is missing.
    pub async fn put(&self, table: Table, items: Vec<String>) -> Result<(), Error> {
        let put = move |stored: &mut TableItems<'_>| {
            for item in &items {
                let key = StoredKey::of_item(table, item)?;
                stored.put(&key, item)?;
            }
            Ok(())
        };
        self.transact(table, put).await
    }

    /// Deletes the items with the keys of these, as far as they exist, in one transaction.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written, or the table is missing.
    pub async fn delete(&self, table: Table, keys: Vec<String>) -> Result<(), Error> {
        let delete = move |items: &mut TableItems<'_>| {
            let mut keys = keys.iter();
            keys.try_for_each(|key| items.delete(&StoredKey::of_item(table, key)?))
        };
        self.transact(table, delete).await
    }

    /// Reads the items with these keys, in no order; keys without an item are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing.
    pub async fn get(&self, table: Table, keys: Vec<String>) -> Result<Vec<String>, Error> {
        let name = self.tables().name(table).to_owned();
        self.read(READ, move |reader| {
            let keys = keys.iter().map(|key| StoredKey::of_item(table, key));
            readers::items(reader, &name, keys)
        })
        .await
    }

    /// Returns all partitions of a table whose hash keys begin with this text.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing.
    pub async fn partitions(
        &self,
        table: PagedTable,
        beginning: String,
    ) -> Result<Vec<Partition>, Error> {
        let name = self.tables().name(table.into()).to_owned();
        let read = self.read(READ, move |reader| {
            readers::hash_keys(reader, &name, &beginning)
        });
        let keys = read.await?.into_iter();
        Ok(keys.map(|key| Partition { table, key }).collect())
    }

    /// Reads all credentials, in no order.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing.
    pub async fn credentials(&self) -> Result<Vec<String>, Error> {
        let name = self.tables().name(Table::Credentials).to_owned();
        self.read(READ, move |reader| readers::all(reader, &name))
            .await
    }
}

#[cfg(test)]
mod tests;
