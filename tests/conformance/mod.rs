//! The DynamoDB address: its items give the figures that they give in another implementation, and what
//! no SDK sends is refused.

mod figures;
mod malformed;
