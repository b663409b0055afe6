//! Random imports at the same time: whoever writes first, nothing is lost.

use super::*;

/// The hash key and the range key of an item.
type Key = [String; 2];

/// The items of a table, by key.
type Table = BTreeMap<Key, Item>;

fn key(of: Table, item: &Item) -> Key {
    let text = |name| string(item, name).unwrap().to_owned();
    of.key_names().map(text)
}

/// Updates an item as DynamoDB does; returns `false` if the condition does not hold.
fn write(table: &mut Table, of: Table, stored: Option<&Item>, item: &Item) -> bool {
    let update = update(of, stored, item);
    let key = key(of, item);
    let before = table.get(&key);
    let mut conditions = update.unless_changed.iter();
    if !conditions.all(|(name, value)| before.and_then(|item| item.get(*name)) == *value) {
        return false;
    }
    let now = table.entry(key).or_insert_with(|| update.key);
    for (name, value) in update.set {
        match value {
            Some(value) => drop(now.insert(name.to_owned(), value.clone())),
            None => drop(now.remove(name)),
        }
    }
    true
}

/// An import, one step at a time.
struct Import {
    of: Table,
    /// The records that are not written yet, by key.
    pending: BTreeMap<Key, Vec<(usize, Item)>>,
    /// What was read of them and is not written yet.
    read: Vec<(Key, Option<Item>)>,
}

impl Import {
    fn new(of: Table, records: Vec<Item>) -> Self {
        let mut pending: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (position, record) in numbered(records) {
            let key = key(of, &record);
            pending.entry(key).or_default().push((position, record));
        }
        let read = Vec::new();
        Self { of, pending, read }
    }

    /// Reads everything that is pending, or writes one item of what was read; returns whether there was
    /// anything to do.
    fn step(&mut self, table: &mut Table) -> bool {
        let Some((key, stored)) = self.read.pop() else {
            let keys = self.pending.keys().cloned();
            self.read = keys
                .map(|key| (key.clone(), table.get(&key).cloned()))
                .collect();
            return !self.read.is_empty();
        };
        let records = self.pending[&key].clone();
        let (merged, _) = merge_all(self.of, stored.as_ref(), records);
        if merged.is_none_or(|item| write(table, self.of, stored.as_ref(), &item)) {
            self.pending.remove(&key);
        }
        true
    }
}

/// Runs two imports and another program's steps, in the order that the schedule says.
fn interleave(
    of: Table,
    mut table: Table,
    files: [Vec<Item>; 2],
    schedule: &[u8],
    mut other: impl FnMut(&mut Table),
) -> Table {
    let mut imports = files.map(|records| Import::new(of, records));
    for step in schedule {
        match step {
            2 => other(&mut table),
            import => {
                imports[usize::from(*import)].step(&mut table);
            }
        }
    }
    for import in &mut imports {
        while import.step(&mut table) {}
    }
    table
}

fn response(key: usize, attributes: &[(&str, AttributeValue)], said: &Said) -> Item {
    let key = [
        ("shard", s("acme#0")),
        ("at", s(format!("{}#r{key}", day(0)))),
    ];
    item(&[&key[..], attributes].concat(), said)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn imports_at_the_same_time_lose_no_rating_and_no_user(
        said in vec(said(), KEYS), schedule in vec(0..3u8, 0..16), collected in 0..KEYS,
    ) {
        let rating = |key: usize| AttributeValue::N(key.to_string());
        let keys = || 0..KEYS;
        // The collector's own rating is in no file.
        let in_file = |key| (key != collected).then(|| ("rating", rating(key)));
        let rated = keys().map(|key| response(key, in_file(key).as_slice(), &Said::new()));
        let of_users = keys().map(|key| response(key, &[("userId", s("007"))], &said[key]));
        let files = [rated.collect(), of_users.collect()];
        let display = response(collected, &[("userId", s("collected"))], &Said::new());
        let key_of = |at| key(Table::Responses, &response(at, &[], &Said::new()));
        let table = Table::from([(key_of(collected), display)]);
        // Whose rating it is.
        let mut rated_by = None;
        let table = interleave(Table::Responses, table, files, &schedule, |table| {
            let item = table.get_mut(&key_of(collected)).unwrap();
            item.insert("rating".to_owned(), rating(collected));
            rated_by = item.get("userId").cloned();
        });
        for key in keys() {
            let stored = &table[&key_of(key)];
            let collected_of = rated_by.clone().filter(|_| key == collected);
            let is_rated = key != collected || collected_of.is_some();
            prop_assert_eq!(stored.get("rating").cloned(), is_rated.then(|| rating(key)));
            let user = collected_of.unwrap_or_else(|| s("007"));
            prop_assert_eq!(stored.get("userId").cloned(), Some(user));
            let traits = stored.get("traits").map_or(0, |traits| traits.as_m().unwrap().len());
            let said = said[key].keys().filter(|name| name.starts_with("traits."));
            prop_assert_eq!(traits, said.count());
        }
    }

    #[test]
    fn imports_at_the_same_time_make_the_users_of_one_import(
        records in records(), owners in vec((0..2usize, 0..KEYS), DAYS), schedule in vec(0..2u8, 0..24),
    ) {
        let of_key = |(at, said): &(usize, Said)| {
            let mut item = user_record(*at, said);
            item.extend(user_key(owners[*at].1).map(|(name, value)| (name.to_owned(), value)));
            item
        };
        let of_file = |file| {
            let theirs = records.iter().filter(|(at, _)| owners[*at].0 == file);
            theirs.map(of_key).collect::<Vec<_>>()
        };
        let table = interleave(Table::Users, Table::new(), [of_file(0), of_file(1)], &schedule, |_| {});
        let whole = [records.iter().map(of_key).collect(), Vec::new()];
        let one = interleave(Table::Users, Table::new(), whole, &[], |_| {});
        prop_assert_eq!(table, one);
    }
}
