use std::collections::HashSet;

use super::text::{joined_lines, text};
use super::{MeshFileError, Polygons, obj};

/// Kind of the parts of an OBJ file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Faces after `o`.
    Object,
    /// Faces after `g`.
    Group,
}

/// Part of an OBJ file.
#[derive(Clone, Copy, Debug)]
pub struct MeshPart<'a> {
    /// Whether it is an object or a group.
    pub kind: PartKind,
    /// Name in the file.
    pub name: &'a str,
}

impl PartKind {
    /// Word in an OBJ file before the name of a part.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Object => "o",
            Self::Group => "g",
        }
    }

    /// Word for people.
    fn word(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Group => "group",
        }
    }
}

/// Polygons of one part of an OBJ file, with the points that it has.
///
/// # Errors
/// As of [`read`](super::read), and if the file has no such part.
pub fn read_part(ending: &str, bytes: &[u8], part: MeshPart) -> Result<Polygons, MeshFileError> {
    let names = part_names(ending, bytes, part.kind)?;
    if names.iter().all(|name| name != part.name) {
        let name = part.name.to_owned();
        return Err(MeshFileError::NoPart { word: part.kind.word(), name, known: names.join(", ") });
    }
    Ok(obj::read(bytes, Some(part))?.without_loose_points())
}

/// Names of the parts of an OBJ file that have faces, in its order. A group may go on further below.
///
/// # Errors
/// If the file is no OBJ file, has no parts or faces before the first, or two objects of one name.
pub fn part_names(ending: &str, bytes: &[u8], kind: PartKind) -> Result<Vec<String>, MeshFileError> {
    let word = kind.word();
    if !ending.eq_ignore_ascii_case("obj") {
        return Err(MeshFileError::Parts(format!("a file of {ending:?} has no {word}s: those are of OBJ files")));
    }
    let (text, wrong) = (text(bytes), |why: String| Err(MeshFileError::Parts(why)));
    let (mut names, mut known) = (Vec::new(), HashSet::new());
    let (mut current, mut is_listed) = (None, false);
    for (number, line) in (1..).zip(joined_lines(&text)) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        match words.next() {
            Some(key) if key == kind.keyword() => {
                (current, is_listed) = (Some(words.collect::<Vec<_>>().join(" ")), false);
            }
            Some("f") if !is_listed => {
                let Some(name) = &current else {
                    return wrong(format!("line {number}: a face before the first {word} ({})", kind.keyword()));
                };
                if known.insert(name.clone()) {
                    names.push(name.clone());
                } else if kind == PartKind::Object {
                    return wrong(format!("line {number}: a second object {name:?}"));
                }
                is_listed = true;
            }
            _ => {}
        }
    }
    if names.is_empty() { wrong(format!("it has no {word}s with faces")) } else { Ok(names) }
}
