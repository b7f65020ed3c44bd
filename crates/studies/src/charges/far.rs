//! The domain-discretised field without its far part, and with the near and far parts that \[MSC\] prints.

use bdem_core::charge::{Charges, DdefSettings, Field, Grid, Method, field_at};
use bdem_core::geometry::Vec3;
use rayon::prelude::*;

/// Near and far parts of the field.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Split {
    /// The near charges alone (\[MSC\] section 5).
    NearAlone,
    /// Section 3.1.3: charges whose near vertices have all of the target's tetrahedron are near, and a charge has no part in the field at
    /// its near vertices. Those with some of them lose a part of their field.
    AsText,
    /// Algorithm 1: all charges that are near to a vertex near the target are near, and those whose part in the field at the target's vertices
    /// is counted are counted twice.
    AsAlgorithm,
}

/// Charges on the grid of the method.
struct Gridded<'a> {
    x: &'a [Vec3],
    q: &'a [f64],
    grid: Grid,
    /// Tetrahedron of each charge.
    of_charge: Vec<usize>,
}

/// Field of charges `q` (C) at `x` (m) by these parts.
pub(super) fn field(x: &[Vec3], q: &[f64], settings: &DdefSettings, split: Split) -> Field {
    let grid = Grid::new(x.iter().copied(), settings.points, settings.adjacency);
    let mut at = 0;
    let mut locate = |x: &Vec3| {
        at = grid.locate(x, at);
        at
    };
    let of_charge = x.iter().map(&mut locate).collect();
    let gridded = Gridded { x, q, grid, of_charge };
    let far = if split == Split::NearAlone { vec![Vec3::zeros(); gridded.grid.points().len()] } else { gridded.far() };
    let of = |i: usize| gridded.near(i, split) + gridded.between(i, &far);
    let e: Vec<Vec3> = (0..x.len()).into_par_iter().map(of).collect();
    Field { potential: vec![0.0; e.len()], e }
}

impl Gridded<'_> {
    /// Vertices near to charge `i`.
    fn near_vertices(&self, i: usize) -> &[u32] {
        self.grid.near(self.of_charge[i])
    }

    /// Field at each grid point of the charges that it is not near to, V/m.
    fn far(&self) -> Vec<Vec3> {
        let of = |(vertex, u): (usize, &Vec3)| {
            let is_far = |i: &usize| self.near_vertices(*i).binary_search(&(vertex as u32)).is_err();
            self.sum((0..self.x.len()).filter(is_far), u)
        };
        self.grid.points().par_iter().enumerate().map(of).collect()
    }

    /// Exact field of the near charges at charge `i`, V/m.
    fn near(&self, i: usize, split: Split) -> Vec3 {
        let own = self.grid.tetrahedra()[self.of_charge[i]].vertices;
        let is_near = |s: &usize| {
            let near = self.near_vertices(*s);
            let has = |vertex: &u32| near.binary_search(vertex).is_ok();
            *s != i
                && match split {
                    Split::NearAlone => own.iter().any(has),
                    Split::AsText => own.iter().all(has),
                    Split::AsAlgorithm => self.near_vertices(i).iter().any(has),
                }
        };
        self.sum((0..self.x.len()).filter(is_near), &self.x[i])
    }

    /// Field of the grid points at charge `i`, V/m.
    fn between(&self, i: usize, at_points: &[Vec3]) -> Vec3 {
        let tetrahedron = self.of_charge[i];
        let weights = self.grid.barycentric(tetrahedron, &self.x[i]);
        let vertices = self.grid.tetrahedra()[tetrahedron].vertices;
        vertices.iter().zip(weights).map(|(&vertex, weight)| at_points[vertex as usize] * weight).sum()
    }

    /// Exact field of some charges at `at` (m), V/m.
    fn sum(&self, sources: impl Iterator<Item = usize>, at: &Vec3) -> Vec3 {
        let (x, q): (Vec<Vec3>, Vec<f64>) = sources.map(|s| (self.x[s], self.q[s])).unzip();
        let charges = Charges::new(&x, &q, 0.0).expect("finite charges");
        field_at(&charges, &[*at], &Method::Exact).expect("charges are apart").e[0]
    }
}
