//! What serves several requests at once.

use futures_util::future::BoxFuture;
use model::Digest;

use super::Call;

/// The host of a request, which bounds what all of its requests take up. Lambda runs one at a time, and has
/// none.
pub trait Host: Send + Sync {
    /// Notes that the credentials of the request are valid.
    fn authenticated(&self);

    /// Waits until there is room for what the request reads and responds.
    fn take_room(&self) -> BoxFuture<'_, ()>;

    /// Returns the room, for others to have meanwhile.
    fn return_room(&self);
}

impl Call {
    /// Records the verified credential for the log, which shows its short id, and for the host.
    pub fn record_credential(&self, digest: Digest) {
        self.credential.get_or_init(|| digest);
        if let Some(host) = &self.host {
            host.authenticated();
        }
    }

    /// Waits until there is room for what the request reads and responds. Whoever has it waits for nothing but
    /// reads.
    pub async fn take_room(&self) {
        if let Some(host) = &self.host {
            host.take_room().await;
        }
    }

    /// Returns the room before the request waits for something else.
    pub fn return_room(&self) {
        if let Some(host) = &self.host {
            host.return_room();
        }
    }
}
