//! What the other implementations count, and the request that they send.

use serde_json::json;

/// Names of traits, and the text that their values must contain.
pub(crate) type Filters<'a> = &'a [(&'a str, &'a str)];

/// Returns the projection of statistics, and the names that it stands for.
pub(crate) fn projection(filters: Filters<'_>) -> (String, Vec<(String, &str)>) {
    let mut paths = "#rating, #dismissed".to_owned();
    let mut names = vec![
        ("#rating".to_owned(), "rating"),
        ("#dismissed".to_owned(), "dismissed"),
    ];
    for (n, (name, _)) in filters.iter().enumerate() {
        paths += &format!(", #traits.#t{n}");
        names.push((format!("#t{n}"), name));
    }
    if !filters.is_empty() {
        names.push(("#traits".to_owned(), "traits"));
    }
    (paths, names)
}

/// The counts of the records of a shard.
#[derive(Default)]
pub(crate) struct Tally {
    displays: u64,
    dismissed: u64,
    frequency: [u64; 11],
}

impl Tally {
    /// Counts a record.
    pub(crate) fn count(&mut self, rating: Option<usize>, dismissed: bool) {
        self.displays += 1;
        if let Some(slot) = rating.and_then(|rating| self.frequency.get_mut(rating)) {
            *slot += 1;
        } else if dismissed {
            self.dismissed += 1;
        }
    }

    /// Adds all of them up; returns the attributes of the statistics as JSON.
    pub(crate) fn total(tallies: &[Self]) -> String {
        let total = |count: &dyn Fn(&Self) -> u64| tallies.iter().map(count).sum::<u64>();
        let frequency: Vec<u64> = (0..11)
            .map(|rating| total(&|tally| tally.frequency[rating]))
            .collect();
        let sum = |range: std::ops::Range<usize>| frequency[range].iter().sum::<u64>();
        let (responses, promoters, detractors) = (sum(0..11), sum(9..11), sum(0..7));
        #[allow(clippy::cast_precision_loss)]
        let nps = match responses {
            0 => 0.0,
            _ => 100.0 * (promoters as f64 - detractors as f64) / responses as f64,
        };
        json!({
            "responses": responses, "displays": total(&|tally| tally.displays),
            "dismissed": total(&|tally| tally.dismissed), "promoters": promoters, "passives": sum(7..9),
            "detractors": detractors, "nps": nps, "frequency": frequency,
        })
        .to_string()
    }
}
