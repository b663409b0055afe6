//! The tools: what each says of itself, and what it answers.

use anyhow::ensure;
use model::PrivateTraits;
use response_statistics::TimeSpan;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};

use super::tool_arguments::{OfStatistics, OfTraits};
use super::tool_results::{Asked, MOST, StatisticsResult, ToolError, TraitsResult, kept, visible};
use crate::client::Refused;
use crate::figures::{Element, Statistics, StatisticsRequest, Trait, warning_of_scale};

/// The tools, as one call uses them.
pub(super) struct Tools {
    pub(super) statistics: Statistics,
    pub(super) private_traits: PrivateTraits,
}

/// Names the parameters of a period as the arguments are named that set them.
fn renamed(mut error: anyhow::Error) -> anyhow::Error {
    Refused::rename(&mut error, &[("startDate", "start"), ("endDate", "end")]);
    error
}

#[tool_router(vis = "pub(super)")]
impl Tools {
    #[tool(
        title = "Score over a period",
        description = "Returns the Net Promoter Score of a project over a period, or in each interval of it, or for each value \
            of a trait, such as each plan: with the score's 95% interval, the responses (promoters, passives, detractors, \
            how often each rating 0 to 10 was given), and how often the survey was shown and dismissed. With `compare`, \
            also what changed since another period, and a `summary` of that.",
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn statistics(
        &self,
        Parameters(of): Parameters<OfStatistics>,
    ) -> Result<Json<StatisticsResult>, ToolError> {
        let query = of.query()?;
        self.refuse_private(&query)?;
        let answer = self.statistics.ask(&query).await.map_err(renamed)?;
        let elements = answer.elements;
        let interval = |element: Option<&Element>| element?.interval.clone();
        let period = match interval(elements.first()).zip(interval(elements.last())) {
            Some((first, last)) => TimeSpan {
                end: last.end,
                ..first
            },
            None => match query.time_span() {
                Some(given) => given,
                None => self.statistics.whole(&query).await.map_err(renamed)?.1,
            },
        };
        let mut asked = Asked::of(&query, period, answer.skipped);
        if query.filter.is_empty()
            && let Some(warning) = warning_of_scale(elements.iter().map(|element| &element.figures))
        {
            asked.warn(&warning);
        }
        let (elements, omitted) = kept(&query, elements);
        Ok(Json(StatisticsResult {
            summary: answer.meta.as_ref().map(|meta| visible(&meta.summary)),
            asked,
            change: answer.meta.and_then(|meta| meta.change),
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
        let statistics = &self.statistics;
        let (whole, described) =
            tokio::join!(statistics.whole(&query), statistics.describe(&query));
        let (whole, period, skipped) = whole.map_err(renamed)?;
        let traits = described.map_err(renamed)?;
        let names_people =
            |found: &Trait| found.private || self.private_traits.contains(&found.name);
        let (private, open): (Vec<_>, Vec<_>) = traits.elements.into_iter().partition(names_people);
        let omitted = open.len().saturating_sub(MOST);
        Ok(Json(TraitsResult {
            asked: Asked::of(&query, period, skipped),
            displays: whole.displays,
            traits: open.into_iter().take(MOST).map(Into::into).collect(),
            omitted,
            private: private.len(),
        }))
    }
}

impl Tools {
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
