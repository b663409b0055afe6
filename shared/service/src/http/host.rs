//! What serves several requests at once.

use futures_util::future::BoxFuture;

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
