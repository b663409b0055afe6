//! Tables of another implementation of DynamoDB than the service's.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};

/// Makes the request that creates a table with these keys: one to hash, and perhaps one for the range.
pub(crate) fn creation(dynamodb: &Client, table: &str, keys: &[&str]) -> CreateTableFluentBuilder {
    let request = dynamodb.create_table().table_name(table);
    let request = request.billing_mode(BillingMode::PayPerRequest);
    let keys = keys.iter().zip([KeyType::Hash, KeyType::Range]);
    keys.fold(request, |request, (name, key_type)| {
        let definition = AttributeDefinition::builder().attribute_name(*name);
        let definition = definition.attribute_type(ScalarAttributeType::S).build();
        let key = KeySchemaElement::builder().attribute_name(*name);
        let request = request.attribute_definitions(definition.unwrap());
        request.key_schema(key.key_type(key_type).build().unwrap())
    })
}
