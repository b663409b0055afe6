//! The requests that may be reads of the service, borrowed from DynamoDB's JSON or from the SDK. Members
//! that the service never sends are refused.

use std::borrow::Cow;
use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;

pub(super) type Names<'a> = HashMap<Cow<'a, str>, Cow<'a, str>>;
pub(super) type Texts<'a> = HashMap<Cow<'a, str>, Text<'a>>;

/// A value of the type string.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text<'a> {
    #[serde(rename = "S", borrow)]
    pub(super) text: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(super) struct Query<'a> {
    #[serde(borrow)]
    pub(super) table_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) key_condition_expression: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) projection_expression: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) expression_attribute_names: Names<'a>,
    #[serde(borrow)]
    pub(super) expression_attribute_values: Texts<'a>,
    #[serde(borrow)]
    pub(super) exclusive_start_key: Option<Texts<'a>>,
    pub(super) limit: Option<u32>,
    #[serde(default)]
    pub(super) consistent_read: bool,
    #[serde(borrow)]
    pub(super) return_consumed_capacity: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(super) struct GetItem<'a> {
    #[serde(borrow)]
    pub(super) table_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) key: Texts<'a>,
    #[serde(default)]
    pub(super) consistent_read: bool,
    #[serde(borrow)]
    pub(super) return_consumed_capacity: Option<Cow<'a, str>>,
}

impl<'a> Query<'a> {
    /// Returns the Query that the SDK would send, or `None` if it has other members.
    pub(super) fn from_sdk(query: &'a QueryInputBuilder) -> Option<Self> {
        let names = query.get_expression_attribute_names().iter().flatten();
        let is_plain = query.get_index_name().is_none()
            && query.get_filter_expression().is_none()
            && query.get_scan_index_forward().is_none()
            && query.get_select().is_none()
            && query.get_attributes_to_get().is_none()
            && query.get_key_conditions().is_none()
            && query.get_query_filter().is_none()
            && query.get_conditional_operator().is_none();
        let limit = query.get_limit().map(u32::try_from);
        is_plain.then_some(Self {
            table_name: query.get_table_name().as_deref()?.into(),
            key_condition_expression: query.get_key_condition_expression().as_deref()?.into(),
            projection_expression: query.get_projection_expression().as_deref().map(Cow::from),
            expression_attribute_names: names
                .map(|(placeholder, name)| (placeholder.into(), name.into()))
                .collect(),
            expression_attribute_values: texts(query.get_expression_attribute_values().as_ref()?)?,
            exclusive_start_key: match query.get_exclusive_start_key() {
                None => None,
                Some(key) => Some(texts(key)?),
            },
            limit: limit.transpose().ok()?,
            consistent_read: query.get_consistent_read().unwrap_or_default(),
            return_consumed_capacity: query
                .get_return_consumed_capacity()
                .as_ref()
                .map(|mode| mode.as_str().into()),
        })
    }
}

/// Returns attributes of which all are strings.
fn texts(attributes: &HashMap<String, AttributeValue>) -> Option<Texts<'_>> {
    let texts = attributes.iter().map(|(name, value)| {
        let text = value.as_s().ok()?.into();
        Some((name.into(), Text { text }))
    });
    texts.collect()
}
