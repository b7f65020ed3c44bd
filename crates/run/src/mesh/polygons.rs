use std::collections::{HashMap, HashSet};

use bdem_core::geometry::Vec3;
use serde::{Deserialize, Serialize};

use super::{Triangles, polygon, shells};

/// Polygon mesh, with texture coordinates and normals of its corners.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Polygons {
    /// Positions of the points, m.
    pub points: Vec<Vec3>,
    /// Red, green and blue of each point, from 0 to 1, of a mesh as read; NaN of one without. Empty where no point has a colour.
    #[serde(skip)]
    pub colours: Vec<[f64; 3]>,
    /// Number of corners of each face.
    pub sizes: Vec<u32>,
    /// Corners of all faces, one face after the other, counterclockwise as seen from outside.
    pub corners: Vec<PolygonCorner>,
    /// Material slot of each face: 0 is that of the body, and k is the one whose name is at k - 1.
    pub slots: Vec<u16>,
    /// Names of the slots: those after `usemtl` in an OBJ file.
    pub slot_names: Vec<String>,
    /// Whether the corners have texture coordinates.
    pub has_uv: bool,
    /// First line of a file whose texture coordinates are no finite numbers, and count as zero.
    pub wrong_uv: Option<String>,
}

/// Corner of a polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolygonCorner {
    /// Index of its point.
    pub point: u32,
    /// Texture coordinates; zero without any.
    pub uv: [f64; 2],
    /// Unit normal; zero where the mesh has none.
    pub normal: Vec3,
}

impl Polygons {
    /// Mesh of triangles, without attributes.
    pub fn of_triangles(points: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let corner = |&point: &u32| PolygonCorner { point, ..PolygonCorner::default() };
        let corners = triangles.iter().flatten().map(corner).collect();
        let (sizes, slots) = (vec![3; triangles.len()], vec![0; triangles.len()]);
        Self { points, sizes, corners, slots, ..Self::default() }
    }

    /// Corners of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[PolygonCorner]> {
        self.sizes.iter().scan(0, |first, &size| {
            let start = *first;
            *first += size as usize;
            Some(&self.corners[start..*first])
        })
    }

    /// The mesh with its shells turned as those of [`unite`](super::unite): outwards, and cavities inwards.
    pub fn with_turned_shells(mut self) -> Self {
        let (mut triangles, mut owners) = (Vec::new(), Vec::new());
        for (index, face) in self.faces().enumerate() {
            let face: Vec<u32> = face.iter().map(|corner| corner.point).collect();
            triangles.extend(polygon::triangles(&self.points, &face));
            owners.resize(triangles.len(), index);
        }
        if !shells::are_known(&self.points, &triangles) {
            return self;
        }
        let all = shells::shells(&self.points, &triangles);
        let turned = shells::turned(&self.points, &triangles, &all);
        let turned: HashSet<usize> = turned.iter().flat_map(|&shell| &all[shell]).map(|&k| owners[k]).collect();
        let mut first = 0;
        for (index, &size) in self.sizes.iter().enumerate() {
            let face = &mut self.corners[first..first + size as usize];
            if turned.contains(&index) {
                face.reverse();
                face.iter_mut().for_each(|corner| corner.normal = -corner.normal);
            }
            first += size as usize;
        }
        self
    }

    /// Adds a face in the slot of the body.
    pub fn push(&mut self, face: impl IntoIterator<Item = PolygonCorner>) {
        self.push_in(0, face);
    }

    /// Adds a face in a slot.
    pub fn push_in(&mut self, slot: u16, face: impl IntoIterator<Item = PolygonCorner>) {
        self.slots.push(slot);
        let before = self.corners.len();
        self.corners.extend(face);
        self.sizes.push((self.corners.len() - before) as u32);
    }

    /// Mesh of some faces, with their points alone.
    ///
    /// # Panics
    /// Where an index is none of a face.
    pub fn part(&self, faces: &[usize]) -> Self {
        let firsts: Vec<usize> =
            self.sizes.iter().scan(0, |next, &size| Some(std::mem::replace(next, *next + size as usize))).collect();
        let mut part = Self { has_uv: self.has_uv, ..Self::default() };
        let mut known = HashMap::new();
        for &face in faces {
            let corners = &self.corners[firsts[face]..firsts[face] + self.sizes[face] as usize];
            let points = &mut part.points;
            let mut point = |old: u32| {
                *known.entry(old).or_insert_with(|| {
                    points.push(self.points[old as usize]);
                    points.len() as u32 - 1
                })
            };
            let corners: Vec<PolygonCorner> =
                corners.iter().map(|corner| PolygonCorner { point: point(corner.point), ..*corner }).collect();
            part.push_in(self.slots[face], corners);
        }
        part
    }

    /// Adds the faces of another mesh. Slots of one name are one. There are texture coordinates where both have them.
    pub fn add(&mut self, other: Self) {
        self.has_uv = other.has_uv && (self.has_uv || self.sizes.is_empty());
        let first = self.points.len() as u32;
        self.points.extend(other.points);
        self.colours.clear();
        self.sizes.extend(other.sizes);
        let corners = other.corners.into_iter();
        self.corners.extend(corners.map(|corner| PolygonCorner { point: first + corner.point, ..corner }));
        let slots: Vec<u16> = other.slot_names.into_iter().map(|name| self.slot(name)).collect();
        self.slots.extend(other.slots.into_iter().map(|slot| if slot == 0 { 0 } else { slots[usize::from(slot) - 1] }));
    }

    /// Slot of this name, which is made unless there is one. Beyond the last number it is that of the body.
    pub(super) fn slot(&mut self, name: String) -> u16 {
        let index = self.slot_names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.slot_names.push(name);
            self.slot_names.len() - 1
        });
        u16::try_from(index + 1).unwrap_or(0)
    }

    /// Points, and triangles of all faces, without attributes.
    pub fn into_triangles(self) -> Triangles {
        let triangles = |face: &[PolygonCorner]| {
            let face: Vec<u32> = face.iter().map(|corner| corner.point).collect();
            polygon::triangles(&self.points, &face)
        };
        let faces = self.faces().flat_map(triangles).collect();
        (self.points, faces)
    }
}
