//! Users who are almost, or just, too large.

use std::time::Instant;

use items::{MAX_SIZE, item_size};

use super::*;

fn merge_texts<'a>(stored: Option<&'a str>, texts: &'a [String]) -> Merged<'a> {
    let records = texts.iter().map(String::as_str).enumerate();
    super::super::merge_all(Table::Users, stored, records).unwrap()
}

/// Where the JSON of a padded user has its padding.
const PADDING: &str = r#""pad":{"S":""#;

/// Returns the JSON of a user with a trait of this length.
fn padded(mut user: Item, length: usize) -> String {
    let attribute = user
        .entry("traits".to_owned())
        .or_insert_with(|| AttributeValue::M(Item::new()));
    let AttributeValue::M(traits) = attribute else {
        unreachable!("traits are a map")
    };
    traits.insert("pad".to_owned(), s("x".repeat(length)));
    encode(&user).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn exactly_the_records_with_which_a_user_would_be_too_large_are_rejected(
        stored in foreign(), records in records(), missing in 0..600usize,
    ) {
        let user = foreign_user(&stored.unwrap_or_default());
        let texts: Vec<_> = records
            .iter()
            .map(|(at, said)| encode(&user_record(*at, said)).unwrap())
            .collect();
        let small = padded(user.clone(), 0);
        let with_all = merge_texts(Some(&small), &texts).item;
        let size_with_all = item_size(with_all.as_deref().unwrap_or(&small)).unwrap();
        let room = MAX_SIZE - item_size(&small).unwrap();
        let stored = padded(user, (MAX_SIZE - size_with_all + missing).min(room));
        let merged = merge_texts(Some(&stored), &texts);

        // One by one, and each into a user who is far from the limit and then measured.
        let away = "x".repeat(2000);
        let mut smaller = stored.replacen(&away, "", 1);
        let mut too_large = Vec::new();
        for (position, text) in texts.iter().enumerate() {
            let one = [text.clone()];
            match merge_texts(Some(&smaller), &one).item.map(Cow::into_owned) {
                Some(next) if item_size(&next).unwrap() + away.len() <= MAX_SIZE => smaller = next,
                Some(_) => too_large.push(position),
                None => {}
            }
        }
        let expected = smaller.replacen(PADDING, &format!("{PADDING}{away}"), 1);
        prop_assert_eq!(&merged.too_large, &too_large);
        prop_assert!(merged.item.as_deref().unwrap_or(&stored) == expected);
    }
}

/// Returns the JSON of a record that is newer than those of smaller numbers, with a trait.
fn record(number: usize, name: &str) -> String {
    let traits = Item::from([(name.to_owned(), s(format!("value {number:015}")))]);
    let as_of = s(format!("{}#{number:05}", day(0)));
    let mut user = item(&user_key(0), &Said::new());
    let traits = AttributeValue::M(traits);
    user.extend([("traits".to_owned(), traits), ("asOf".to_owned(), as_of)]);
    encode(&user).unwrap()
}

#[test]
fn a_full_user_takes_as_long_for_each_of_many_records_as_a_small_one() {
    let new_traits: Vec<_> = (0..6500).map(|n| record(n, &format!("t{n}"))).collect();
    let full = merge_texts(None, &new_traits);
    let stored = full.item.unwrap();
    let rejected = &new_traits[full.changes..];
    let accepted: Vec<_> = (0..500).map(|n| record(10_000 + n, "t0")).collect();
    for (records, accepted) in [(&rejected[..500], 0), (&accepted, 500)] {
        // The least of a few, because others use the processor, too.
        let time_of = |count: usize| {
            let times = (0..3).map(|_| {
                let started = Instant::now();
                let merged = merge_texts(Some(&stored), &records[..count]);
                let changes = accepted.min(count);
                assert_eq!(
                    (merged.changes, merged.too_large.len()),
                    (changes, count - changes)
                );
                started.elapsed()
            });
            times.min().unwrap()
        };
        // That is mostly the time of reading and writing the user. Measuring or copying the user for each record
        // would take hundreds of times as long.
        let one = time_of(1);
        let many = time_of(500);
        assert!(many < 20 * one, "{one:?} {many:?}");
    }
}
