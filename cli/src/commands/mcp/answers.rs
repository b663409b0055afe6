//! The answers of the tools.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow, bail, ensure};
use futures_util::future::try_join_all;
use shared::model::{GroupBy, GroupKind, Timestamp, TraitName, Unit};

use super::arguments::{AFTER, Arguments, BEFORE, PERIOD};
use super::results::{Answer, Comparison, Described, Period, Statistics, Trait};
use super::server::Server;
use super::text;
use crate::commands::client::{Refused, UNEXPECTED};
use crate::commands::stats::figures::{self, Figures};
use crate::commands::stats::{Query, claims, request, traits, unknown};

const WHERE_TO_LOOK: &str = "the tool `traits` lists what there is";

impl Server {
    /// Answers `statistics` and `groups`.
    pub(super) async fn statistics(&self, arguments: Arguments) -> anyhow::Result<Answer> {
        let mut query = arguments.query(PERIOD)?;
        // So the response says which period a default meant.
        query.interval.get_or_insert(Unit::All);
        self.refuse_private(&query).await?;
        let elements = self.elements(&query).await?;
        let period = match elements.as_slice() {
            [first, .., last] => Period {
                end: Period::of(last)?.end,
                ..Period::of(first)?
            },
            [only] => Period::of(only)?,
            [] => Period::of(&self.whole(&query.clone().whole()).await?)?,
        };
        let sentence = claims::sentence(&query, &elements, Timestamp::now(), text::value);
        let sentence = sentence.filter(|_| !elements.is_empty());
        let mut text = text::heading(&query, &period);
        if elements.iter().all(|figures| figures.displays == 0) {
            text += "No displays in this period: widen it, or omit a filter.\n";
        } else {
            text += &text::table(&query, &elements);
        }
        for sentence in [sentence.clone(), claims::outside(&elements)]
            .into_iter()
            .flatten()
        {
            text += &(sentence + "\n");
        }
        Answer::new(text, &Statistics::of(&query, period, &elements, sentence)?)
    }

    /// Answers `traits`.
    pub(super) async fn traits(&self, arguments: Arguments) -> anyhow::Result<Answer> {
        let query = arguments.query(PERIOD)?.whole();
        self.refuse_private(&query).await?;
        let whole = self.whole(&query).await?;
        let listing = Query {
            traits: true,
            interval: None,
            confidence: None,
            ..query.clone()
        };
        let body = request(&self.client, &listing.parameters()).await?;
        let (private, open): (Vec<_>, _) = traits::parse(&body)?
            .into_iter()
            .partition(|found| self.names_people(found));
        let open = open.into_iter().map(|found| Trait {
            name: text::harmless(&found.name),
            kind: text::harmless(&found.kind),
            displays: found.displays,
        });
        let open: Vec<_> = open.collect();
        let period = Period::of(&whole)?;
        let text =
            text::heading(&query, &period) + &text::traits(whole.displays, &open, private.len());
        let described = Described::of(&query, period, whole.displays, open, private.len());
        Answer::new(text, &described)
    }

    /// Answers `compare`.
    pub(super) async fn compare(&self, arguments: Arguments) -> anyhow::Result<Answer> {
        let [first, second] = [
            arguments.query(BEFORE)?.whole(),
            arguments.query(AFTER)?.whole(),
        ];
        self.refuse_private(&first).await?;
        let (before, after) = tokio::try_join!(
            async { self.whole(&first).await.context("the earlier period") },
            async { self.whole(&second).await.context("the later period") },
        )?;
        let [earlier, later] = [Period::of(&before)?, Period::of(&after)?];
        let [end, start] = [&earlier.end, &later.start].map(|instant| instant.parse().ok());
        let order: Option<(Timestamp, Timestamp)> = end.zip(start);
        ensure!(
            order.is_some_and(|(end, start)| end <= start),
            "`afterStart` ({}) must not be before `beforeEnd` ({})",
            later.start,
            earlier.end
        );
        let mut text = String::new();
        for (query, period, figures) in [(&first, &earlier, &before), (&second, &later, &after)] {
            text += &text::heading(query, period);
            text += &text::table(query, std::slice::from_ref(figures));
        }
        text += &text::comparison(&first, [&before, &after]);
        Answer::new(text, &Comparison::of(&first, [&before, &after])?)
    }

    /// Requests the figures of the whole period as one element.
    async fn whole(&self, query: &Query) -> anyhow::Result<Figures> {
        let elements = self.elements(query).await?;
        elements.into_iter().next().context(UNEXPECTED)
    }

    async fn elements(&self, query: &Query) -> anyhow::Result<Vec<Figures>> {
        let body = request(&self.client, &query.parameters()).await?;
        let shown =
            |found: &traits::Trait| (!self.names_people(found)).then(|| text::quoted(&found.name));
        let error = unknown::error(query, &self.client, &body, WHERE_TO_LOOK, shown).await?;
        if let Some(error) = error {
            bail!("{error}");
        }
        figures::parse(&body, true)
    }

    fn names_people(&self, found: &traits::Trait) -> bool {
        found.private || self.private_traits.contains(&found.name)
    }

    /// Refuses filters and groups on traits that name people, here or in the API.
    async fn refuse_private(&self, query: &Query) -> anyhow::Result<()> {
        let filtered = query.filter.iter().map(|filter| &filter.name);
        let grouped = query.group_by.iter().map(|by| &by.name);
        let mut names = filtered.chain(grouped);
        if let Some(name) = names.find(|name| self.private_traits.contains(name.as_str())) {
            return Err(private(name));
        }
        // The API refuses groups itself, and allows filters.
        let names: BTreeSet<_> = query.filter.iter().map(|filter| &filter.name).collect();
        let asked = names.iter().map(|name| self.is_private(query, name));
        let answers = try_join_all(asked).await?;
        match names
            .iter()
            .zip(answers)
            .find(|(_, is_private)| *is_private)
        {
            Some((name, _)) => Err(private(name)),
            None => Ok(()),
        }
    }

    /// Asks the API whether a trait names people, with a period that has no records to read.
    async fn is_private(&self, query: &Query, name: &TraitName) -> anyhow::Result<bool> {
        const INSTANT: &str = "2000-01-01";
        let by = GroupBy {
            name: name.clone(),
            kind: GroupKind::String,
        };
        let parameters = [
            ("project", query.project.to_string()),
            ("startDate", INSTANT.to_owned()),
            ("endDate", INSTANT.to_owned()),
            ("groupBy", by.to_string()),
        ];
        match request(&self.client, &parameters).await {
            Ok(_) => Ok(false),
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) if refused.has_code("private_trait") => Ok(true),
                _ => Err(error),
            },
        }
    }
}

fn private(name: &TraitName) -> anyhow::Error {
    anyhow!(
        "the trait {:?} names people, so nothing is filtered or grouped by it; choose another ({WHERE_TO_LOOK})",
        name.as_str()
    )
}
