//! Parses and checks a record.

use std::borrow::Cow;

use shared::items::{ResponseItem, ResponseRecord, UserFacts, UserItem};

use super::Records;
use crate::Reason;
use crate::entry::Failure;
use crate::fields::Fields;
use crate::identities::{Derived, Repetition};
use crate::kind::{Kind, Member};
use crate::members::{Members, scalar};
use crate::origin::Origin;
use crate::reason::quoted;
use crate::receiver::Record;
use crate::record::{is_user, parse_response, parse_user};
use crate::rules::Users;
use crate::source::Source;
use crate::summary::Part;

impl Records {
    /// Parses and checks a record; returns `None` if it is of another campaign.
    pub(super) fn parse(
        &mut self,
        source: &Source<'_>,
        origin: &mut Origin,
    ) -> Result<Option<Record>, Failure> {
        let json = source.json();
        let json = json.as_deref().map_err(Clone::clone);
        let members = json.clone().and_then(Members::parse);
        let campaign = self.campaign(members.as_ref().ok())?;
        if let (Ok(_), Some(selected)) = (&members, &self.rules.campaign)
            && campaign.as_deref() != Some(selected)
        {
            return Ok(None);
        }
        let record = match self.rules.kind {
            Kind::Responses => self.parse_response(members, campaign.as_deref(), source, origin)?,
            Kind::Users => {
                let fields = self.fields(members?, source)?;
                let (user, ignored) = parse_user(fields, self.rules.dates.as_ref())?;
                let user = Some(self.user_item(&user)?);
                self.file.ignored.count(ignored, &self.paths);
                Record {
                    user,
                    ..Record::default()
                }
            }
        };
        Ok(Some(record))
    }

    fn user_item(&self, user: &UserFacts) -> Result<UserItem, Reason> {
        let item = UserItem::new(user, &self.rules.project);
        item.map_err(|invalid| format!("the user {invalid}"))
    }

    /// Returns the campaign of a record. One of a form that cannot be told is only a reason to reject a record if it
    /// decides.
    fn campaign<'a>(&self, record: Option<&Members<'a>>) -> Result<Option<Cow<'a, str>>, Reason> {
        let Some(campaign) = record.and_then(|record| record.get("campaign")) else {
            return Ok(None);
        };
        match scalar("campaign", campaign) {
            Ok(campaign) => Ok(Some(campaign).filter(|campaign| !campaign.is_empty())),
            Err(_) if self.rules.campaign.is_none() => Ok(None),
            Err(reason) => Err(reason),
        }
    }

    /// Returns the fields of a record, wherever the options say that they are.
    fn fields<'a>(
        &mut self,
        members: Members<'a>,
        source: &Source<'_>,
    ) -> Result<Fields<'a>, Reason> {
        let kind = self.rules.kind;
        // The columns of a row are mapped by its table.
        let found = match source {
            Source::Object(_) => self.paths.find(&members)?,
            Source::Row { .. } => Vec::new(),
        };
        let mut fields = Fields::new(members, kind)?;
        fields.take(kind, &self.paths, &found)?;
        Ok(fields)
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless it is to be derived again, or an option says that the id is elsewhere.
    fn parse_response(
        &mut self,
        members: Result<Members<'_>, Reason>,
        campaign: Option<&str>,
        source: &Source<'_>,
        origin: &mut Origin,
    ) -> Result<Record, Failure> {
        if !self.rules.maps(Member::Rating) && members.as_ref().is_ok_and(is_user) {
            return Err("it is a user: use feedback import users".to_owned().into());
        }
        let fields = members.and_then(|members| self.fields(members, source));
        let lacks_id = match &fields {
            Ok(fields) => !fields.record.has("id"),
            Err(_) => source.lacks_id(),
        };
        let derived = lacks_id.then(|| self.identities.derive(source));
        let (derived_id, is_known) = match derived.transpose()? {
            Some(Derived { id, is_known }) => (Some(id), Some(is_known)),
            None => (None, None),
        };
        let is_chosen = self.identities.are_chosen();
        if !is_chosen && (origin.is_row() || !self.rules.maps(Member::Id)) {
            origin.derived_id.clone_from(&derived_id);
        }
        let parsed = parse_response(fields?, &self.rules, derived_id, &mut self.questions)?;
        let item = ResponseItem::new(&parsed.record);
        let item = item.map_err(|invalid| format!("the record {invalid}"))?;
        let is_wanted = self.rules.users == Users::Read;
        let user = parsed.user.filter(|_| is_wanted);
        let user = user.map(|user| self.user_item(&user)).transpose()?;
        let part = self.tally.part(parsed.record.outcome, campaign);
        match is_known.filter(|_| !is_chosen) {
            Some(true) => {}
            Some(false) => self.tally.add(part, parsed.record.created, None),
            None => self.count_once(&parsed.record, part, source, origin)?,
        }
        if let Some(person) = &parsed.record.user_id {
            self.identities.see_person(person)?;
        }
        self.file.ignored.count(parsed.ignored, &self.paths);
        Ok(Record {
            response: Some(item),
            user,
        })
    }

    /// Counts a response record, whose id may have occurred before, once.
    fn count_once(
        &mut self,
        record: &ResponseRecord,
        part: Part,
        source: &Source<'_>,
        origin: &Origin,
    ) -> Result<(), Failure> {
        let key = (&record.id, record.created);
        let sighting = self.identities.see(key, source, part)?;
        self.tally
            .add(sighting.part, record.created, sighting.earlier);
        if let Some(repetition) = sighting.repetition {
            self.report(origin, record.id.as_str(), repetition);
        }
        Ok(())
    }

    fn report(&mut self, origin: &Origin, id: &str, repetition: Repetition) {
        let outcome = match repetition {
            Repetition::OtherCreated => {
                "with another created: both are imported as separate records"
            }
            Repetition::OtherContent => "with other content: it is merged into the earlier record",
        };
        self.delivery.note(&format!(
            "{}:{}: the id {} occurs again {outcome}",
            origin.file,
            origin.line,
            quoted(id)
        ));
    }
}
