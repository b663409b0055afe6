//! Reads the records of a period, several shards at a time.

use futures_util::stream::{FuturesUnordered, StreamExt};
use http::StatusCode;
use items::{ItemSelection, ResponseItem, Shard};
use model::Timestamp;
use service::Call;
use service::error::{Cause, Error};
use store::{self, PATIENCE, ResponsePage, Store, pause};
use tokio::time::{Instant, sleep};

/// Reads the selected records of all shards, and calls `count` with each until it refuses one. Limits do not
/// depend on how records are distributed.
///
/// The request fails when a page does, because figures of part of the period would be plausible and wrong.
pub(crate) async fn read_records(
    call: &Call,
    store: &Store,
    selection: &ItemSelection,
    mut count: impl FnMut(Shard, &ResponseItem<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if selection.period.is_empty() {
        return Ok(());
    }
    let read = |shard, after| store.responses(selection, shard, after);
    let visit = |shard, page: ResponsePage| {
        let mut counted = Ok(());
        let last_key = page.read(selection, &call.usage, &mut |item| {
            if counted.is_ok() {
                counted = count(shard, &item);
            }
        })?;
        counted?;
        Ok(last_key)
    };
    read_shards(call, store, read, visit).await
}

/// Returns when the first record of the project was created, if it has records. It reads where the selected
/// records are read.
pub(crate) async fn first_record(
    call: &Call,
    store: &Store,
    selection: &ItemSelection,
) -> Result<Option<Timestamp>, Error> {
    let mut first = None;
    let read = |shard, _| store.first_response(selection, shard, &call.usage);
    let visit = |_, created: Option<Timestamp>| {
        first = first.into_iter().chain(created).min();
        Ok(None)
    };
    read_shards(call, store, read, visit).await?;
    Ok(first)
}

/// Reads pages of all shards, and calls `visit` with each, which returns the range key after which the shard is read
/// on. The pages of a shard are read one after the other, so that its records arrive in the order of their keys, and
/// those of different shards at the same time.
async fn read_shards<P, F: Future<Output = Result<P, store::Error>>>(
    call: &Call,
    store: &Store,
    read: impl Fn(Shard, Option<String>) -> F,
    mut visit: impl FnMut(Shard, P) -> Result<Option<String>, Error>,
) -> Result<(), Error> {
    let mut unread: Vec<_> = Shard::all().map(ShardReader::new).collect();
    let mut reads = FuturesUnordered::new();
    let mut last_page = Instant::now();
    // Why the last read failed, if it was throttled.
    let mut throttling = None;
    loop {
        // The first pages are asked for together: where the readers of a data folder are busy, a small request
        // waits for them once, and not once for every four shards.
        while let Some(reader) =
            unread.pop_if(|next| next.after.is_none() || reads.len() < store.concurrent_pages())
        {
            reads.push(reader.read(&read));
        }
        let (mut reader, page) = match call.deadline.limit(reads.next()).await {
            Ok(None) => return Ok(()),
            Ok(Some(finished)) if !call.deadline.is_over() => finished,
            _ => return Err(late(call, throttling)),
        };
        let now = Instant::now();
        match page {
            Ok(page) => {
                reader.after = visit(reader.shard, page)?;
                if reader.after.is_some() {
                    reader.throttled = 0;
                    unread.push(reader);
                }
                last_page = now;
                throttling = None;
            }
            Err(error) if error.is_throttled() => {
                if call.deadline.end().is_none() && now > last_page + PATIENCE {
                    return Err(late(call, Some(error)));
                }
                reader.throttled += 1;
                unread.push(reader);
                throttling = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// What is left to read of a shard.
#[derive(Debug)]
struct ShardReader {
    shard: Shard,
    /// The range key after which the next page begins.
    after: Option<String>,
    /// How many reads of the shard in a row were throttled.
    throttled: u32,
}

impl ShardReader {
    fn new(shard: Shard) -> Self {
        Self {
            shard,
            after: None,
            throttled: 0,
        }
    }

    /// Reads a page, after a pause if the last read was throttled.
    async fn read<P, F: Future<Output = Result<P, store::Error>>>(
        self,
        read: &impl Fn(Shard, Option<String>) -> F,
    ) -> (Self, Result<P, store::Error>) {
        if self.throttled > 0 {
            sleep(pause(self.throttled)).await;
        }
        let page = read(self.shard, self.after.clone()).await;
        (self, page)
    }
}

/// Makes the error of a request whose time is over, and whose last read was perhaps throttled. If it has read records,
/// the next attempt would read as many again.
fn late(call: &Call, throttling: Option<store::Error>) -> Error {
    let read = call.usage.totals();
    if read.pages > 0 {
        period_too_large(read.records)
    } else {
        throttling.map_or_else(Error::unavailable, Error::from)
    }
}

/// Makes the error of a period of which so many records were counted when the time was over.
fn period_too_large(counted: u64) -> Error {
    let detail = format!(
        "The period has more records than one request can read in time (counted until then: {counted}). Ask for a \
         shorter one.",
    );
    let words = ["period_too_large", "Period too large"];
    Error {
        cause: Some(Cause::TooLarge),
        ..Error::new(StatusCode::GATEWAY_TIMEOUT, words, detail)
    }
}
