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
use shared::store::PageEnd;
use tokio::time::Instant;

use super::Slices;
use simulation::{Project, Speed, TIME};

/// Returns stores from one that is slow to one that throttles.
fn random_speed(random: &mut Random) -> Speed {
    let speed = Speed::of(random.between(800.0, 2400.0) as u64);
    match random.between(0.0, 3.0) as u8 {
        0 => Speed {
            pages: Some(random.between(1.5, 3.0)),
            ..speed
        },
        _ => speed,
    }
}

#[test]
fn projects_that_fit_are_never_refused_and_cost_hardly_more() {
    let mut random = Random(29);
    let mut fitting = 0;
    while fitting < 500 {
        let (shape, speed) = (Shape::random(&mut random), random_speed(&mut random));
        let pages = random.between(0.02, 1.1) * speed.capacity();
        let project = Project::new(shape, pages, &mut random);
        let outcome = project.read(speed, None);
        if outcome.took > TIME {
            continue;
        }
        fitting += 1;
        let refused = outcome.refused;
        assert!(refused.is_none(), "{shape:?} {speed:?} {pages} {refused:?}");
        let rise = outcome.units / project.units();
        assert!(rise < 1.02, "{shape:?} {speed:?} {pages}: {rise}");
    }
}

#[test]
fn projects_ten_times_too_large_are_refused_within_two_seconds_with_a_start_that_fits() {
    let mut random = Random(29);
    let growth = [2.0, 5.0, 10.0, 20.0].map(Shape::Growth);
    for speed in [Speed::of(150), Speed::of(500), Speed::of(20).throttled()] {
        for shape in [Shape::Uniform].into_iter().chain(growth) {
            let pages = 10.0 * speed.capacity();
            let project = Project::new(shape, pages, &mut random);
            let (when, meta) = project.refusal(speed);
            assert!(
                when < Duration::from_secs(2),
                "{shape:?} {speed:?} {when:?}"
            );
            let rest = project.read(speed, meta.start_date);
            assert!(
                rest.took < TIME && rest.refused.is_none(),
                "{shape:?} {speed:?} {meta:?} {rest:?}"
            );
        }
    }
}

#[test]
fn a_period_is_read_as_fast_as_the_store_allows() {
    let half_in_a_tenth = Shape::Burst {
        share: 4.0 / 9.0,
        begin: 0.45,
        length: 0.1,
    };
    // 1,000,000 records of 174 bytes have 166 pages.
    for (shape, speed, times) in [
        (Shape::Uniform, Speed::of(150), 3.0),
        (half_in_a_tenth, Speed::of(150), 2.0),
        (Shape::Growth(40.0), Speed::of(150), 2.0),
        (Shape::Uniform, Speed::of(20), 3.0),
        (Shape::Uniform, Speed::of(150).throttled(), 3.0),
        (Shape::Uniform, Speed::of(20).throttled(), 0.95),
        (half_in_a_tenth, Speed::of(20).throttled(), 0.95),
    ] {
        let project = Project::new(shape, 166.0, &mut Random(29));
        let [divided, undivided] =
            [speed, speed.undivided()].map(|speed| project.read(speed, None).took);
        assert!(
            undivided >= divided.mul_f64(times),
            "{shape:?} {speed:?}: {divided:?} {undivided:?}"
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
        let project = Project::new(late, 166.0, &mut Random(29));
        let [divided, undivided] =
            [speed, speed.undivided()].map(|speed| project.read(speed, None).took);
        assert!(
            undivided > 2 * divided,
            "{length} {divided:?} {undivided:?}"
        );
        let outcome = Project::new(late, 2000.0, &mut Random(29)).read(speed, None);
        assert!(
            outcome.took < TIME && outcome.refused.is_none(),
            "{length} {outcome:?}"
        );
    }
}

#[test]
fn a_store_that_is_slow_at_first_makes_no_request_too_large() {
    let speed = Speed {
        slow: Duration::from_secs(3),
        ..Speed::of(150)
    };
    for part in [0.3, 0.5, 0.7] {
        let pages = part * speed.capacity();
        let outcome = Project::new(Shape::Uniform, pages, &mut Random(29)).read(speed, None);
        assert!(
            outcome.took < TIME && outcome.refused.is_none(),
            "{part} {outcome:?}"
        );
    }
}

#[test]
fn what_was_sent_before_a_pause_does_not_extend_it() {
    let now = Instant::now();
    let period = Period::new("2026-01-01".parse().unwrap(), "2026-02-01".parse().unwrap());
    let mut slices = Slices::new(period, 16, now);
    let take_all = |slices: &mut Slices| iter::from_fn(|| slices.take(now)).collect::<Vec<_>>();
    for slice in take_all(&mut slices) {
        let last_key = (slice.range.shard == 0).then(|| "2026-01-02T00:00:00.000Z#1".to_owned());
        slices.read(
            slice,
            PageEnd {
                items: 100,
                last_key,
            },
            now,
        );
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
    assert_eq!(project.read(Speed::of(150), None).queries, 4);
}
