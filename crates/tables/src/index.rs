//! Creates the index of outcomes (docs/item-format.md).

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::update_table::builders::UpdateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexDescription,
    GlobalSecondaryIndexUpdate, IndexStatus, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType,
};
use shared::config::responses_index;
use shared::store::{Error, ErrorKind};

use super::AdminStore;
use super::backend::Backend;
use super::dynamodb::{DynamoDb, incomplete};

const KEYS: [(&str, KeyType); 2] = [("shard", KeyType::Hash), ("at", KeyType::Range)];
const PROJECTED: [&str; 2] = ["rating", "dismissed"];

/// What is known of an index of outcomes.
#[derive(Debug)]
pub struct IndexState {
    /// Its name.
    pub name: String,
    /// Whether DynamoDB has filled it.
    pub is_filled: bool,
}

impl AdminStore {
    /// Creates the index of outcomes unless the responses table has it. DynamoDB fills it afterwards, which
    /// this does not wait for.
    ///
    /// # Errors
    ///
    /// Fails if the store does, if an index of this name is another one, and in a data folder, which needs none.
    pub async fn create_missing_index(&self) -> Result<IndexState, Error> {
        match &self.backend {
            Backend::DynamoDb(tables) => tables.create_missing_index().await,
            Backend::Folder(_) => Err(refusal("a data folder needs no index")),
        }
    }
}

impl DynamoDb {
    async fn create_missing_index(&self) -> Result<IndexState, Error> {
        let name = responses_index().unwrap_or_else(|| "outcomes".to_owned());
        let is_filled = match self.index_named(&name).await? {
            Some(index) if !holds_outcomes(&index) => {
                return Err(refusal("the index exists with other keys or attributes"));
            }
            Some(index) => match index.index_status() {
                Some(IndexStatus::Active) => true,
                Some(IndexStatus::Deleting) => {
                    return Err(refusal("the index is being deleted; try again later"));
                }
                _ => false,
            },
            None => {
                self.create_index(&name).await?;
                false
            }
        };
        Ok(IndexState { name, is_filled })
    }

    async fn index_named(
        &self,
        name: &str,
    ) -> Result<Option<GlobalSecondaryIndexDescription>, Error> {
        let describe = self.client.describe_table();
        let described = describe.table_name(&self.tables.responses).send().await;
        let described = described.map_err(|error| Error::from_sdk("DescribeTable", &error))?;
        let indexes = described
            .table
            .and_then(|table| table.global_secondary_indexes);
        Ok(indexes
            .into_iter()
            .flatten()
            .find(|index| index.index_name() == Some(name)))
    }

    async fn create_index(&self, name: &str) -> Result<(), Error> {
        let update = self.client.update_table();
        let update = update.table_name(&self.tables.responses);
        // Its builders have all fields that they require.
        let update = with_index(update, name).map_err(|_| incomplete("UpdateTable"))?;
        let updated = update.send().await;
        updated
            .map(drop)
            .map_err(|error| Error::from_sdk("UpdateTable", &error))
    }
}

fn with_index(
    mut request: UpdateTableFluentBuilder,
    name: &str,
) -> Result<UpdateTableFluentBuilder, BuildError> {
    let mut index = CreateGlobalSecondaryIndexAction::builder().index_name(name);
    for (name, key_type) in KEYS {
        let definition = AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ScalarAttributeType::S);
        let key = KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(key_type);
        request = request.attribute_definitions(definition.build()?);
        index = index.key_schema(key.build()?);
    }
    let projection = Projection::builder()
        .projection_type(ProjectionType::Include)
        .set_non_key_attributes(Some(PROJECTED.map(str::to_owned).to_vec()));
    let index = index.projection(projection.build()).build()?;
    let update = GlobalSecondaryIndexUpdate::builder().create(index).build();
    Ok(request.global_secondary_index_updates(update))
}

fn refusal(code: &str) -> Error {
    Error::new(ErrorKind::Refused, "DescribeTable", code)
}

/// Returns whether the functions can read outcomes from this index.
fn holds_outcomes(index: &GlobalSecondaryIndexDescription) -> bool {
    let keys = index.key_schema().iter();
    let has_keys = keys
        .map(|key| (key.attribute_name(), key.key_type().clone()))
        .eq(KEYS);
    let projects = index.projection().is_some_and(|projection| {
        let attributes = projection.non_key_attributes();
        let includes = |name: &&str| attributes.iter().any(|attribute| attribute == name);
        projection.projection_type() == Some(&ProjectionType::All) || PROJECTED.iter().all(includes)
    });
    has_keys && projects
}
