//! Parses and checks a record.

use std::borrow::Cow;

use encoding::{EncodedItem, ResponseRecord, UserFacts};

use crate::ids::repetitions::Repetition;
use crate::members::{JsonObject, scalar};
use crate::raw::RawContent;
use crate::raw::origin::Origin;
use crate::reading::Records;
use crate::record::fields::Fields;
use crate::record::{parse_response, parse_user};
use crate::report::receiver::Record;
use crate::rules::kind::RecordKind;
use crate::rules::reason::{Reason, RecordError};

impl Records {
    /// Parses and checks a record; returns `None` if it is of another campaign.
    pub(crate) fn parse(
        &mut self,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Option<Record>, RecordError> {
        let json = raw.json();
        let json = json.as_deref().map_err(Clone::clone);
        let members = json.clone().and_then(JsonObject::parse);
        if let Ok(members) = &members {
            self.check_kind(members)?;
            if let Some(beginning) = &mut self.file.beginning {
                beginning.see(members, &self.rules);
            }
        }
        let campaign = self.campaign(members.as_ref().ok())?;
        if let (Ok(_), Some(selected)) = (&members, &self.rules.campaign)
            && campaign.as_deref() != Some(selected)
        {
            return Ok(None);
        }
        let record = match self.rules.kind {
            RecordKind::Responses => {
                self.parse_response(members, campaign.as_deref(), raw, origin)?
            }
            RecordKind::Users => {
                let fields = self.fields(members?, raw)?;
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

    /// Refuses a file whose first usable record is of the other kind, and rejects a user among responses.
    fn check_kind(&self, record: &JsonObject<'_>) -> Result<(), RecordError> {
        let other = self.rules.kind.other();
        if self.rules.map_decisive_field() || !record.look_like(other, &self.rules.map) {
            Ok(())
        } else if !self.file.has_records {
            Err(RecordError::Fatal(other.refusal()))
        } else if other == RecordKind::Users {
            Err("it is a user: use feedback import users".to_owned().into())
        } else {
            Ok(())
        }
    }

    fn user_item(&self, user: &UserFacts) -> Result<EncodedItem, Reason> {
        let item = user.item(&self.rules.project);
        item.map_err(|invalid| format!("the user {invalid}"))
    }

    /// Returns the campaign of a record. One that is a list or an object rejects the record only if
    /// `--campaign` selects by it.
    fn campaign<'a>(
        &self,
        record: Option<&JsonObject<'a>>,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
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
        members: JsonObject<'a>,
        raw: &RawContent<'_>,
    ) -> Result<Fields<'a>, Reason> {
        let kind = self.rules.kind;
        // The columns of a row are mapped by its table.
        let found = match raw {
            RawContent::Object(_) => self.paths.find(&members)?,
            RawContent::Row { .. } => Vec::new(),
        };
        let mut fields = Fields::new(members, kind)?;
        fields.take(kind, &self.paths, &found)?;
        Ok(fields)
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless it is to be derived again, or an option says that the id is elsewhere.
    fn parse_response(
        &mut self,
        members: Result<JsonObject<'_>, Reason>,
        campaign: Option<&str>,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Record, RecordError> {
        let fields = members.and_then(|members| self.fields(members, raw));
        let lacks_id = match &fields {
            Ok(fields) => !fields.record.has("id"),
            Err(_) => raw.lacks_id(),
        };
        let derived_id = lacks_id.then(|| self.derived_ids.derive(raw, &self.rules.id_from));
        let derived_id = derived_id.transpose()?;
        if self.rules.id_from.is_empty() && (origin.is_row() || !self.rules.maps("id")) {
            origin.derived_id.clone_from(&derived_id);
        }
        let parsed = parse_response(fields?, &self.rules, derived_id, &mut self.questions)?;
        let item = parsed.record.item();
        let item = item.map_err(|invalid| format!("the record {invalid}"))?;
        let user = parsed.user.filter(|_| !self.rules.no_users);
        let user = user.map(|user| self.user_item(&user)).transpose()?;
        self.count(&parsed.record, campaign)?;
        self.file.has_users |= parsed.record.user_id.is_some();
        self.file.ignored.count(parsed.ignored, &self.paths);
        Ok(Record {
            response: Some(item),
            user,
        })
    }

    /// Counts a response record, unless it is the same as an earlier one and each counts once.
    fn count(
        &mut self,
        record: &ResponseRecord,
        campaign: Option<&str>,
    ) -> Result<(), RecordError> {
        let repetition = match &mut self.seen_ids {
            Some(seen) => seen.see(&record.id, record.created)?,
            None => Repetition::None,
        };
        let summary = &mut self.report.summary;
        match repetition {
            Repetition::Same => {
                summary.repeated += 1;
                return Ok(());
            }
            Repetition::OtherCreated => summary.recreated += 1,
            Repetition::None => {}
        }
        summary.add(record.outcome, record.created, campaign);
        Ok(())
    }
}
