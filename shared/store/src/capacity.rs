//! The capacity that a read consumed.

use model::items::Json;

/// Reads the units of a `ConsumedCapacity`.
pub(super) fn capacity_units(json: &mut Json<'_>) -> Option<f64> {
    let mut units = 0.0;
    json.object(|json, name| {
        match &*name {
            "CapacityUnits" => units = json.number()?,
            _ => json.skip()?,
        }
        Some(())
    })?;
    Some(units)
}
