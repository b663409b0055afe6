//! The page that shows the figures of a project: its files, which are compiled in, and what the program
//! that serves it tells it.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use serde::Serialize;
use service::response::Response;

use crate::asset::{Asset, guarded};

/// The settings, which the page requests before anything else.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settings {
    /// The project to open where the page's address names none.
    pub(crate) project: Option<String>,
    /// What everyone may know of that project.
    #[serde(flatten)]
    pub(crate) demo: Option<Demo>,
    /// What stands for the data folder in commands, if there is one.
    pub(crate) data: Option<&'static str>,
    /// The address of the API, if it is not the page's own.
    pub(crate) service: Option<String>,
}

/// A project that everyone may see.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Demo {
    pub(crate) read_key: &'static str,
    pub(crate) group: &'static str,
}

/// Returns what the page has at this path, as the headers of the request accept it.
pub(crate) fn asset(path: &str, headers: &HeaderMap, settings: &Settings) -> Option<Response> {
    let name = match path {
        "/" => return Some(INDEX.response(headers)),
        "/dashboard/settings.json" => {
            let settings = serde_json::to_vec(settings).ok()?;
            // They can hold the demo's key.
            return Some(guarded("application/json", "no-store", settings));
        }
        _ => path.strip_prefix("/dashboard/")?,
    };
    let (_, asset) = FILES.iter().find(|(file, _)| *file == name)?;
    Some(asset.response(headers))
}

/// The page itself. It names the modules, so that browsers request them all at once.
static INDEX: LazyLock<Asset> = LazyLock::new(|| {
    let links: String = FILES
        .iter()
        .filter_map(|(name, _)| name.strip_suffix(".js"))
        .map(|name| {
            [
                "<link rel=\"modulepreload\" href=\"dashboard/",
                name,
                ".js\">",
            ]
            .concat()
        })
        .collect();
    let text = include_str!("index.html").replace("<!-- the modules -->", &links);
    Asset::kept("text/html; charset=utf-8", "no-cache", text)
});

macro_rules! files {
    ($($name:literal)*) => {
        static FILES: [(&str, LazyLock<Asset>); [$($name),*].len()] =
            [$(($name, LazyLock::new(|| Asset::new($name, include_str!($name))))),*];
    };
}

files! {
    "api.js"
    "data.js"
    "icon.svg"
    "main.js"
    "model/figures.js"
    "model/format.js"
    "model/period.js"
    "model/question.js"
    "model/scales.js"
    "styles/bar.css"
    "styles/base.css"
    "styles/content.css"
    "view/bar.js"
    "view/bars.js"
    "view/dom.js"
    "view/forms.js"
    "view/groups.js"
    "view/page.js"
    "view/pickers.js"
    "view/picture.js"
    "view/states.js"
    "view/summary.js"
    "view/trend-marks.js"
    "view/trend-plot.js"
    "view/trend.js"
}
