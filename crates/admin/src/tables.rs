//! Creates the tables.

use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use model::items::Table;
use store::{Error, ErrorKind};

use super::backend::Backend;
use super::dynamodb::{DynamoDbTables, incomplete};
use super::store::AdminStore;

impl AdminStore {
    /// Creates the tables that do not exist, and waits until they are ready. A data folder has them.
    ///
    /// # Errors
    ///
    /// Fails if the store does, or takes longer than a minute.
    pub async fn create_missing_tables(&self) -> Result<(), Error> {
        if let Backend::DynamoDb(tables) = &self.backend {
            for table in Table::ALL {
                tables.create_missing(table).await?;
            }
        }
        Ok(())
    }
}

impl DynamoDbTables {
    async fn create_missing(&self, table: Table) -> Result<(), Error> {
        let (hash, range) = table.key_names();
        let keys = [
            Some((hash, KeyType::Hash)),
            range.map(|range| (range, KeyType::Range)),
        ];
        let mut request = self
            .client
            .create_table()
            .table_name(self.tables.name(table))
            .billing_mode(BillingMode::PayPerRequest);
        for (name, key_type) in keys.into_iter().flatten() {
            let definition = AttributeDefinition::builder()
                .attribute_name(name)
                .attribute_type(ScalarAttributeType::S)
                .build();
            let key = KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(key_type)
                .build();
            let definition = definition.map_err(|_| incomplete("CreateTable"))?;
            let key = key.map_err(|_| incomplete("CreateTable"))?;
            request = request.attribute_definitions(definition).key_schema(key);
        }
        let sent = request.send().await;
        match sent.map_err(|error| Error::from_sdk("CreateTable", &error)) {
            Ok(_) => self.wait_for(table).await,
            Err(error) if error.code() == "ResourceInUseException" => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Waits until a new table is ready, which takes DynamoDB some seconds.
    async fn wait_for(&self, table: Table) -> Result<(), Error> {
        const LIMIT: Duration = Duration::from_mins(1);
        let exists = self.client.wait_until_table_exists();
        let exists = exists.table_name(self.tables.name(table));
        exists.wait(LIMIT).await.map(drop).map_err(|_| {
            let code = "a new table is not ready after a minute";
            Error::new(ErrorKind::Unavailable, "DescribeTable", code)
        })
    }
}
