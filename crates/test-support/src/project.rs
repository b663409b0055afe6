//! A project of its own for each test, and its items in the public format.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Config, Credentials, Region};
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use sha2::{Digest, Sha256};

type Item = HashMap<String, AttributeValue>;

/// A project that no other test uses, with a Read Key and a credential for users. Its items are written with the
/// SDK alone, as another program would write them.
pub struct Project {
    /// Its id.
    pub id: String,
    /// The secret of its Read Key.
    pub read_key: String,
    /// The username of the credential for users.
    pub username: String,
    /// The secret of the credential for users.
    pub password: String,
    /// The store that has it.
    pub dynamodb: Client,
}

/// Makes a string.
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Makes a number.
#[allow(clippy::needless_pass_by_value)] // so that callers pass plain numbers
pub fn n(digits: impl ToString) -> AttributeValue {
    AttributeValue::N(digits.to_string())
}

/// Makes a `NULL`.
pub fn null() -> AttributeValue {
    AttributeValue::Null(true)
}

/// Makes a set of strings.
pub fn ss(texts: &[&str]) -> AttributeValue {
    AttributeValue::Ss(texts.iter().map(|&text| text.to_owned()).collect())
}

/// Makes the attributes of a credential that may read this of these projects.
pub fn credential_attributes(
    projects: &[&str],
    may: &[&str],
) -> Vec<(&'static str, AttributeValue)> {
    vec![("projects", ss(projects)), ("may", ss(may))]
}

/// Makes a map of these members.
pub fn map(members: &[(&str, AttributeValue)]) -> AttributeValue {
    AttributeValue::M(item(members))
}

fn item(members: &[(&str, AttributeValue)]) -> Item {
    let members = members.iter();
    let members = members.map(|(name, value)| ((*name).to_owned(), value.clone()));
    members.collect()
}

/// Returns the SHA-256 in lower hexadecimal: the key of a credential, and the source of ids.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// Returns the first hexadecimal digit of SHA-256(id).
pub fn shard_of(record_id: &str) -> char {
    sha256(record_id).chars().next().unwrap()
}

/// Configures a client without the project's own code. It repeats requests as often as the programs do, but
/// sooner.
pub(crate) fn config() -> Builder {
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(10));
    Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .retry_config(retries)
}

/// Makes a client of the store at this address.
pub fn client_of(address: &str) -> Client {
    let http = aws_smithy_http_client::Builder::new().build_http();
    Client::from_conf(config().http_client(http).endpoint_url(address).build())
}

impl Project {
    /// Makes a project in the store at this address.
    pub async fn at(address: std::net::SocketAddr, id: &str) -> Self {
        let project = Self {
            id: id.to_owned(),
            read_key: format!("read-key-of-{id}"),
            username: format!("account-of-{id}"),
            password: format!("password:of:{id}"),
            dynamodb: client_of(&format!("http://{address}")),
        };
        project.add_read_key(&project.read_key).await;
        project
            .add_user_credential(&project.password, &project.username)
            .await;
        project
    }

    /// Returns a target that requests this project.
    pub fn target(&self, path: &str) -> String {
        format!("{path}?project={}", self.id)
    }

    /// Writes a Read Key of the project.
    pub async fn add_read_key(&self, secret: &str) {
        self.add_credential(secret, &[&self.id], &["statistics"], None)
            .await;
    }

    /// Writes a credential for the users of the project, with a username.
    pub async fn add_user_credential(&self, secret: &str, username: &str) {
        self.add_credential(secret, &[&self.id], &["users"], Some(username))
            .await;
    }

    /// Writes a credential.
    pub async fn add_credential(
        &self,
        secret: &str,
        projects: &[&str],
        may: &[&str],
        username: Option<&str>,
    ) {
        let mut attributes = credential_attributes(projects, may);
        attributes.push(("digest", s(&sha256(secret))));
        attributes.extend(username.map(|username| ("username", s(username))));
        self.put("credentials", &attributes).await;
    }

    /// Deletes the credential with this secret.
    pub async fn revoke(&self, secret: &str) {
        let delete = self.dynamodb.delete_item().table_name("credentials");
        let delete = delete.key("digest", s(&sha256(secret)));
        delete.send().await.unwrap();
    }

    /// Writes an item.
    pub async fn put(&self, table: &str, attributes: &[(&str, AttributeValue)]) {
        let put = self.dynamodb.put_item().table_name(table);
        let put = put.set_item(Some(item(attributes)));
        put.send().await.unwrap();
    }

    /// Writes a user with these attributes beside its key.
    pub async fn put_user(&self, user_id: &str, attributes: &[(&str, AttributeValue)]) {
        let key = [("project", s(&self.id)), ("userId", s(user_id))];
        self.put("users", &[&key, attributes].concat()).await;
    }

    /// Writes a response record with these attributes beside its key.
    pub async fn put_response(
        &self,
        created: &str,
        id: &str,
        attributes: &[(&str, AttributeValue)],
    ) {
        let key = self.response_key(created, id);
        self.put("responses", &[&key, attributes].concat()).await;
    }

    /// Returns the key of a response record.
    pub fn response_key(&self, created: &str, id: &str) -> [(&'static str, AttributeValue); 2] {
        [
            ("shard", s(&format!("{}#{}", self.id, shard_of(id)))),
            ("at", s(&format!("{created}#{id}"))),
        ]
    }

    /// Writes many items, a hundred at a time: each write of its own waits for the disk.
    pub async fn put_many(&self, table: &str, items: Vec<Vec<(&str, AttributeValue)>>) {
        let put = |attributes: &Vec<(&str, AttributeValue)>| {
            let put = Put::builder().table_name(table);
            let put = put.set_item(Some(item(attributes))).build();
            TransactWriteItem::builder().put(put.unwrap()).build()
        };
        for items in items.chunks(100) {
            let puts = items.iter().map(put).collect();
            let write = self.dynamodb.transact_write_items();
            let write = write.set_transact_items(Some(puts));
            write.send().await.unwrap();
        }
    }
}
