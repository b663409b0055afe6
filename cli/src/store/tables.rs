//! Creates the tables.

use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};

use shared::store::{Error, ErrorKind};

use super::AdminStore;

impl AdminStore {
    /// Creates the tables that do not exist, and waits until they are ready.
    pub(crate) async fn create_missing_tables(&self) -> Result<(), Error> {
        for (table, hash, range) in [
            (&self.tables.users, "project", Some("userId")),
            (&self.tables.responses, "shard", Some("at")),
            (&self.tables.credentials, "digest", None),
        ] {
            self.create_missing_table(table, hash, range).await?;
        }
        Ok(())
    }

    async fn create_missing_table(
        &self,
        table: &str,
        hash: &str,
        range: Option<&str>,
    ) -> Result<(), Error> {
        let keys = [
            Some((hash, KeyType::Hash)),
            range.map(|range| (range, KeyType::Range)),
        ];
        let mut request = self
            .client
            .create_table()
            .table_name(table)
            .billing_mode(BillingMode::PayPerRequest);
        for (name, key_type) in keys.into_iter().flatten() {
            let string = ScalarAttributeType::S;
            let definition = AttributeDefinition::builder()
                .attribute_name(name)
                .attribute_type(string)
                .build();
            let key = KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(key_type)
                .build();
            // Both builders have all fields that they require.
            let (Ok(definition), Ok(key)) = (definition, key) else {
                let code = "incomplete request";
                return Err(Error::new(ErrorKind::Internal, "CreateTable", code));
            };
            request = request.attribute_definitions(definition).key_schema(key);
        }
        match request.send().await {
            Ok(_) => self.wait_for(table).await,
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(CreateTableError::is_resource_in_use_exception) =>
            {
                Ok(())
            }
            Err(error) => Err(Error::from_sdk("CreateTable", &error)),
        }
    }

    /// Waits until a new table is ready, which takes DynamoDB some seconds.
    async fn wait_for(&self, table: &str) -> Result<(), Error> {
        const LIMIT: Duration = Duration::from_mins(1);
        let exists = self.client.wait_until_table_exists().table_name(table);
        exists.wait(LIMIT).await.map(drop).map_err(|_| {
            let code = "a new table is not ready after a minute";
            Error::new(ErrorKind::Unavailable, "DescribeTable", code)
        })
    }
}
