//! The page that shows the figures of a project: its files, which are compiled in, and what the program
//! that serves it tells it.

use serde::Serialize;
use service::response::Response;

use crate::asset::AssetRules;

/// The page uses what its own address serves, and pictures that it makes itself; no text becomes markup or code.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// A browser that keeps a file of an older version could not run the others.
const FILE: AssetRules = AssetRules {
    policy: POLICY,
    caching: "no-cache",
    is_public: false,
};

/// Settings can hold the demo's key.
const SETTINGS: AssetRules = AssetRules {
    caching: "no-store",
    ..FILE
};

/// The settings, which the page requests before anything else.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settings {
    /// The project to open where the page's address names none.
    pub(crate) project: Option<String>,
    /// What everyone may know of that project.
    #[serde(flatten)]
    pub(crate) demo: Option<Demo>,
    /// The API's documentation, relative to the page.
    pub(crate) documentation: Option<&'static str>,
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
    /// The trait to group by.
    pub(crate) group: &'static str,
}

/// Returns what the page has at this path.
pub(crate) fn asset(path: &str, settings: &Settings) -> Option<Response> {
    let name = match path {
        "/" => "index.html",
        "/dashboard/settings.json" => {
            let settings = serde_json::to_vec(settings).ok()?;
            return Some(SETTINGS.file("application/json", settings));
        }
        _ => path.strip_prefix("/dashboard/")?,
    };
    let (kind, content) = file(name)?;
    Some(FILE.file(kind, content))
}

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
};

/// Returns the media type of a file, and its content.
fn file(name: &str) -> Option<(&'static str, &'static str)> {
    let (_, content) = FILES.iter().find(|(file, _)| *file == name)?;
    let kind = match name.rsplit('.').next()? {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    Some((kind, content))
}
