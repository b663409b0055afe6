//! Reads the records of a period, several shards at a time.

use futures_util::stream::{FuturesUnordered, StreamExt};
use shared::error::Error;
use shared::http::Call;
use shared::items::{RecordSelection, ResponseRow, Shard};
use shared::model::Period;
use shared::store::{self, PATIENCE, RecordRange, ResponsePage, Store, pause};
use tokio::time::{Instant, sleep, timeout_at};

use crate::query::StatisticsQuery;
use crate::refusals::period_too_large;

/// What is gathered from the records of all shards.
pub(crate) trait Gather {
    /// Takes a record of this shard. The records of a shard arrive in the order of their keys.
    fn add(&mut self, shard: Shard, row: &ResponseRow<'_>);

    /// Returns the refusal of a request whose records exceed a limit. Once there is one, nothing is
    /// gathered.
    fn refusal(&self) -> Option<Error>;
}

/// Reads all shards into one whole, so that limits do not depend on how records are distributed.
///
/// The pages of a shard are read one after the other, and those of different shards at the same time.
pub(crate) async fn gather<G: Gather>(
    call: &Call,
    store: &Store,
    query: &StatisticsQuery,
    mut gathered: G,
) -> Result<G, Error> {
    if query.period.is_empty() {
        return Ok(gathered);
    }
    let selection = query.selection();
    let end = call.deadline.end();
    let mut unread: Vec<_> = ShardReader::of_all_shards(query.period).collect();
    let mut reads = FuturesUnordered::new();
    let mut last_page = Instant::now();
    // Why the last read failed, if it was throttled.
    let mut throttling = None;
    loop {
        while reads.len() < store.concurrent_pages()
            && let Some(reader) = unread.pop()
        {
            reads.push(reader.read(store, query, &selection));
        }
        let read = match end {
            Some(end) => timeout_at(end, reads.next()).await,
            None => Ok(reads.next().await),
        };
        let (Ok(read), false) = (read, call.deadline.is_over()) else {
            let late = || period_too_large(call.usage.totals().records);
            return Err(throttling.map_or_else(late, Error::from));
        };
        let Some((mut reader, page)) = read else {
            return Ok(gathered);
        };
        let now = Instant::now();
        match page {
            Ok(page) => {
                let shard = reader.range.shard;
                let last_key = page.read(&selection, &call.usage, &mut |row| {
                    gathered.add(shard, &row);
                })?;
                if let Some(refusal) = gathered.refusal() {
                    return Err(refusal);
                }
                if last_key.is_some() {
                    reader.continue_after(last_key);
                    unread.push(reader);
                }
                (last_page, throttling) = (now, None);
            }
            Err(error) if error.is_throttled() => {
                if end.is_none() && now > last_page + PATIENCE {
                    return Err(error.into());
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
    range: RecordRange,
    /// How often it was throttled in a row.
    throttled: u32,
}

impl ShardReader {
    fn of_all_shards(period: Period) -> impl Iterator<Item = Self> {
        Shard::all().map(move |shard| Self {
            range: RecordRange {
                shard,
                period,
                after: None,
            },
            throttled: 0,
        })
    }

    /// Reads a page, after a pause if the last read was throttled.
    async fn read(
        self,
        store: &Store,
        query: &StatisticsQuery,
        selection: &RecordSelection,
    ) -> (Self, Result<ResponsePage, store::Error>) {
        if self.throttled > 0 {
            sleep(pause(self.throttled)).await;
        }
        let page = store
            .responses(&query.project, &self.range, selection)
            .await;
        (self, page)
    }

    fn continue_after(&mut self, last_key: Option<String>) {
        self.range.after = last_key;
        self.throttled = 0;
    }
}
