//! The files of the page.

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("page/", $name)).as_slice())),*]
    };
}

static FILES: &[(&str, &[u8])] = &files! {
    "api.js"
    "data.js"
    "icon.svg"
    "index.html"
    "keys.js"
    "load.js"
    "main.js"
    "model/address.js"
    "model/calendar.js"
    "model/csv.js"
    "model/filters.js"
    "model/format.js"
    "model/period.js"
    "model/question.js"
    "model/sentences.js"
    "model/uncertainty.js"
    "styles/bar.css"
    "styles/base.css"
    "styles/charts.css"
    "styles/content.css"
    "styles/print.css"
    "vendor/uPlot.iife.min.js"
    "vendor/uPlot.min.css"
    "view/bar.js"
    "view/dom.js"
    "view/fields.js"
    "view/filter-form.js"
    "view/groups.js"
    "view/menu.js"
    "view/page.js"
    "view/period-panel.js"
    "view/problems.js"
    "view/project-form.js"
    "view/ratings.js"
    "view/scale.js"
    "view/states.js"
    "view/summary.js"
    "view/trend-plot.js"
    "view/trend-shapes.js"
    "view/trend.js"
    "view/zone-form.js"
};

/// Returns the content of a file.
pub(super) fn content(name: &str) -> Option<&'static [u8]> {
    let (_, content) = FILES.iter().find(|(file, _)| *file == name)?;
    Some(content)
}

/// Returns the media type of a file.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}
