use std::collections::BTreeSet;

use super::SpringError;
use crate::geometry::{Mat3, Vec3};

/// Spring between two vertices, with a dashpot along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Vertices.
    pub ends: [u32; 2],
    /// Stiffness k, N/m.
    pub stiffness: f64,
    /// Rest length l, m.
    pub rest_length: f64,
    /// Damping coefficient c of the velocity along the spring, N s/m.
    pub damping: f64,
}

/// Springs between vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Springs {
    vertices: usize,
    list: Vec<Spring>,
}

impl Springs {
    /// Springs between `vertices` vertices.
    ///
    /// # Errors
    /// When a spring has a vertex too many or the same twice, or a number that is negative or not finite.
    pub fn new(vertices: usize, list: Vec<Spring>) -> Result<Self, SpringError> {
        for (spring, it) in list.iter().enumerate() {
            if let Some(&vertex) = it.ends.iter().find(|&&vertex| vertex as usize >= vertices) {
                return Err(SpringError::Vertex { spring, vertex, vertices });
            }
            if it.ends[0] == it.ends[1] {
                return Err(SpringError::Loop { spring, vertex: it.ends[0] });
            }
            let numbers = [
                ("stiffness", "N/m", it.stiffness),
                ("rest length", "m", it.rest_length),
                ("damping", "N s/m", it.damping),
            ];
            if let Some(&(quantity, unit, value)) = numbers.iter().find(|it| !(it.2 >= 0.0 && it.2.is_finite())) {
                return Err(SpringError::Spring { spring, quantity, unit, value });
            }
        }
        Ok(Self { vertices, list })
    }

    /// Edges of the triangles `faces` between the vertices `x` (m), each once, at rest. `stiffness` is in N/m, `damping` in
    /// N s/m.
    ///
    /// # Errors
    /// As those of [`Self::new`].
    pub fn of_triangles(x: &[Vec3], faces: &[[u32; 3]], stiffness: f64, damping: f64) -> Result<Self, SpringError> {
        let sides = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let length = |[a, b]: [u32; 2]| Some((x.get(a as usize)? - x.get(b as usize)?).norm());
        // a vertex that there is not is refused by `new`
        let spring = |ends| Spring { ends, stiffness, rest_length: length(ends).unwrap_or(0.0), damping };
        Self::new(x.len(), edges.into_iter().map(spring).collect())
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The springs.
    pub fn list(&self) -> &[Spring] {
        &self.list
    }

    /// Vertices of the springs.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        self.list.iter().map(|spring| spring.ends).collect()
    }

    /// Potential energy at `x` (m), J: the sum of `k (|x_i - x_j| - l)^2/2`.
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        self.list.iter().map(|spring| spring.energy(&spring.difference(x))).sum()
    }

    /// Adds the forces of the springs at `x` (m) to `force` (N).
    pub fn add_forces(&self, x: &[Vec3], force: &mut [Vec3]) {
        for spring in &self.list {
            spring.add(spring.force(&spring.difference(x)), force);
        }
    }

    /// Adds the forces of the dashpots at `x` (m) and `v` (m/s) to `force` (N).
    pub fn add_damping(&self, x: &[Vec3], v: &[Vec3], force: &mut [Vec3]) {
        for spring in &self.list {
            let direction = direction(&spring.difference(x));
            spring.add(direction * (-spring.damping * direction.dot(&spring.difference(v))), force);
        }
    }

    /// Power that the dashpots dissipate at `x` (m) and `v` (m/s), W.
    pub fn dissipation(&self, x: &[Vec3], v: &[Vec3]) -> f64 {
        let rate = |spring: &Spring| direction(&spring.difference(x)).dot(&spring.difference(v));
        self.list.iter().map(|spring| spring.damping * rate(spring) * rate(spring)).sum()
    }
}

impl Spring {
    /// Length at the vertices' positions `x` (m) less the rest length, m.
    pub fn extension(&self, x: &[Vec3]) -> f64 {
        self.difference(x).norm() - self.rest_length
    }

    /// Difference of a quantity of the vertices, first less second.
    pub(super) fn difference(&self, of: &[Vec3]) -> Vec3 {
        of[self.ends[0] as usize] - of[self.ends[1] as usize]
    }

    /// Adds `force` to that of the first end, and its opposite to that of the second.
    pub(super) fn add(&self, force: Vec3, forces: &mut [Vec3]) {
        forces[self.ends[0] as usize] += force;
        forces[self.ends[1] as usize] -= force;
    }

    fn energy(&self, r: &Vec3) -> f64 {
        let extension = r.norm() - self.rest_length;
        0.5 * self.stiffness * extension * extension
    }

    /// Force on the first end, N.
    fn force(&self, r: &Vec3) -> Vec3 {
        (direction(r) * self.rest_length - r) * self.stiffness
    }

    /// Second derivative of the energy, N/m. Negative values, those of a compressed spring across, are zero if `convex`.
    pub(super) fn hessian(&self, r: &Vec3, convex: bool) -> Mat3 {
        let (length, direction) = (r.norm(), direction(r));
        let along = direction * direction.transpose();
        let across = if length > 0.0 { 1.0 - self.rest_length / length } else { 0.0 };
        let across = if convex { across.max(0.0) } else { across };
        (along + (Mat3::identity() - along) * across) * self.stiffness
    }
}

/// Unit vector; zero for a zero vector.
pub(super) fn direction(r: &Vec3) -> Vec3 {
    let length = r.norm();
    if length > 0.0 { r / length } else { Vec3::zeros() }
}
