//! Users who are almost, or just, too large.

use encoding::{MAX_SIZE, item_size};

use super::*;

fn merge_texts<'a>(stored: Option<&'a str>, texts: &'a [String]) -> Merged<'a> {
    let records = texts.iter().map(String::as_str).enumerate();
    super::super::merge_all(PagedTable::Users, stored, records).unwrap()
}

/// Where the JSON of a padded user has its padding.
const PADDING: &str = r#""pad":{"S":""#;

/// Returns the JSON of a user with a trait of this length.
fn padded(mut user: Item, length: usize) -> String {
    let traits = user.entry("traits".to_owned());
    let traits = traits.or_insert_with(|| AttributeValue::M(Item::new()));
    let AttributeValue::M(traits) = traits else {
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
        let records = records.iter().map(|(at, said)| encode(&user_record(*at, said)).unwrap());
        let records: Vec<_> = records.collect();
        let small = padded(user.clone(), 0);
        let with_all = merge_texts(Some(&small), &records).item;
        let size_with_all = item_size(with_all.as_deref().unwrap_or(&small)).unwrap();
        let room = MAX_SIZE - item_size(&small).unwrap();
        let stored = padded(user, (MAX_SIZE - size_with_all + missing).min(room));
        let merged = merge_texts(Some(&stored), &records);

        // All at once if the user has room for them, or else one by one, into a user who is far from the limit and then
        // measured.
        let away = "x".repeat(2000);
        let fits = |user: &str| item_size(user).unwrap() + away.len() <= MAX_SIZE;
        let (mut user, mut too_large) = (stored.replacen(&away, "", 1), Vec::new());
        let with_all = merge_texts(Some(&user), &records).item;
        let has_room = with_all.is_none_or(|with_all| fits(&with_all));
        let at_once = if has_room { records.len().max(1) } else { 1 };
        for (position, records) in records.chunks(at_once).enumerate() {
            match merge_texts(Some(&user), records).item.map(Cow::into_owned) {
                Some(next) if fits(&next) => user = next,
                Some(_) => too_large.push(position),
                None => {}
            }
        }
        let user = user.replacen(PADDING, &format!("{PADDING}{away}"), 1);
        prop_assert_eq!(&merged.too_large, &too_large);
        prop_assert!(merged.item.as_deref().unwrap_or(&stored) == user);
    }
}
