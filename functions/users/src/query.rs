//! The parameters of the operation, and the cursor of the next page.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::{Invalid, ProjectId, UserId, content_id};
use service::Parameters;
use service::error::{Error, ProblemKind};

/// The parsed parameters of a request.
#[derive(Debug)]
pub(crate) struct UsersQuery {
    pub(crate) project: ProjectId,
    pub(crate) selection: ListedUsers,
}

/// The users that a request selects.
#[derive(Debug)]
pub(crate) enum ListedUsers {
    One(UserId),
    Page { limit: u16, after: Option<UserId> },
    All,
}

/// The greatest number of users on a page.
const MAX_LIMIT: u16 = 1000;

/// The position of the next page: after this user of this project. It grants no access, because the
/// query always runs on the authorized project. The checksum only detects a damaged cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(crate) project: ProjectId,
    pub(crate) last: UserId,
}

impl UsersQuery {
    pub(crate) fn parse(mut parameters: Parameters) -> Result<Self, Error> {
        for name in ["limit", "cursor"] {
            parameters.report_beside(name, "userId");
        }
        if !parameters.has("userId") {
            parameters.report_without("limit", "cursor");
        }
        let project = parameters.project();
        parameters.is_given("format", "json");
        // A program whose variable is empty would get every user, and one whose cursor is empty would begin again.
        let user_id = parameters.even_empty("userId", |text| match text {
            "" => Err(Invalid("must not be empty: leave it out to list all users")),
            _ => text.parse(),
        });
        let limit = parameters.number_up_to("limit", MAX_LIMIT);
        let cursor: Option<Cursor> = parameters.even_empty("cursor", |text| match text {
            "" => Err(Invalid(
                "must not be empty: leave it out for the first page",
            )),
            _ => text.parse(),
        });
        if let (Some(project), Some(cursor)) = (&project, &cursor)
            && cursor.project != *project
        {
            parameters.report(ProblemKind::Invalid, "cursor", "belongs to another project");
        }
        parameters.finish()?;
        let selection = match (user_id, limit) {
            (Some(user_id), _) => ListedUsers::One(user_id),
            (None, Some(limit)) => ListedUsers::Page {
                limit,
                after: cursor.map(|cursor| cursor.last),
            },
            (None, None) => ListedUsers::All,
        };
        // If no problem was reported, the project was given.
        Ok(Self {
            project: project.ok_or_else(Error::internal)?,
            selection,
        })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let content = format!("{}\0{}", self.project, self.last.as_str());
        let text = format!("{}{content}", checksum(&content));
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for Cursor {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let parsed = || {
            let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
            let (sum, content) = text.split_at_checked(CHECKSUM_DIGITS)?;
            let (project, last) = content.split_once('\0')?;
            let cursor = Self {
                project: project.parse().ok()?,
                last: last.parse().ok()?,
            };
            (sum == checksum(content)).then_some(cursor)
        };
        parsed().ok_or(Invalid(
            "must be taken from the Link header of the previous page",
        ))
    }
}

const CHECKSUM_DIGITS: usize = 8;

fn checksum(content: &str) -> String {
    let mut sum = content_id(content.as_bytes());
    sum.truncate(CHECKSUM_DIGITS);
    sum
}
