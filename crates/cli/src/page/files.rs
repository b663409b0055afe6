//! The files of the page.

use std::borrow::Cow;

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!($name))),*]
    };
}

static FILES: &[(&str, &str)] = &files! {
    "api.js"
    "data.js"
    "icon.svg"
    "index.html"
    "main.js"
    "model/csv.js"
    "model/figures.js"
    "model/format.js"
    "model/period.js"
    "model/question.js"
    "model/scales.js"
    "model/sentences.js"
    "styles/bar.css"
    "styles/base.css"
    "styles/content.css"
    "vendor/uPlot.iife.min.js"
    "view/bar.js"
    "view/bars.js"
    "view/dom.js"
    "view/forms.js"
    "view/groups.js"
    "view/page.js"
    "view/pickers.js"
    "view/states.js"
    "view/summary.js"
    "view/trend-marks.js"
    "view/trend-plot.js"
    "view/trend.js"
};

/// Returns the media type of a file, and its content.
pub(super) fn file(name: &str) -> Option<(&'static str, Cow<'static, str>)> {
    let (_, content) = FILES.iter().find(|(file, _)| *file == name)?;
    let kind = match name.rsplit('.').next()? {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    let content = if name.starts_with("vendor/") {
        (*content).into()
    } else {
        compact(content).into()
    };
    Some((kind, content))
}

/// Returns a source without comments and indentation, which browsers need not load. A comment has lines of
/// its own.
fn compact(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    let is_code =
        |line: &&str| !(line.is_empty() || line.starts_with("//") || line.starts_with("/*"));
    lines.filter(is_code).collect::<Vec<_>>().join("\n")
}
