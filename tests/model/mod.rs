//! Random records and combinations of parameters: the figures equal those of a naive model. What the
//! intervals of a zone are is tested elsewhere; here they must cover the period without gaps.

mod cases;
mod naive;

use chrono::{DateTime, Utc};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{Api, Project};
use cases::{Request, query, record, request, write};
use naive::Interval;

/// Checks that the elements have adjacent intervals that cover the period, with `columns` elements in
/// each; returns the intervals.
fn intervals(data: &[Value], request: &Request, columns: usize) -> Vec<Interval> {
    if request.start == request.end || columns == 0 {
        assert_eq!(data, [] as [Value; 0], "{request:?}");
        return Vec::new();
    }
    let instant = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let interval = |element: &Value| {
        let attributes = &element["attributes"];
        (instant(&attributes["start"]), instant(&attributes["end"]))
    };
    let intervals: Vec<_> = data.iter().step_by(columns).map(interval).collect();
    for (n, element) in data.iter().enumerate() {
        assert_eq!(interval(element), intervals[n / columns], "{request:?}");
    }
    let whole = (intervals[0].0, intervals[intervals.len() - 1].1);
    assert_eq!(whole, (request.start, request.end), "{request:?}");
    assert!(
        intervals.iter().all(|(start, end)| start < end),
        "{request:?}"
    );
    assert!(
        intervals.windows(2).all(|pair| pair[0].1 == pair[1].0),
        "{request:?}"
    );
    intervals
}

/// Adds up the counts of all elements.
fn sum(data: &[Value]) -> Vec<u64> {
    let attributes = || data.iter().map(|element| &element["attributes"]);
    let names = [
        "responses",
        "displays",
        "dismissed",
        "promoters",
        "passives",
        "detractors",
    ];
    let counts = names.map(|name| attributes().map(|one| one[name].as_u64().unwrap()).sum());
    let frequency = (0..11).map(|n| {
        attributes()
            .map(|one| one["frequency"][n].as_u64().unwrap())
            .sum()
    });
    counts.into_iter().chain(frequency).collect()
}

async fn elements(project: &Project, request: &Request) -> Vec<Value> {
    let reply = Api::shared().statistics(project, &query(request)).await;
    assert_eq!(reply.status, 200, "{request:?} {reply:?}");
    reply.json()["data"].as_array().unwrap().clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn figures_equal_those_of_a_naive_model_and_add_up_to_the_plain_response(
        records in vec(record(), 0..40), requests in vec(request(), 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let project = write(&records).await;
            for request in &requests {
                let data = elements(&project, request).await;
                let groups = naive::groups(naive::matching(&records, request), request);
                let intervals = match request.interval {
                    Some(_) => intervals(&data, request, groups.len()),
                    None => vec![(request.start, request.end)],
                };
                let mut found: Vec<_> = data.iter().map(|element| element["attributes"].clone()).collect();
                for attributes in &mut found {
                    let members = attributes.as_object_mut().unwrap();
                    let bounds = ["start", "end"].map(|name| members.remove(name).is_some());
                    prop_assert_eq!(bounds, [request.interval.is_some(); 2]);
                }
                prop_assert_eq!(found, naive::elements(&groups, &intervals, request), "{:?}", request);
                let plain = Request { interval: None, group_by: None, ..request.clone() };
                prop_assert_eq!(sum(&data), sum(&elements(&project, &plain).await));
            }
            Ok(())
        })?;
    }
}
