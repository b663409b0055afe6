//! The `Link` of a response that leads to the next page.

use reqwest::Response;
use reqwest::header::LINK;

/// Returns the target of the `Link` to the next page (RFC 8288). A response may have others.
pub(super) fn next_page(response: &Response) -> Option<String> {
    let headers = response.headers().get_all(LINK).iter();
    let texts = headers.filter_map(|header| header.to_str().ok());
    let (target, _) = texts
        .flat_map(links)
        .find(|(_, parameters)| leads_to_next(parameters))?;
    Some(target.to_owned())
}

/// Returns the target of each link, and its parameters.
fn links(mut text: &str) -> impl Iterator<Item = (&str, &str)> {
    std::iter::from_fn(move || {
        let (target, rest) = text.split_once('<')?.1.split_once('>')?;
        let mut is_quoted = false;
        let end = rest.find(|character| {
            is_quoted ^= character == '"';
            character == ',' && !is_quoted
        });
        let (parameters, others) = rest.split_at(end.unwrap_or(rest.len()));
        text = others;
        Some((target, parameters))
    })
}

fn leads_to_next(parameters: &str) -> bool {
    let relations = parameters.split(';').filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_relation = name.trim().eq_ignore_ascii_case("rel");
        is_relation.then(|| value.trim().trim_matches('"'))
    });
    relations
        .flat_map(str::split_ascii_whitespace)
        .any(|relation| relation.eq_ignore_ascii_case("next"))
}
