//! Random records and combinations of parameters: the figures equal those of a naive model. What the
//! intervals of a zone are is tested elsewhere; here they must cover the period without gaps.

mod cases;
mod compared;
mod naive;

use chrono::TimeDelta;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use test_support::stub::Answer;

use crate::support::{
    Api, Item, Operation, Reply, app_of, app_with, ask, client_of_pages, decoded, item, members_of,
    page,
};
use cases::{
    Request, by_plan, canonical, comparison, confidence, judged_group, keyed, of_group,
    planned_record, query, record, request, write,
};
use naive::Interval;

fn interval(element: &Value) -> Interval {
    let attributes = &element["attributes"];
    let [start, end] = ["start", "end"].map(|name| attributes[name].as_str().unwrap());
    (start.parse().unwrap(), end.parse().unwrap())
}

/// Checks that the elements have adjacent intervals that cover the period, with `columns` elements in
/// each; returns the intervals.
fn intervals(data: &[Value], request: &Request, columns: usize) -> Vec<Interval> {
    if columns == 0 || (request.start == request.end && request.interval != Some("all")) {
        assert_eq!(data, [] as [Value; 0], "{request:?}");
        return Vec::new();
    }
    let intervals: Vec<_> = data.iter().step_by(columns).map(interval).collect();
    for (n, element) in data.iter().enumerate() {
        assert_eq!(interval(element), intervals[n / columns], "{request:?}");
    }
    let whole = (intervals[0].0, intervals[intervals.len() - 1].1);
    assert_eq!(whole, (request.start, request.end), "{request:?}");
    let is_long = |(start, end)| start < end || request.interval == Some("all");
    assert!(intervals.iter().copied().all(is_long), "{request:?}");
    let are_adjacent = intervals.windows(2).all(|pair| pair[0].1 == pair[1].0);
    assert!(are_adjacent, "{request:?}");
    intervals
}

/// Compares a response with what these records make of the request.
fn compare(reply: &Reply, records: &[Item], request: &Request) -> Result<(), TestCaseError> {
    prop_assert_eq!(reply.status, 200, "{:?} {:?}", request, reply);
    let data = reply.json()["data"].as_array().unwrap().clone();
    // A response without elements does not say where its first interval ends. The later it ended, the fewer
    // dates before the period its window had.
    let first = match data.first() {
        Some(element) if request.window.is_some() => interval(element),
        _ => (request.start, request.end),
    };
    let groups = naive::groups(&naive::matching(records, first, request), request);
    let intervals = match request.interval {
        Some(_) => intervals(&data, request, groups.len()),
        None => vec![(request.start, request.end)],
    };
    let attributes = data.iter().map(|element| element["attributes"].clone());
    let mut found: Vec<_> = attributes.collect();
    let mut window_starts = Vec::new();
    for attributes in &mut found {
        let members = attributes.as_object_mut().unwrap();
        let bounds = ["start", "end"].map(|name| members.remove(name).is_some());
        prop_assert_eq!(bounds, [request.interval.is_some(); 2]);
        let start = members.remove("windowStart");
        prop_assert_eq!(start.is_some(), request.window.is_some());
        window_starts.extend(start);
    }
    if let Some(days) = request.window {
        for (element, start) in window_starts.iter().enumerate() {
            let (_, end) = intervals[element / groups.len()];
            let last = naive::date(end - TimeDelta::milliseconds(1), request);
            let first = (last - TimeDelta::days(days - 1)).to_string();
            let text = start.as_str().unwrap();
            let is_first = text.starts_with(&(first + "T00:00:00.000"));
            prop_assert!(is_first, "{:?} {}", request, text);
        }
    }
    let expected = naive::elements(&groups, &intervals, request);
    prop_assert_eq!(found, expected, "{:?}", request);
    Ok(())
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// Asks for all of this, of a data folder with these records, and checks each response.
fn ask_folder(
    records: &[Item],
    requests: &[Request],
    check: impl Fn(&Reply, &[Item], &Request) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    runtime().block_on(async {
        let project = write(records).await;
        for request in requests {
            let reply = Api::shared().statistics(&project, &query(request)).await;
            check(&reply, records, request)?;
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn figures_of_a_data_folder_equal_those_of_a_naive_model(
        records in vec(record(), 0..40), requests in vec(request(), 1..8),
    ) {
        let records: Vec<_> = records.into_iter().enumerate().map(keyed).collect();
        ask_folder(&records, &requests, compare)?;
    }

    #[test]
    fn comparisons_equal_those_of_a_naive_model(
        records in vec((planned_record(), 1..50_usize), 0..12), requests in vec(comparison(), 1..8),
    ) {
        // Enough records alike for verdicts.
        let alike = records.into_iter().flat_map(|(record, count)| std::iter::repeat_n(record, count));
        let records: Vec<_> = alike.enumerate().map(keyed).collect();
        ask_folder(&records, &requests, compared::check)?;
    }

    #[test]
    fn a_change_is_clear_exactly_if_its_range_leaves_out_zero(
        groups in vec(judged_group(), 1..6), confidence in confidence(),
    ) {
        // Few different groups, so that some are equal.
        let records = groups.iter().enumerate().flat_map(|(n, group)| of_group(n, group));
        let mut records: Vec<_> = records.collect();
        records.sort_by_key(|(at, _)| *at);
        let stored = records.iter().map(|(at, item)| (canonical(*at), members_of(item)));
        let app = app_of(&stored.collect::<Vec<_>>());
        let records: Vec<_> = records.into_iter().enumerate().map(keyed).collect();
        let request = Request { confidence, ..by_plan() };
        let query = query(&request);
        let reply = runtime().block_on(ask(&app, Operation::Statistics, &query));
        compared::check(&reply, &records, &request)?;
    }

    #[test]
    fn figures_of_arbitrary_pages_equal_those_of_the_items_that_the_sdk_decodes(
        attributes in vec(item("rating dismissed traits userId"), 0..10), records in vec(record(), 10),
        request in request(), noise in vec(any::<u8>(), 1..40),
    ) {
        let instants = records.into_iter().map(|(at, _)| at);
        let items: Vec<_> = instants.zip(attributes).enumerate().map(keyed).collect();
        // The page has all records, whatever the period, and all are of one shard.
        let [start, end] = ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"].map(|at| at.parse().unwrap());
        let request = Request { start, end, word: None, latest: false, ..request };
        runtime().block_on(async {
            let client = client_of_pages(vec![Answer::from(page(&items, noise)).checked()]);
            let reply = ask(&app_with(&client), Operation::Statistics, &query(&request)).await;
            compare(&reply, &decoded(&client).await, &request)
        })?;
    }
}
