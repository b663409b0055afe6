//! Responses that share the memory of a server.

use std::pin::pin;

use futures_util::poll;
use tokio::sync::Notify;

use super::*;
use crate::shares::Purpose;

#[tokio::test]
async fn requests_wait_for_memory_until_others_are_closed_and_small_ones_do_not() {
    let limits = ClientLimits {
        connections: 99,
        stall: Duration::from_secs(1),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut unread = Vec::new();
    for _ in 0..MANY {
        let waited = wait_for(&server, "/large/small").await;
        assert!(waited < limits.stall / 2, "{waited:?}");
        let mut client = request(&server, "/large").await;
        client.read_exact(&mut [0; 15]).await.unwrap();
        unread.push(client);
    }
    let [small, large] = ["/small", "/large/small"].map(|path| wait_for(&server, path));
    let (small, large) = tokio::join!(small, large);
    assert!(small < limits.stall / 2, "{small:?}");
    assert!(large > limits.stall / 2, "{large:?}");
}

/// Returns how many of these streams have room at once in two megabytes.
async fn streams_at_once(path: &str) -> usize {
    let limits = ClientLimits {
        connections: 9,
        ..PATIENT
    };
    let server = start_with_memory(limits, Memory::new(2, 1)).await;
    let mut held = Vec::new();
    loop {
        let mut client = request(&server, path).await;
        let mut first = [0; 15];
        let read = client.read_exact(&mut first);
        if tokio::time::timeout(Duration::from_millis(300), read)
            .await
            .is_err()
        {
            return held.len();
        }
        held.push(client);
    }
}

#[tokio::test]
async fn a_compressed_stream_takes_more_memory_than_a_plain_one() {
    assert_eq!(streams_at_once("/stream").await, 5);
    assert_eq!(streams_at_once("/stream/compressed").await, 2);
}

/// Returns whether the server closes the connection within so many milliseconds. Its client reads on.
async fn is_closed_within(client: &mut TcpStream, millis: u64) -> bool {
    let end = async {
        let mut part = vec![0; 64 << 10];
        while client.read(&mut part).await.is_ok_and(|length| length > 0) {}
    };
    tokio::time::timeout(Duration::from_millis(millis), end)
        .await
        .is_ok()
}

#[tokio::test]
async fn large_responses_that_are_read_slowly_give_way_to_those_that_wait_for_memory() {
    let limits = ClientLimits {
        connections: 99,
        least: Duration::from_millis(1_500),
        ..PATIENT
    };
    let server = start(limits).await;
    let started = Instant::now();
    let mut stream = request(&server, "/stream").await;
    stream.read_exact(&mut [0; 15]).await.unwrap();
    let mut slow = Vec::new();
    for _ in 0..MANY {
        let mut client = request(&server, "/large").await;
        // The last one waits, because the stream has some room.
        if slow.len() + 1 < MANY {
            client.read_exact(&mut [0; 15]).await.unwrap();
        }
        slow.push(client);
    }
    wait_for(&server, "/small").await;
    assert!(started.elapsed() < limits.least, "others answer");
    wait_for(&server, "/large/small").await;
    assert!(started.elapsed() > limits.least, "nobody gave way early");
    assert!(is_closed_within(&mut slow[0], 10_000).await);
    assert!(!is_closed_within(&mut slow[MANY - 1], 100).await);
    assert!(
        !is_closed_within(&mut stream, 100).await,
        "there were others"
    );
}

#[tokio::test]
async fn small_responses_give_way_when_no_large_one_is_left() {
    let limits = ClientLimits {
        connections: 9,
        least: Duration::from_millis(500),
        ..PATIENT
    };
    let server = start_with_memory(limits, Memory::new(2, 1)).await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        streams.push(request(&server, "/stream").await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let waited = wait_for(&server, "/large/small").await;
    assert!(waited >= limits.least / 2, "{waited:?}");
    assert!(is_closed_within(&mut streams[0], 10_000).await);
    assert!(!is_closed_within(&mut streams[4], 100).await);
}

#[tokio::test(start_paused = true)]
async fn small_responses_stay_while_those_who_wait_get_room_one_after_the_other() {
    let second = Duration::from_secs(1);
    let shares = Shares::new(2);
    let [closing, others]: [Arc<Notify>; 2] = Default::default();
    let small = shares.take(1, Purpose::Reading, second, &closing).await;
    small.hold(1, Purpose::OtherResponse, Duration::ZERO);
    let read = async || {
        let _room = shares.take(1, Purpose::Reading, second, &others).await;
        tokio::time::sleep(second * 2 / 3).await;
    };
    tokio::join!(read(), read(), read(), read());
    let is_closing = tokio::time::timeout(second, closing.notified()).await;
    assert!(is_closing.is_err(), "somebody gave way");
}

#[tokio::test(start_paused = true)]
async fn a_busy_client_gives_way_only_if_there_is_no_other_place() {
    let shares = Shares::new(2);
    let closing = Arc::<Notify>::default();
    let take = |purpose| shares.take(1, purpose, Duration::from_secs(10), &closing);
    let busy = take(Purpose::KeptConnection).await;
    for (purpose, gives_way) in [(Purpose::NewConnection, false), (Purpose::Request, true)] {
        let other = take(purpose).await;
        assert!(!busy.gives_way(), "nobody waits");
        let mut waiting = pin!(take(Purpose::NewConnection));
        assert!(poll!(waiting.as_mut()).is_pending());
        assert_eq!(busy.gives_way(), gives_way);
        drop(other);
        assert!(!busy.gives_way(), "there is room");
        waiting.await;
    }
}
