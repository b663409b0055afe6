//! The tools: what each says of itself, and what it answers.

use anyhow::{Context as _, ensure};
use model::PrivateTraits;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};

use super::tool_arguments::{AFTER, Names, OfComparison, OfStatistics, OfTraits, PERIOD};
use super::tool_results::{
    Asked, Comparison, MOST, StatisticsResult, ToolError, TraitsResult, harmless, kept,
};
use crate::client::{Refused, UNEXPECTED};
use crate::figures::{
    Answer, Figures, Statistics, StatisticsRequest, TimeSpan, Trait, is_clear, sentence,
    warning_of_scale,
};

/// The tools, as one call uses them.
pub(super) struct Tools {
    pub(super) statistics: Statistics,
    pub(super) private_traits: PrivateTraits,
}

/// Names the parameters of a period as the arguments are named that set them.
fn renamed(mut error: anyhow::Error, [start, end, _]: Names) -> anyhow::Error {
    Refused::rename(&mut error, &[("startDate", start), ("endDate", end)]);
    error
}

#[tool_router(vis = "pub(super)")]
impl Tools {
    #[tool(
        title = "Score over a period",
        description = "Returns the Net Promoter Score of a project over a period, or in each interval of it, or for each value \
            of a trait, such as each plan: with the score's 95% interval, the responses (promoters, passives, detractors, \
            how often each rating 0 to 10 was given), and how often the survey was shown and dismissed.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn statistics(
        &self,
        Parameters(of): Parameters<OfStatistics>,
    ) -> Result<Json<StatisticsResult>, ToolError> {
        let query = of.query()?;
        self.refuse_private(&query)?;
        let answer = self.statistics.ask(&query).await;
        let Answer { elements, skipped } = answer.map_err(|error| renamed(error, PERIOD))?;
        let interval = |figures: Option<&Figures>| figures?.interval.clone();
        let period = match interval(elements.first()).zip(interval(elements.last())) {
            Some((first, last)) => TimeSpan {
                end: last.end,
                ..first
            },
            None => self.whole(&query, PERIOD).await?.1,
        };
        let mut asked = Asked::of(&query, skipped);
        if query.filter.is_empty()
            && let Some(warning) = warning_of_scale(&elements)
        {
            asked.warn(&warning);
        }
        let (elements, omitted) = kept(&query, elements);
        Ok(Json(StatisticsResult {
            asked,
            period,
            elements,
            omitted,
        }))
    }

    #[tool(
        title = "What there is to filter and group by",
        description = "Lists the traits (properties of customers when the survey was shown) that records of a period have, \
            with their types and how often the survey was shown to somebody who has them: what `statistics` can filter and \
            group by. It lists no values; `statistics` with `groupBy` does.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn traits(
        &self,
        Parameters(of): Parameters<OfTraits>,
    ) -> Result<Json<TraitsResult>, ToolError> {
        let query = of.query()?;
        self.refuse_private(&query)?;
        let (whole, described) =
            tokio::join!(self.whole(&query, PERIOD), self.statistics.describe(&query));
        let (whole, period, skipped) = whole?;
        let traits = described.map_err(|error| renamed(error, PERIOD))?;
        let names_people =
            |found: &Trait| found.private || self.private_traits.contains(&found.name);
        let (private, open): (Vec<_>, Vec<_>) = traits.elements.into_iter().partition(names_people);
        let omitted = open.len().saturating_sub(MOST);
        let harmless = |found: Trait| Trait {
            name: harmless(&found.name),
            kind: harmless(&found.kind),
            ..found
        };
        Ok(Json(TraitsResult {
            asked: Asked::of(&query, skipped),
            period,
            displays: whole.displays,
            traits: open.into_iter().take(MOST).map(harmless).collect(),
            omitted,
            private: private.len(),
        }))
    }

    #[tool(
        title = "Change between two periods",
        description = "Compares the Net Promoter Scores of two periods, such as before and after a release: the figures of \
            both, the change with its 95% interval and a verdict, and a sentence that says all of it. With `groupBy`, also \
            which groups the change came from, if it is clear. Below 30 responses in either period nothing can be said.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn compare(
        &self,
        Parameters(of): Parameters<OfComparison>,
    ) -> Result<Json<Comparison>, ToolError> {
        let [first, second] = of.queries()?;
        self.refuse_private(&second)?;
        let whole = second.compared();
        let ask = async |query: &StatisticsRequest| {
            let answer = self.statistics.ask(query).await;
            let renamed = |mut error| {
                Refused::rename(&mut error, &[("compare", "beforeStart to beforeEnd")]);
                renamed(error, AFTER)
            };
            answer.map_err(renamed).context("the later period")
        };
        let Answer { elements, skipped } = ask(&whole.clone().undivided()).await?;
        let mut after = elements.into_iter().next().context(UNEXPECTED)?;
        let change = after.change.clone().context(UNEXPECTED)?;
        let before = after.before.clone().context(UNEXPECTED)?;
        if before.displays == 0 {
            // It fails if no record of the earlier period has a trait that is filtered by.
            let earlier = self.statistics.whole(&first).await;
            earlier.context("the earlier period")?;
        }
        let mut groups = match whole.group_by {
            Some(_) => kept(&whole, ask(&whole).await?.elements).0,
            None => Vec::new(),
        };
        let is_clear = is_clear(&after);
        let period = whole.local_period().context(UNEXPECTED)?;
        let sentence = sentence(&period, &after, if is_clear { &groups } else { &[] });
        if !is_clear {
            let changes = groups.iter_mut().filter_map(|group| group.change.as_mut());
            for change in changes {
                (change.from_score, change.from_share) = (None, None);
            }
        }
        after.interval = whole.time_span();
        after.change = None;
        Ok(Json(Comparison {
            asked: Asked::of(&whole, skipped),
            before: *before,
            after,
            change,
            sentence,
            groups,
        }))
    }
}

impl Tools {
    /// Asks for the period as a whole; an error names these arguments.
    async fn whole(
        &self,
        query: &StatisticsRequest,
        names: Names,
    ) -> anyhow::Result<(Figures, TimeSpan, u64)> {
        let answer = self.statistics.whole(query).await;
        answer.map_err(|error| renamed(error, names))
    }

    /// Refuses filters and groups on traits that name people.
    fn refuse_private(&self, query: &StatisticsRequest) -> anyhow::Result<()> {
        for name in query.traits() {
            ensure!(
                !self.private_traits.contains(name.as_str()),
                "the trait {:?} names people, so nothing is filtered or grouped by it; the tool `traits` lists others",
                name.as_str()
            );
        }
        Ok(())
    }
}
