//! `feedback stats`: the statistics of a project, drawn.

use std::fmt::Write as _;
use std::io::Write as _;

use console::Style;
use indicatif::HumanCount;
use reqwest::header::HeaderName;
use serde::Deserialize;
use shared::model::{Operator, ProjectId, TraitName};

use crate::client::{Secret, Service, broken, variable};

/// Ask the API for the statistics of a project, and draw them
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// The period's start [default: 30 days before its end]
    #[arg(long, value_name = "DATE")]
    start: Option<String>,
    /// The period's end, which is not in it [default: now]
    #[arg(long, value_name = "DATE")]
    end: Option<String>,
    /// Count only where a trait compares like this (eq, ne, contains, ncontains); may be given
    /// several times
    #[arg(long, value_name = "NAME=OPERATOR:VALUE")]
    filter: Vec<Filter>,
    /// Print the answer as it is
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

/// The text of a filter, in its parts.
#[derive(Debug, Clone)]
struct Filter {
    name: TraitName,
    operator: Operator,
    value: String,
}

impl std::str::FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let parts = parts.and_then(|(name, rest)| Some((name, rest.split_once(':')?)));
        let (name, (operator, value)) =
            parts.ok_or("write it as NAME=OPERATOR:VALUE, such as plan=eq:pro")?;
        Ok(Self {
            name: name.parse().map_err(|error| format!("the name {error}"))?,
            operator: operator
                .parse()
                .map_err(|error| format!("the operator {error}"))?,
            value: value.to_owned(),
        })
    }
}

#[derive(Deserialize)]
struct Answer {
    data: [Data; 1],
}

#[derive(Deserialize)]
struct Data {
    attributes: Figures,
}

/// The figures of the contract, section 4.
#[derive(Deserialize)]
struct Figures {
    responses: u64,
    displays: u64,
    dismissed: u64,
    promoters: u64,
    passives: u64,
    detractors: u64,
    nps: f64,
    frequency: [u64; 11],
}

/// Runs the command. `Err` is one line for people.
pub async fn run(options: Options) -> Result<(), String> {
    let key = variable("FEEDBACK_READ_KEY", "the project's Read Key")?;
    let secret = Secret::new(HeaderName::from_static("authkey"), &key)?;
    let filters: Vec<_> = options
        .filter
        .iter()
        .flat_map(
            |Filter {
                 name,
                 operator,
                 value,
             }| {
                let key = format!("filters[user.traits.string.{}]", name.as_str());
                [
                    (format!("{key}[operator]"), operator.as_str()),
                    (format!("{key}[value]"), value.as_str()),
                ]
            },
        )
        .collect();
    let mut parameters = vec![("project", options.project.as_str())];
    parameters.extend(options.start.as_deref().map(|start| ("startDate", start)));
    parameters.extend(options.end.as_deref().map(|end| ("endDate", end)));
    parameters.extend(filters.iter().map(|(name, value)| (name.as_str(), *value)));
    let client = options.service.client(secret)?;
    let target = client.target(response_statistics::PATH, &parameters)?;
    let answer = client.get(target).await?;
    let body = answer.text().await.map_err(|error| broken(&error))?;
    let shown = if options.json {
        body + "\n"
    } else {
        let answer: Answer = serde_json::from_str(&body)
            .map_err(|error| format!("the answer is not one of this API: {error}"))?;
        let [data] = answer.data;
        screen(&options, &data.attributes)
    };
    // Whoever reads may have seen enough.
    let _ = std::io::stdout().write_all(shown.as_bytes());
    Ok(())
}

const WIDTH: usize = 80;

fn screen(options: &Options, figures: &Figures) -> String {
    let (good, fair, poor) = (
        Style::new().green(),
        Style::new().yellow(),
        Style::new().red(),
    );
    let mut text = heading(options);
    let tone = match figures.nps {
        nps if nps > 0.0 => &good,
        nps if nps < 0.0 => &poor,
        _ => &fair,
    };
    let score = if figures.responses == 0 {
        "no responses".to_owned()
    } else {
        format!("{:+.1}", figures.nps)
    };
    let _ = writeln!(
        text,
        "NPS  {}\n{}\n",
        tone.apply_to(score),
        scale(figures, tone)
    );
    let groups = [
        ("Promoters", figures.promoters, &good),
        ("Passives", figures.passives, &fair),
        ("Detractors", figures.detractors, &poor),
    ];
    for (name, count, tone) in groups {
        let line = format!(
            "{name:<10} {:>13} {:>8}  {}",
            HumanCount(count).to_string(),
            percent(count, figures.responses),
            drawn(bar(count, figures.responses, 40), tone)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    let most = figures.frequency.iter().copied().max().unwrap_or_default();
    for (rating, count) in figures.frequency.into_iter().enumerate() {
        let tone = match rating {
            0..=6 => &poor,
            7..=8 => &fair,
            _ => &good,
        };
        let bar = drawn(bar(count, most, 60), tone);
        let _ = writeln!(text, "{rating:>4}  {bar}{}", HumanCount(count));
    }
    let _ = writeln!(
        text,
        "\n{} of {} displays answered ({}), {} dismissed",
        HumanCount(figures.responses),
        HumanCount(figures.displays),
        percent(figures.responses, figures.displays),
        HumanCount(figures.dismissed)
    );
    text
}

/// What was asked.
fn heading(options: &Options) -> String {
    let start = match (&options.start, &options.end) {
        (Some(start), _) => format!("from {start}"),
        (None, Some(_)) => "30 days".to_owned(),
        (None, None) => "the last 30 days".to_owned(),
    };
    let end = options.end.as_ref().map(|end| format!(" until {end}"));
    let asked = format!("{}, {start}{}", options.project, end.unwrap_or_default());
    let mut text = format!("{}\n", console::truncate_str(&asked, WIDTH, "…"));
    for Filter {
        name,
        operator,
        value,
    } in &options.filter
    {
        let condition = format!("  where {} {} {value:?}", name.as_str(), operator.as_str());
        let _ = writeln!(text, "{}", console::truncate_str(&condition, WIDTH, "…"));
    }
    text.push('\n');
    text
}

/// Where the score lies between -100 and 100.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 60
fn scale(figures: &Figures, tone: &Style) -> String {
    const MIDDLE: usize = 30;
    let place = (figures.responses > 0).then(|| {
        ((figures.nps + 100.0) * 0.01 * 30.0)
            .round()
            .clamp(0.0, 60.0) as usize
    });
    let line = (0..=2 * MIDDLE).map(|n| match n {
        _ if Some(n) == place => tone.apply_to("●").to_string(),
        0 => "├".to_owned(),
        MIDDLE => "┼".to_owned(),
        60 => "┤".to_owned(),
        _ => "─".to_owned(),
    });
    format!("-100 {} +100", line.collect::<String>())
}

/// A bar of at most `width` columns, in eighths of one; what is there can be seen.
fn bar(count: u64, most: u64, width: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if count == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * u128::from(width) * 8 / u128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or_default().max(1);
    let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    "█".repeat(eighths / 8) + rest
}

/// The bar in colour, with the space behind it; nothing where there is none.
fn drawn(bar: String, tone: &Style) -> String {
    match bar.as_str() {
        "" => bar,
        _ => format!("{} ", tone.apply_to(bar)),
    }
}

#[allow(clippy::cast_precision_loss)] // for people
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}
