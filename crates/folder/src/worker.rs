//! The thread that writes the database.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use dynoxide::Database;
use rusqlite::Connection;
use tokio::sync::oneshot;

/// dynoxide parses expressions recursively: one of the 4 KB that it accepts takes more than the 2 MB of
/// other threads, and a stack that overflows ends the process. Memory is taken only as it is used.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce(&Database, &mut Connection) + Send>;

/// Runs functions that write a database, with or without dynoxide, on a thread of its own, one at a time and in
/// their order. Dropping it waits for them and closes the database.
pub(super) struct Worker {
    /// `None` while it is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(database: Database, writer: Connection) -> std::io::Result<Self> {
        let (jobs, received) = channel();
        let thread = Builder::new()
            .name("writer".to_owned())
            .stack_size(STACK)
            .spawn(move || work(&database, writer, &received))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Runs a function. Returns `None` if it panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        function: impl FnOnce(&Database, &mut Connection) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, returned) = oneshot::channel();
        let job: Job = Box::new(move |database, writer| {
            // The caller may have been dropped before its turn.
            if !sender.is_closed() {
                let _ = sender.send(function(database, writer));
            }
        });
        self.jobs.as_ref()?.send(job).ok()?;
        returned.await.ok()
    }
}

fn work(database: &Database, mut writer: Connection, jobs: &Receiver<Job>) {
    for job in jobs {
        let _ = catch_unwind(AssertUnwindSafe(|| job(database, &mut writer)));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
