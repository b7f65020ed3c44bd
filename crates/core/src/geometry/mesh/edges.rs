use std::collections::BTreeSet;

use super::{MeshError, area, check};
use crate::geometry::Vec3;

/// Vertices and edges of triangles, which need not bound a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// Vertices that belong to a triangle, m, in their order.
    pub vertices: Vec<Vec3>,
    /// Index of each vertex among the corners.
    pub corners: Vec<u32>,
    /// Pairs `i < j` of vertices, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// Third of the area of the triangles of each vertex, m2.
    pub areas: Vec<f64>,
}

impl Edges {
    /// Edges of `faces`, each of three `corners` (m). Vertices without a face are omitted.
    ///
    /// # Errors
    /// If a number is out of range, there is no face, or the ends of an edge are in one place.
    pub fn new(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<Self, MeshError> {
        check::numbers(corners, faces)?;
        let mut lumped = vec![None; corners.len()];
        let mut pairs = BTreeSet::new();
        for &[a, b, c] in faces {
            let third = area(&[a, b, c].map(|i| corners[i as usize])).norm() / 3.0;
            [a, b, c].into_iter().for_each(|i| *lumped[i as usize].get_or_insert(0.0) += third);
            let sides = [[a, b], [b, c], [c, a]].into_iter().filter(|[i, j]| i != j);
            pairs.extend(sides.map(|[i, j]| [i.min(j), i.max(j)]));
        }
        if pairs.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(&[a, b]) = pairs.iter().find(|[a, b]| corners[*a as usize] == corners[*b as usize]) {
            return Err(MeshError::ShortEdge { vertices: [a, b], place: corners[a as usize].into() });
        }
        let mut places = vec![u32::MAX; corners.len()];
        let used: Vec<u32> = (0..).zip(&lumped).filter_map(|(i, area)| area.map(|_| i)).collect();
        used.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
        let vertices = used.iter().map(|&i| corners[i as usize]).collect();
        let areas = lumped.into_iter().flatten().collect();
        let pairs = pairs.into_iter().map(|ends| ends.map(|i| places[i as usize])).collect();
        Ok(Self { vertices, corners: used, pairs, areas })
    }

    /// Length of the shortest edge, m.
    pub fn shortest(&self) -> f64 {
        let length = |&[i, j]: &[u32; 2]| (self.vertices[i as usize] - self.vertices[j as usize]).norm();
        self.pairs.iter().map(length).fold(f64::INFINITY, f64::min)
    }
}
