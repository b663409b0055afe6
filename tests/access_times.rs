//! Whether the time of a refusal tells something about a secret.

use std::time::Instant;

use crate::support::{Project, STATISTICS, new_project, sha256, status};

/// The requests with each kind of secret.
const ROUNDS: usize = 2_000;

/// The kinds of secrets, all of which are refused.
const KINDS: [&str; 4] = [
    "unknown",
    "unknown, and a valid one but for its last character",
    "revoked",
    "malformed",
];

/// Returns a secret as long as those that are generated, the same for the same text.
fn secret(text: &str) -> String {
    sha256(text)[..43].to_owned()
}

/// Returns the header line of a request with a secret of this kind.
fn line(kind: usize, round: usize, valid: &str, revoked: &str) -> (&'static str, String) {
    let secret = match kind {
        0 => secret(&format!("unknown {round}")),
        1 => {
            let last = b'g' + u8::try_from(round % 20).unwrap();
            format!("{}{}", &valid[..42], char::from(last))
        }
        2 => revoked.to_owned(),
        _ => return ("Authorization", "Basic ????".to_owned()),
    };
    ("AuthKey", secret)
}

/// Measures requests of all kinds, interleaved in an order that differs in each round. Returns the
/// microseconds of each kind.
async fn measure(own: &Project, valid: &str, revoked: &str) -> [Vec<f64>; KINDS.len()] {
    let mut times = KINDS.map(|_| Vec::new());
    for round in 0..ROUNDS {
        let mut order: Vec<_> = (0..KINDS.len()).collect();
        order.sort_by_key(|kind| sha256(&format!("{round} {kind}")));
        for kind in order {
            let (name, value) = line(kind, round, valid, revoked);
            let target = own.target(STATISTICS);
            let started = Instant::now();
            let status = status(&target, &[(name, &value)]).await;
            times[kind].push(started.elapsed().as_secs_f64() * 1e6);
            assert_eq!(status, 401, "{}", KINDS[kind]);
        }
    }
    times
}

/// Returns the probability that one of `times` is longer than one of `others`.
#[allow(clippy::cast_precision_loss)] // the samples are small
fn probability(times: &[f64], others: &[f64]) -> f64 {
    let mut sorted = others.to_vec();
    sorted.sort_by(f64::total_cmp);
    let shorter = |time: &f64| {
        let below = sorted.partition_point(|other| other < time);
        let equal = sorted.partition_point(|other| other <= time) - below;
        below as f64 + equal as f64 / 2.0
    };
    let pairs = (times.len() * others.len()) as f64;
    times.iter().map(shorter).sum::<f64>() / pairs
}

#[tokio::test]
#[ignore = "measures for half a minute on a quiet machine"]
async fn the_time_of_a_refusal_does_not_tell_how_much_of_a_secret_is_right() {
    let (own, another) = (new_project().await, new_project().await);
    let (valid, revoked) = (secret("valid"), secret("revoked"));
    another.add_read_key(&valid).await;
    another.add_read_key(&revoked).await;
    another.revoke(&revoked).await;
    let times = measure(&own, &valid, &revoked).await;
    let slower = times.each_ref().map(|it| probability(it, &times[0]));
    for kind in [1, 2] {
        assert!((slower[kind] - 0.5).abs() < 0.05, "{}", KINDS[kind]);
    }
    // Without a read of the store, which shows that the measurement is fine enough.
    assert!(slower[3] < 0.4, "{}", slower[3]);
}
