//! What is kept of each pool is not written down with it: it can be found anew. Only the number of pools is.

use super::kept::Kept;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(kept: &[Option<Kept>], to: S) -> Result<S::Ok, S::Error> {
    kept.len().serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<Option<Kept>>, D::Error> {
    let count = usize::deserialize(from)?;
    Ok((0..count).map(|_| None).collect())
}
