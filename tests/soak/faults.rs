//! The faults of a read, and what each makes of a healthy response.

use serde_json::{Value, json};
use store::ErrorKind;
use test_support::Random;

use super::store::{Of, Read, Wanted};

/// A fault of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The read fails with this code.
    Error(ErrorKind, &'static str),
    /// Something before DynamoDB responds, with HTML.
    Html,
    /// The response takes up to 0.4 seconds longer.
    Delayed,
    /// It takes longer than any request may.
    Late,
    /// The read panics, before it begins or while it reads.
    Panic { at_once: bool },
    /// The connection ends.
    Broken(Moment, End),
    /// The body is not what the store sent.
    Damaged(Damage, Checksum),
    /// The body is `{}`.
    EmptyObject,
    /// The items of the page are `{}`.
    EmptyItems,
    /// The first page is returned again.
    PageAgain,
    /// The page ends with the key that it begins after.
    KeyAgain,
    /// The items of the page are in reverse order.
    OutOfOrder,
    /// The page says that it has one more item.
    OtherCount,
    /// The credential is that of another digest.
    OtherKey,
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

/// Those that show without a checksum.
const DAMAGES: [Damage; 5] = {
    use Damage::{Cut, Empty, Encoding, Syntax, Type};
    [Cut, Empty, Syntax, Encoding, Type]
};

/// The checksum that is sent with a damaged body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checksum {
    OfDamagedBody,
    OfHealthyBody,
    Absent,
}

/// Where a store is reached, and so which faults it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    /// The port of a data folder.
    Port,
    /// DynamoDB's protocol.
    Http,
}

/// What a fault explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consequence {
    /// Nothing but that time passes.
    Delay,
    /// The store is unavailable.
    Failure,
    /// The store would fail again, so it may be an internal error, too.
    PermanentFailure,
    /// There is no such credential.
    Absence,
}

impl Face {
    /// Returns the faults that reads through it can suffer.
    pub(super) fn faults(self) -> Vec<Fault> {
        let unavailable = "ProvisionedThroughputExceededException ThrottlingException RequestLimitExceeded \
                           InternalServerError";
        let refused = "ExpiredTokenException AccessDeniedException ResourceNotFoundException";
        let of = |kind| move |code| Fault::Error(kind, code);
        let mut faults: Vec<_> = unavailable
            .split(' ')
            .map(of(ErrorKind::Unavailable))
            .chain(refused.split(' ').map(of(ErrorKind::Refused)))
            .collect();
        faults.extend([Fault::Delayed, Fault::EmptyObject, Fault::EmptyItems]);
        faults.extend([Fault::PageAgain, Fault::KeyAgain, Fault::OutOfOrder]);
        faults.extend([Fault::OtherCount, Fault::OtherKey]);
        let damages = DAMAGES.map(|damage| Fault::Damaged(damage, Checksum::OfDamagedBody));
        faults.extend(damages);
        if self == Self::Port {
            faults.extend([
                Fault::Error(ErrorKind::Damaged, "not a page of items"),
                Fault::Error(ErrorKind::Internal, "panicked"),
                Fault::Late,
                Fault::Panic { at_once: true },
                Fault::Panic { at_once: false },
            ]);
            return faults;
        }
        faults.extend([
            Fault::Html,
            Fault::Broken(Moment::BeforeResponse, End::Stalled),
            Fault::Broken(Moment::WithinBody, End::Stalled),
            Fault::Damaged(Damage::Value, Checksum::OfHealthyBody),
        ]);
        for end in [End::Reset, End::Closed] {
            use Moment::{AfterBody, BeforeResponse, WithinBody};
            let broken = |moment| Fault::Broken(moment, end);
            faults.extend([BeforeResponse, WithinBody, AfterBody].map(broken));
        }
        for checksum in [Checksum::OfHealthyBody, Checksum::Absent] {
            faults.extend(DAMAGES.map(|damage| Fault::Damaged(damage, checksum)));
        }
        faults
    }
}

impl Fault {
    /// Returns whether the fault can befall this read through this face.
    pub(super) fn befalls(self, read: Read, face: Face) -> bool {
        match self {
            Self::PageAgain | Self::KeyAgain => read.is_later,
            // Records without any attributes are displays that are pending.
            Self::EmptyItems => matches!(read.of, Of::User | Of::Users),
            Self::OutOfOrder => matches!(read.of, Of::Users | Of::Records(_)),
            Self::OtherCount => read.of != Of::Credential,
            Self::OtherKey => read.of == Of::Credential,
            // The port hands an item on, and not a text.
            Self::Damaged(damage, _) if face == Face::Port => {
                read.of != Of::Credential || damage == Damage::Type
            }
            _ => true,
        }
    }

    /// Returns what the fault explains, in a response that is not late.
    pub(super) fn consequence(self, read: Read) -> Consequence {
        match self {
            Self::Delayed | Self::Late => Consequence::Delay,
            Self::Error(ErrorKind::Refused | ErrorKind::Internal, _) | Self::Panic { .. } => {
                Consequence::PermanentFailure
            }
            // To DynamoDB, `{}` means that there is no such item.
            Self::EmptyObject if read.of == Of::Credential => Consequence::Absence,
            _ => Consequence::Failure,
        }
    }

    /// Returns what arrives instead of this body, which was wanted.
    pub(super) fn misrepresent(self, body: &[u8], wanted: &Wanted, random: &mut Random) -> Vec<u8> {
        let mut document: Value = serde_json::from_slice(body).unwrap();
        match (self, wanted) {
            (Self::Damaged(damage, _), _) => return damage.of(&document, random),
            (Self::EmptyObject, _) => document = json!({}),
            (Self::EmptyItems, _) => document["Items"].as_array_mut().unwrap().fill(json!({})),
            (Self::OutOfOrder, _) => document["Items"].as_array_mut().unwrap().reverse(),
            (Self::OtherCount, _) => {
                let items = document["Items"].as_array().unwrap().len();
                document["Count"] = json!(items + 1);
            }
            (Self::OtherKey, _) => document["Item"]["digest"] = json!({"S": "0".repeat(64)}),
            (Self::KeyAgain, Wanted::Page(read)) => {
                let [hash, range] = read.partition.key_names();
                document["LastEvaluatedKey"] =
                    json!({hash: {"S": read.partition.key()}, range: {"S": read.after}});
            }
            _ => return body.to_vec(),
        }
        document.to_string().into_bytes()
    }
}

impl Damage {
    /// Returns the text of this body, damaged.
    fn of(self, body: &Value, random: &mut Random) -> Vec<u8> {
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
    let positions = (0..bytes.len()).filter(|at| wanted.contains(&bytes[*at]));
    random.choose(&positions.collect::<Vec<_>>())
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
