//! The store of a lane: one that speaks HTTP, or a data folder.

use std::sync::Arc;

use super::callers::Kind;
use super::faults::Fault;
use super::folder::Folder;
use super::folder_faults::FolderFault;
use super::injector::{Budget, Injected, Injector};
use super::proxy::Proxy;
use super::requests::Request;
use test_support::Random;

/// A store with faults.
pub(super) enum Store {
    Remote(Proxy, Arc<Injector<Fault>>),
    Folder(Folder, Arc<Injector<FolderFault>>),
}

impl Store {
    /// Starts the store of a lane, which injects no faults yet.
    pub(super) async fn start(kind: Kind, folder: &Folder, budget: Arc<Budget>) -> Self {
        if kind == Kind::Folder {
            return Self::Folder(folder.clone(), Injector::new(budget));
        }
        let injector = Injector::new(budget);
        Self::Remote(Proxy::start(injector.clone()).await, injector)
    }

    /// Stores the credential of the secret of this number.
    pub(super) async fn authorize(&self, request: Request, secret: u64) {
        // The other has all credentials.
        if let Self::Folder(folder, _) = self {
            folder.authorize(&request.secret(secret)).await;
        }
    }

    /// Injects the faults of a case from now on.
    pub(super) fn begin(&self, random: Random) {
        match self {
            Self::Remote(_, injector) => injector.begin(random),
            Self::Folder(_, injector) => injector.begin(random),
        }
    }

    /// Injects no more faults; returns those of the case.
    pub(super) fn end(&self) -> Vec<Injected> {
        match self {
            Self::Remote(_, injector) => injector.end(),
            Self::Folder(_, injector) => injector.end(),
        }
    }
}
