//! The faults of a store, and what each makes of a healthy response.

use std::time::Duration;

use serde_json::{Value, json};

use super::injector::{Consequence, Faults, Of, Read};
use super::project;
use crate::support::fault;
use test_support::Random;

/// A fault of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// DynamoDB throttles, fails or refuses, with this status and code.
    Error(u16, &'static str),
    /// Something before DynamoDB responds, with HTML.
    Html,
    /// The response takes up to 0.4 seconds longer.
    Delayed,
    /// The connection ends.
    Broken(Moment, End),
    /// The body is not what the store sent.
    Damaged(Damage, Checksum),
    /// The body is `{}`.
    EmptyObject,
    /// The items of the page are `{}`.
    EmptyItems,
    /// The page before the requested one is returned again.
    PageAgain,
    /// The page ends with the key that it begins after.
    KeyAgain,
}

/// How much of the response a broken connection delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    BeforeResponse,
    WithinBody,
    AfterBody,
}

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Reset,
    Closed,
    /// It stays open, and nothing follows.
    Stalled,
}

/// How a body is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    Cut,
    Empty,
    /// A bracket is missing.
    Syntax,
    /// A byte that is no UTF-8 is added.
    Encoding,
    /// A value is of another type.
    Type,
    /// A digit or a letter differs. Only a checksum shows it.
    Value,
}

/// The checksum that is sent with a damaged body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checksum {
    OfDamagedBody,
    OfHealthyBody,
    Absent,
}

/// Every kind of fault.
const FAULTS: [Fault; 35] = {
    use Checksum::{Absent, OfDamagedBody, OfHealthyBody};
    use End::{Closed, Reset, Stalled};
    use Moment::{AfterBody, BeforeResponse, WithinBody};
    [
        Fault::Error(400, "ProvisionedThroughputExceededException"),
        Fault::Error(400, "ThrottlingException"),
        Fault::Error(400, "RequestLimitExceeded"),
        Fault::Error(500, "InternalServerError"),
        Fault::Error(400, "ExpiredTokenException"),
        Fault::Error(400, "AccessDeniedException"),
        Fault::Error(400, "ResourceNotFoundException"),
        Fault::Html,
        Fault::Delayed,
        Fault::Broken(BeforeResponse, Reset),
        Fault::Broken(WithinBody, Reset),
        Fault::Broken(AfterBody, Reset),
        Fault::Broken(BeforeResponse, Closed),
        Fault::Broken(WithinBody, Closed),
        Fault::Broken(AfterBody, Closed),
        Fault::Broken(BeforeResponse, Stalled),
        Fault::Broken(WithinBody, Stalled),
        Fault::Damaged(Damage::Cut, OfDamagedBody),
        Fault::Damaged(Damage::Cut, OfHealthyBody),
        Fault::Damaged(Damage::Cut, Absent),
        Fault::Damaged(Damage::Empty, OfDamagedBody),
        Fault::Damaged(Damage::Empty, Absent),
        Fault::Damaged(Damage::Syntax, OfDamagedBody),
        Fault::Damaged(Damage::Syntax, OfHealthyBody),
        Fault::Damaged(Damage::Syntax, Absent),
        Fault::Damaged(Damage::Encoding, OfDamagedBody),
        Fault::Damaged(Damage::Encoding, OfHealthyBody),
        Fault::Damaged(Damage::Type, OfDamagedBody),
        Fault::Damaged(Damage::Type, OfHealthyBody),
        Fault::Damaged(Damage::Type, Absent),
        Fault::Damaged(Damage::Value, OfHealthyBody),
        Fault::EmptyObject,
        Fault::EmptyItems,
        Fault::PageAgain,
        Fault::KeyAgain,
    ]
};

/// A response on its way to the client.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) media_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) checksum: Option<u32>,
    pub(super) delivery: Delivery,
}

pub(super) enum Delivery {
    /// After this time.
    Whole(Duration),
    Broken(Moment, End),
}

impl Reply {
    /// Returns a healthy response with this body.
    pub(super) fn healthy(body: &Value) -> Self {
        let body = body.to_string().into_bytes();
        Self {
            status: 200,
            media_type: "application/x-amz-json-1.0",
            checksum: Some(crc32fast::hash(&body)),
            body,
            delivery: Delivery::Whole(Duration::ZERO),
        }
    }

    fn error(status: u16, code: &str) -> Self {
        let healthy = Self::healthy(&fault(code));
        Self { status, ..healthy }
    }
}

impl Faults for Fault {
    const ALL: &'static [Self] = &FAULTS;

    fn befalls(self, read: Read) -> bool {
        match self {
            Self::PageAgain | Self::KeyAgain => read.is_later,
            // Records without any of the projected attributes are displays that are pending.
            Self::EmptyItems => matches!(read.of, Of::User | Of::Users),
            _ => true,
        }
    }

    fn consequence(self, read: Read) -> Consequence {
        const PERMANENT: [&str; 3] = [
            "ExpiredTokenException",
            "AccessDeniedException",
            "ResourceNotFoundException",
        ];
        match self {
            Self::Delayed => Consequence::Delay,
            Self::Error(400, code) if PERMANENT.contains(&code) => Consequence::PermanentFailure,
            // To DynamoDB, `{}` means that there is no such item.
            Self::EmptyObject if read.of == Of::Credential => Consequence::Absence,
            _ => Consequence::Failure,
        }
    }
}

impl Fault {
    /// Returns what arrives instead of the healthy response.
    pub(super) fn reply(self, operation: &str, input: &Value, random: &mut Random) -> Reply {
        let mut body = project::response(operation, input);
        let delivered = |delivery, body: &Value| Reply {
            delivery,
            ..Reply::healthy(body)
        };
        match self {
            Self::Error(status, code) => Reply::error(status, code),
            Self::Html => Reply {
                status: 503,
                media_type: "text/html",
                body: b"<html><body><h1>503 Service Unavailable</h1></body></html>".to_vec(),
                checksum: None,
                delivery: Delivery::Whole(Duration::ZERO),
            },
            Self::Delayed => delivered(
                Delivery::Whole(random.duration_up_to(Duration::from_millis(400))),
                &body,
            ),
            Self::Broken(moment, end) => delivered(Delivery::Broken(moment, end), &body),
            Self::Damaged(damage, checksum) => damaged(&body, damage, checksum, random),
            Self::EmptyObject => Reply::healthy(&json!({})),
            Self::EmptyItems => {
                for item in body["Items"].as_array_mut().unwrap() {
                    *item = json!({});
                }
                Reply::healthy(&body)
            }
            Self::PageAgain => Reply::healthy(&project::page_before(input).unwrap()),
            Self::KeyAgain => {
                body["LastEvaluatedKey"] = input["ExclusiveStartKey"].clone();
                Reply::healthy(&body)
            }
        }
    }
}

fn damaged(body: &Value, damage: Damage, checksum: Checksum, random: &mut Random) -> Reply {
    let healthy = Reply::healthy(body);
    let bytes = damage.of(body, random);
    Reply {
        checksum: match checksum {
            Checksum::OfDamagedBody => Some(crc32fast::hash(&bytes)),
            Checksum::OfHealthyBody => healthy.checksum,
            Checksum::Absent => None,
        },
        body: bytes,
        ..healthy
    }
}

impl Damage {
    /// Returns the text of this body, damaged.
    pub(super) fn of(self, body: &Value, random: &mut Random) -> Vec<u8> {
        let mut bytes = body.to_string().into_bytes();
        match self {
            Self::Cut => bytes.truncate(random.index(bytes.len())),
            Self::Empty => bytes.clear(),
            Self::Syntax => drop(bytes.remove(position(&bytes, b"{}[]", random))),
            Self::Encoding => bytes.insert(random.index(bytes.len()), 0xFF),
            Self::Type => bytes = of_other_type(body, random).to_string().into_bytes(),
            Self::Value => {
                let at = position(&bytes, b"0123456789abcdefghijklmnopqrstuvwxyz", random);
                bytes[at] = if bytes[at] == b'7' { b'1' } else { b'7' };
            }
        }
        bytes
    }
}

/// Returns a position at which one of these bytes is.
fn position(bytes: &[u8], wanted: &[u8], random: &mut Random) -> usize {
    let positions: Vec<_> = (0..bytes.len())
        .filter(|at| wanted.contains(&bytes[*at]))
        .collect();
    random.choose(&positions)
}

/// Returns the body with a value of a type that it cannot have.
fn of_other_type(body: &Value, random: &mut Random) -> Value {
    let mut other = body.clone();
    let wrong = [json!(5), json!(true), json!("text"), json!([[5]])];
    let wrong = wrong[random.index(wrong.len())].clone();
    match body["Items"].as_array() {
        _ if random.once_in(3) => return wrong,
        None => other["Item"] = wrong,
        Some(items) if !items.is_empty() && random.once_in(2) => {
            other["Items"][random.index(items.len())] = wrong;
        }
        Some(_) if random.once_in(2) => other["LastEvaluatedKey"] = wrong,
        Some(_) => other["Items"] = wrong,
    }
    other
}
