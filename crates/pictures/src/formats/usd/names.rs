use std::collections::HashSet;

use crate::clip::Clip;
use crate::pieces::Piece;

/// Names of prims: letters, digits and underscores. Of bodies whose names would be one, all but the first get a number.
pub(super) struct Names {
    /// Name of the root.
    pub root: String,
    /// Name of each body.
    pub bodies: Vec<String>,
}

impl Names {
    pub(super) fn of(clip: &Clip) -> Self {
        let mut taken = HashSet::new();
        let mut unique = |name: &String| {
            let plain = identifier(name);
            let numbered = (2..).map(|number| format!("{plain}_{number}"));
            let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
            free.expect("there is always another number")
        };
        Self { root: identifier(&clip.name), bodies: clip.bodies.iter().map(&mut unique).collect() }
    }

    /// Name of a piece: its body's and its number.
    pub(super) fn piece(&self, piece: &Piece) -> String {
        let whole = if piece.is_whole() { "_whole" } else { "" };
        format!("{}_{:06}{whole}", self.bodies[usize::from(piece.body)], piece.number)
    }

    /// Path of a body's material, of its `outside` or `inside`.
    pub(super) fn material(&self, body: u16, side: &str) -> String {
        format!("/{}/materials/{}_{side}", self.root, self.bodies[usize::from(body)])
    }
}

/// Name of a prim: letters, digits and underscores, the first no digit.
fn identifier(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(valid).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}
