//! Reads projects in simulated time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod shapes;
mod simulation;

use std::iter;
use std::time::Duration;

use shapes::{Random, Shape};
use shared::model::Period;
use tokio::time::Instant;

use super::Slices;
use simulation::{Project, Speed};

/// The pages of 1,000,000 records of 174 bytes, and of 92 in the index.
const OF_TABLE: f64 = 166.0;
const OF_INDEX: f64 = 88.0;

#[test]
fn a_period_is_read_as_fast_as_the_store_allows() {
    let half_in_a_tenth = Shape::Burst {
        share: 4.0 / 9.0,
        begin: 0.45,
        length: 0.1,
    };
    let slow = Speed::of(150);
    let fast = Speed::of(20);
    for (shape, pages, speed, times) in [
        (Shape::Uniform, OF_TABLE, slow, 2.5),
        (half_in_a_tenth, OF_TABLE, slow, 1.8),
        (Shape::Growth(40.0), OF_TABLE, slow, 2.5),
        (Shape::Dates, OF_TABLE, slow, 2.5),
        (Shape::Uniform, OF_INDEX, slow, 2.0),
        (half_in_a_tenth, OF_INDEX, slow, 2.0),
        (Shape::Uniform, OF_TABLE, fast, 2.5),
        (Shape::Uniform, OF_TABLE, slow.throttled(), 2.5),
        (Shape::Uniform, OF_TABLE, fast.throttled(), 0.97),
        (half_in_a_tenth, OF_TABLE, fast.throttled(), 0.97),
        (Shape::Uniform, 5.0 * OF_TABLE, fast.throttled(), 0.97),
    ] {
        let project = Project::new(shape, pages, &mut Random(29));
        let [divided, undivided] = [speed, speed.undivided()].map(|speed| project.read(speed));
        let queries = divided.queries as f64 / undivided.queries as f64;
        assert!(
            undivided.took >= divided.took.mul_f64(times) && queries <= 1.15,
            "{shape:?} {pages} {speed:?}: {divided:?} {undivided:?}"
        );
    }
}

#[test]
fn records_that_begin_late_are_divided_as_others_are() {
    for length in [0.5, 0.1, 0.01] {
        let late = Shape::Burst {
            share: 1.0,
            begin: 1.0 - length,
            length,
        };
        let speed = Speed::of(150);
        let project = Project::new(late, OF_TABLE, &mut Random(29));
        let [divided, undivided] = [speed, speed.undivided()].map(|speed| project.read(speed).took);
        assert!(
            undivided > 2 * divided,
            "{length} {divided:?} {undivided:?}"
        );
    }
}

#[test]
fn random_projects_cost_hardly_more_and_none_takes_longer() {
    let mut random = Random(29);
    let (mut queries, mut pages) = (0, 0);
    for _ in 0..100 {
        let shape = Shape::random(&mut random);
        let project = Project::new(shape, random.between(20.0, 300.0), &mut random);
        let speed = Speed::of(150);
        let [divided, undivided] = [speed, speed.undivided()].map(|speed| project.read(speed));
        assert!(
            divided.units < 1.01 * undivided.units,
            "{shape:?} {divided:?} {undivided:?}"
        );
        assert!(
            divided.took <= undivided.took,
            "{shape:?} {divided:?} {undivided:?}"
        );
        (queries, pages) = (queries + divided.queries, pages + undivided.queries);
    }
    assert!(queries * 100 <= pages * 115, "{queries} {pages}");
}

#[test]
fn what_was_sent_before_a_pause_does_not_extend_it() {
    let now = Instant::now();
    let period = Period::new("2026-01-01".parse().unwrap(), "2026-02-01".parse().unwrap());
    let mut slices = Slices::new(period, 4, now);
    let take_all = |slices: &mut Slices| iter::from_fn(|| slices.take(now)).collect::<Vec<_>>();
    for slice in take_all(&mut slices) {
        let last_key = (slice.range.shard == 0).then(|| "2026-01-02T00:00:00.000Z#1".to_owned());
        slices.read(slice, last_key);
    }
    let mut sent = take_all(&mut slices).into_iter();
    slices.throttled(sent.next().unwrap(), now);
    let resumes = slices.resumes(now);
    slices.throttled(sent.next().unwrap(), now + Duration::from_secs(1));
    assert_eq!(slices.resumes(now), resumes);
}

#[test]
fn a_period_of_one_page_is_read_with_a_query_for_each_shard() {
    let project = Project::new(Shape::Uniform, 2.0, &mut Random(29));
    assert_eq!(project.read(Speed::of(150)).queries, 4);
}
