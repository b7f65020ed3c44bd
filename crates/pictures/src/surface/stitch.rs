use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::patch::{Patch, Spot};

/// Triangles of all blocks as one mesh, in the order of the blocks. Points that several blocks have become one.
pub(super) fn stitch(patches: Vec<Patch>) -> Patch {
    let mut all = Patch::default();
    let mut known = HashMap::new();
    for patch in patches {
        let mut add = |spot: Spot| {
            all.spots.push(spot);
            all.spots.len() as u32 - 1
        };
        let mut number = |spot: Spot| match spot.key.map(|key| known.entry(key)) {
            Some(Entry::Occupied(there)) => *there.get(),
            Some(Entry::Vacant(free)) => *free.insert(add(spot)),
            None => add(spot),
        };
        let numbers: Vec<u32> = patch.spots.into_iter().map(&mut number).collect();
        all.triangles.extend(patch.triangles.into_iter().map(|corners| corners.map(|k| numbers[k as usize])));
    }
    all
}
