use std::collections::HashMap;

use super::obj::{self, Mark};
use super::{MeshFileError, PolygonCorner, Polygons};

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

/// Parts of the mesh file that was read last: bodies of one file follow each other.
#[derive(Clone, Debug, Default)]
pub struct PartsOfFile {
    file: Option<(String, PartKind)>,
    parts: Vec<(String, Polygons)>,
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

impl PartsOfFile {
    /// Whether the last file was this one.
    pub fn are_of(&self, file: &str, kind: PartKind) -> bool {
        self.file.as_ref().is_some_and(|(known, of)| known == file && *of == kind)
    }

    /// Reads the parts that have faces from the bytes of a file. A group may go on further below.
    ///
    /// # Errors
    /// If the file is no OBJ file, has no parts or faces before the first, or two objects of one name.
    pub fn read(&mut self, file: &str, kind: PartKind, bytes: &[u8]) -> Result<(), MeshFileError> {
        self.parts = parts(file, bytes, kind)?;
        self.file = Some((file.to_owned(), kind));
        Ok(())
    }

    /// Name and polygons of each part, in the order of the file. Polygons have their own points alone.
    pub fn all(&self) -> &[(String, Polygons)] {
        &self.parts
    }
}

impl MeshPart<'_> {
    /// The part among those of its file.
    ///
    /// # Errors
    /// If there is none of its name.
    pub fn find(self, parts: &[(String, Polygons)]) -> Result<Polygons, MeshFileError> {
        let found = parts.iter().find(|(name, _)| name == self.name);
        found.map(|(_, mesh)| mesh.clone()).ok_or_else(|| {
            let known: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
            MeshFileError::NoPart { word: self.kind.word(), name: self.name.to_owned(), known: known.join(", ") }
        })
    }
}

/// Polygons of each part of an OBJ file.
fn parts(file: &str, bytes: &[u8], kind: PartKind) -> Result<Vec<(String, Polygons)>, MeshFileError> {
    let (word, wrong) = (kind.word(), |why: String| Err(MeshFileError::Parts(why)));
    if !file.to_ascii_lowercase().ends_with(".obj") {
        return wrong(format!("it has no {word}s: those are of OBJ files"));
    }
    let (whole, marks) = obj::read_marked(bytes, &[kind.keyword()])?;
    let mut marks = marks.into_iter().peekable();
    let mut all: Vec<(String, Polygons)> = Vec::new();
    let (mut known, mut points) = (HashMap::new(), HashMap::new());
    let mut part = None;
    for (k, (face, &slot)) in whole.faces().zip(&whole.slots).enumerate() {
        let mark = std::iter::from_fn(|| marks.next_if(|mark| mark.face <= k)).last();
        if let Some(Mark { line, name, .. }) = mark {
            let index = *known.entry(name.clone()).or_insert(all.len());
            if index == all.len() {
                all.push((name, Polygons::default()));
            } else if kind == PartKind::Object {
                return wrong(format!("line {line}: a second object {name:?}"));
            }
            part = Some(index);
        }
        let Some(index) = part else {
            return wrong(format!("a face before the first {word} ({})", kind.keyword()));
        };
        let mesh = &mut all[index].1;
        let slot = slot.checked_sub(1).map_or(0, |k| mesh.slot(whole.slot_names[usize::from(k)].clone()));
        for corner in face {
            points.entry((index, corner.point)).or_insert_with(|| {
                mesh.points.push(whole.points[corner.point as usize]);
                mesh.colours.extend(whole.colours.get(corner.point as usize));
                mesh.points.len() as u32 - 1
            });
        }
        mesh.push_in(
            slot,
            face.iter().map(|corner| PolygonCorner { point: points[&(index, corner.point)], ..*corner }),
        );
    }
    if all.is_empty() {
        return wrong(format!("it has no {word}s with faces"));
    }
    for (_, mesh) in &mut all {
        mesh.wrong_uv.clone_from(&whole.wrong_uv);
        obj::finish(mesh);
    }
    Ok(all)
}
