//! Reads the service's tables for the API, with SQL.

use encoding::credential_key;
use model::Digest;
use model::items::Table;
use store::{LocalRead, LocalStore, PageRead};

use super::folder_store::FolderStore;
use super::readers;

impl LocalStore for FolderStore {
    fn page(&self, read: PageRead) -> LocalRead<Vec<u8>> {
        let name = self.tables().name(read.partition.table.into()).to_owned();
        self.read(read.operation(), move |reader| {
            readers::page(reader, &name, &read)
        })
    }

    fn credential(&self, digest: Digest) -> LocalRead<Option<String>> {
        let (folder_store, key) = (self.clone(), credential_key(&digest.to_string()));
        Box::pin(async move {
            let found = folder_store.get(Table::Credentials, vec![key]).await?;
            Ok(found.into_iter().next())
        })
    }
}
