use std::collections::HashSet;

use crate::clip::Clip;
use crate::formats::materials::Materials;
use crate::pieces::Piece;

/// Names of prims: letters, digits and underscores.
pub(super) struct Names {
    /// Name of the root.
    pub root: String,
    /// Name of each body.
    pub bodies: Vec<String>,
    /// Name of each collider.
    pub colliders: Vec<String>,
    /// Name of each material.
    materials: Vec<String>,
}

impl Names {
    pub(super) fn of(clip: &Clip, materials: &Materials) -> Self {
        // an asset's root of this name would take the pieces in
        let asset = clip.over.as_ref().and_then(|over| over.prim.split('/').nth(1)).unwrap_or_default();
        let [_, root] = unique([asset, &clip.name].into_iter()).try_into().expect("two names");
        Self {
            root,
            bodies: unique(clip.bodies.iter().map(String::as_str)),
            colliders: unique(clip.collider_names().iter().map(String::as_str)),
            materials: unique(materials.all.iter().map(|material| material.name.as_str())),
        }
    }

    /// Name of a piece: its body's and its number.
    pub(super) fn piece(&self, piece: &Piece) -> String {
        piece.name(&self.bodies[usize::from(piece.body)])
    }

    /// Path of the material at an index.
    pub(super) fn material(&self, index: usize) -> String {
        format!("/{}/materials/{}", self.root, self.materials[index])
    }
}

/// Names of prims of one parent. Of those that would be one, all but the first get a number.
pub(super) fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let free = |name: &str| {
        let plain = identifier(name);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.expect("there is always another number")
    };
    names.map(free).collect()
}

/// Name of a prim: letters, digits and underscores, the first no digit.
fn identifier(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(valid).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}
