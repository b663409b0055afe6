//! The tools, as an assistant sees them.

use std::sync::Arc;

use rmcp::handler::server::tool::schema_for_output;
use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use rmcp::object;
use serde_json::{Value, json};
use shared::model::{Respondents, Unit};

use super::results::{Comparison, Described, Statistics};

/// A tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Statistics,
    Groups,
    Traits,
    Compare,
}

impl Tool {
    pub(super) const ALL: [Self; 4] = [Self::Statistics, Self::Groups, Self::Traits, Self::Compare];

    /// Returns the tool of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Statistics => "statistics",
            Self::Groups => "groups",
            Self::Traits => "traits",
            Self::Compare => "compare",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Statistics => "Score over a period",
            Self::Groups => "Scores by a trait",
            Self::Traits => "What there is to filter and group by",
            Self::Compare => "Change between two periods",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Statistics => {
                "Returns the Net Promoter Score of a project over a period, or in each interval of it, with the score's \
                 confidence interval, the responses (promoters, passives, detractors, how often each rating 0 to 10 was \
                 given), the displays of the survey and how often it was dismissed."
            }
            Self::Groups => {
                "Returns the same as `statistics` for each value of a trait, such as each plan: the values with the most \
                 displays, then all others as one. Says which groups differ by more than chance."
            }
            Self::Traits => {
                "Lists the traits (properties of customers when the survey was displayed) that records of a period have, \
                 with their types and how many displays have them: what filters and groups can use. It lists no values; \
                 `groups` does."
            }
            Self::Compare => {
                "Compares the Net Promoter Scores of two periods, such as before and after a release: both scores, the \
                 change, its confidence interval, and whether it can be told from chance. Below 30 responses in either \
                 period there is no verdict."
            }
        }
    }

    /// Returns the names of its arguments.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Statistics => &[
                "project",
                "start",
                "end",
                "interval",
                "timezone",
                "filters",
                "confidence",
                "respondents",
            ],
            Self::Groups => &[
                "project",
                "trait",
                "limit",
                "start",
                "end",
                "interval",
                "timezone",
                "filters",
                "confidence",
                "respondents",
            ],
            Self::Traits => &["project", "start", "end", "timezone", "filters"],
            Self::Compare => &[
                "project",
                "beforeStart",
                "beforeEnd",
                "afterStart",
                "afterEnd",
                "timezone",
                "filters",
                "confidence",
                "respondents",
            ],
        }
    }

    /// Returns the names of the arguments that a call must have.
    pub(super) fn required(self) -> &'static [&'static str] {
        match self {
            Self::Statistics | Self::Traits => &["project"],
            Self::Groups => &["project", "trait"],
            Self::Compare => &["project", "beforeStart", "beforeEnd", "afterStart"],
        }
    }

    /// Returns what the protocol lists. A fixed project is no argument.
    pub(super) fn definition(self, has_fixed_project: bool) -> Definition {
        let is_asked = |name: &&str| !(has_fixed_project && *name == "project");
        let arguments = self.arguments().iter().copied().filter(is_asked);
        let properties: JsonObject = arguments
            .map(|name| (name.to_owned(), schema(name)))
            .collect();
        let required: Vec<_> = self.required().iter().copied().filter(is_asked).collect();
        let input = object!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let output = match self {
            Self::Statistics | Self::Groups => schema_for_output::<Statistics>(),
            Self::Traits => schema_for_output::<Described>(),
            Self::Compare => schema_for_output::<Comparison>(),
        };
        let annotations = ToolAnnotations::new();
        Definition::new(self.name(), self.description(), input)
            .with_title(self.title())
            .with_raw_output_schema(without_formats(output))
            .with_annotations(
                annotations
                    .read_only(true)
                    .idempotent(true)
                    .open_world(false),
            )
    }
}

/// Returns the schema of an argument.
fn schema(name: &str) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    match name {
        "project" => text("The id of the project."),
        "start" => text(
            "The start of the period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or \
             2026-01-31T08:30:00Z. Default: 30 days before the end.",
        ),
        "end" => text("The end of the period, exclusive, in the same form. Default: now."),
        "beforeStart" => text(
            "The start of the earlier period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or \
             2026-01-31T08:30:00Z.",
        ),
        "beforeEnd" => text("The end of the earlier period, exclusive."),
        "afterStart" => {
            text("The start of the later period, inclusive; not before the earlier one ends.")
        }
        "afterEnd" => text("The end of the later period, exclusive. Default: now."),
        "interval" => json!({
            "type": "string",
            "enum": Unit::NAMES,
            "description": "Divide the period into the intervals of the calendar. Weeks begin on Monday. Default: all, the \
                period as a whole.",
        }),
        "timezone" => text(
            "The IANA time zone of intervals and of dates without an offset, such as Europe/Prague. Default: UTC.",
        ),
        "filters" => json!({
            "type": "array",
            "items": {"type": "string"},
            "maxItems": 20,
            "description": "Count only records whose traits match all of these. Each is NAME=OPERATOR:VALUE for a string \
                (eq, ne, contains, ncontains), NAME=number.OPERATOR:VALUE for a number (eq, ne, gt, gte, lt, lte), or \
                NAME=boolean.OPERATOR:VALUE for a boolean (eq, ne): plan=eq:pro, seats=number.gte:4, \
                recommended=boolean.eq:true. Case counts.",
        }),
        "confidence" => json!({
            "type": "integer",
            "enum": [90, 95, 99],
            "description": "The confidence of intervals, in percent. Default: 95.",
        }),
        "respondents" => json!({
            "type": "string",
            "enum": Respondents::NAMES,
            "description": "Which ratings count: all (the default), or each person's latest (in each interval).",
        }),
        "trait" => text(
            "The trait whose values are the groups: NAME of a string, boolean.NAME of a boolean. Numbers cannot be \
             grouped.",
        ),
        "limit" => json!({
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "description": "How many groups to return. Default: 20.",
        }),
        _ => unreachable!("the argument {name} has no schema"),
    }
}

/// Removes the formats of numbers, which validators do not know.
fn without_formats(schema: Arc<JsonObject>) -> Arc<JsonObject> {
    fn remove(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.remove("format");
                members.values_mut().for_each(remove);
            }
            Value::Array(items) => items.iter_mut().for_each(remove),
            _ => {}
        }
    }
    let mut members = Arc::unwrap_or_clone(schema);
    members.values_mut().for_each(remove);
    members.into()
}
