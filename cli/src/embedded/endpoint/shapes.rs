//! The JSON types of the members of requests. DynamoDB checks them before anything else, and dynoxide's
//! own types accept any JSON for some members.

use serde_json::Value;

use Shape::{Flag, List, Map, Members, Number, Text, Word};

/// What the value of a member has to be, if it is there and not null.
pub(super) enum Shape {
    Text,
    /// A text. Lists and objects have another error, when it is parsed.
    Word,
    Number,
    /// A boolean, or one of the words that DynamoDB reads as one.
    Flag,
    List(&'static Shape),
    /// An object whose members have names of the user's choice.
    Map(&'static Shape),
    /// An object with these members, and others of any shape.
    Members(&'static [(&'static str, Shape)]),
}

/// Returns the name of the member of an operation's request that has the wrong type, if there is one.
pub(super) fn misfit<'a>(operation: &str, request: &'a Value) -> Option<&'a str> {
    // Vectors are searched at an endpoint of their own, which has other checks.
    let common = (operation != "SearchVectors").then_some(&OF_ALL);
    [of(operation).as_ref(), common]
        .into_iter()
        .flatten()
        .find_map(|shape| match request {
            Value::Object(_) => shape.misfit("", request),
            _ => None,
        })
}

impl Shape {
    /// Returns the name of the member that has the wrong type, in a value or the value itself.
    fn misfit<'a>(&self, name: &'a str, value: &'a Value) -> Option<&'a str> {
        match (self, value) {
            (_, Value::Null)
            | (Text | Word, Value::String(_))
            | (Word, Value::Array(_) | Value::Object(_))
            | (Number, Value::Number(_))
            | (Flag, Value::Bool(_)) => None,
            (Flag, Value::String(text)) if is_flag(text) => None,
            (List(shape), Value::Array(elements)) => {
                elements.iter().find_map(|value| shape.misfit(name, value))
            }
            (Map(shape), Value::Object(members)) => members
                .iter()
                .find_map(|(name, value)| shape.misfit(name, value)),
            (Members(shapes), Value::Object(members)) => shapes.iter().find_map(|(name, shape)| {
                let (name, value) = members.get_key_value(*name)?;
                shape.misfit(name, value)
            }),
            _ => Some(name),
        }
    }
}

fn is_flag(text: &str) -> bool {
    let words = ["true", "t", "yes", "y", "1", "false", "f", "no", "n", "0"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// An object whose members are checked when it is parsed.
const OBJECT: Shape = Members(&[]);
const ITEM: Shape = Map(&OBJECT);
const NAMES: Shape = Map(&Text);

/// The members that mean the same in every operation.
const OF_ALL: Shape = Members(&[
    ("ConditionExpression", Text),
    ("ConditionalOperator", Text),
    ("ConsistentRead", Flag),
    ("Expected", Map(&Members(&[("Exists", Flag)]))),
    ("ExpressionAttributeNames", NAMES),
    ("ExpressionAttributeValues", ITEM),
    ("FilterExpression", Text),
    ("IndexName", Text),
    ("Item", ITEM),
    ("Key", ITEM),
    ("KeyConditionExpression", Text),
    ("Limit", Number),
    ("ProjectionExpression", Text),
    ("ReturnConsumedCapacity", Text),
    ("ReturnItemCollectionMetrics", Text),
    ("ReturnValues", Text),
    ("ScanIndexForward", Flag),
    ("Segment", Number),
    ("Select", Text),
    ("TableName", Text),
    ("TotalSegments", Number),
    ("UpdateExpression", Text),
]);

fn of(operation: &str) -> Option<Shape> {
    Some(match operation {
        "BatchGetItem" => Members(&[("RequestItems", Map(&READS))]),
        "BatchWriteItem" => Members(&[("RequestItems", Map(&List(&WRITE)))]),
        "CreateTable" => TABLE,
        "PutItem" | "DeleteItem" | "UpdateItem" => Members(&[("AttributeUpdates", Map(&OBJECT))]),
        "Query" => Members(&[
            ("ExclusiveStartKey", ITEM),
            ("KeyConditions", CONDITIONS),
            ("QueryFilter", CONDITIONS),
        ]),
        "Scan" => Members(&[("ExclusiveStartKey", ITEM), ("ScanFilter", CONDITIONS)]),
        "TagResource" => Members(&[("Tags", List(&OBJECT))]),
        "UpdateTable" => UPDATES,
        _ => return None,
    })
}

const READS: Shape = Members(&[("ExpressionAttributeNames", NAMES), ("Keys", List(&ITEM))]);
const WRITE: Shape = Members(&[
    ("DeleteRequest", Members(&[("Key", ITEM)])),
    ("PutRequest", Members(&[("Item", ITEM)])),
]);

const CONDITIONS: Shape = Map(&Members(&[
    ("AttributeValueList", List(&OBJECT)),
    ("ComparisonOperator", Text),
]));

const TABLE: Shape = Members(&[
    ("AttributeDefinitions", ATTRIBUTES),
    ("GlobalSecondaryIndexes", List(&INDEX)),
    ("KeySchema", ATTRIBUTES),
    ("LocalSecondaryIndexes", List(&INDEX)),
    ("ProvisionedThroughput", THROUGHPUT),
    ("VectorIndexes", List(&VECTORS)),
]);

const UPDATES: Shape = Members(&[
    ("GlobalSecondaryIndexUpdates", List(&INDEX_UPDATE)),
    ("ProvisionedThroughput", THROUGHPUT),
    ("VectorIndexUpdates", List(&VECTORS_UPDATE)),
]);

const INDEX_UPDATE: Shape = Members(&[
    ("Create", INDEX),
    ("Delete", OBJECT),
    ("Update", Members(&[("ProvisionedThroughput", THROUGHPUT)])),
]);
const VECTORS_UPDATE: Shape = Members(&[
    ("Create", VECTORS),
    ("Delete", Members(&[("IndexName", Text)])),
]);

const INDEX: Shape = Members(&[
    ("IndexName", Text),
    ("KeySchema", ATTRIBUTES),
    ("Projection", PROJECTION),
    ("ProvisionedThroughput", THROUGHPUT),
]);
const VECTORS: Shape = Members(&[
    ("Dimensions", Number),
    ("DistanceFunction", Text),
    ("IndexName", Text),
    ("Projection", PROJECTION),
    ("SearchSchema", ATTRIBUTES),
    ("VectorAttribute", ATTRIBUTE),
]);

const ATTRIBUTES: Shape = List(&ATTRIBUTE);
const ATTRIBUTE: Shape = Members(&[
    ("AttributeName", Text),
    ("AttributeType", Text),
    ("IndexName", Text),
    ("KeyType", Text),
    ("SearchSchemaElementType", Text),
]);
const PROJECTION: Shape = Members(&[("NonKeyAttributes", List(&Word)), ("ProjectionType", Text)]);
const THROUGHPUT: Shape = Members(&[
    ("ReadCapacityUnits", Number),
    ("WriteCapacityUnits", Number),
]);
