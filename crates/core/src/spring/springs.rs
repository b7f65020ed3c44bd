use std::collections::BTreeSet;
use std::ops::AddAssign;

use super::SpringError;
use crate::geometry::{Mat3, Vec3};
use crate::parallel;

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
    list: Vec<Spring>,
    /// Starts of the vertices' ends in `ends`, and one more.
    start: Vec<u32>,
    /// Ends of springs by vertex, in the order of the springs.
    ends: Vec<End>,
}

/// End of a spring at a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// Index of the spring.
    pub spring: u32,
    /// Vertex at its other end.
    pub other: u32,
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
        Ok(Self::sorted(vertices, list))
    }

    /// Sorts the ends of the springs by vertex.
    fn sorted(vertices: usize, list: Vec<Spring>) -> Self {
        let mut start = vec![0; vertices + 1];
        list.iter().flat_map(|spring| spring.ends).for_each(|vertex| start[vertex as usize + 1] += 1);
        (0..vertices).for_each(|vertex| start[vertex + 1] += start[vertex]);
        let mut next = start.clone();
        let mut ends = vec![End { spring: 0, other: 0 }; 2 * list.len()];
        for (spring, it) in (0..).zip(&list) {
            for (vertex, other) in [(it.ends[0], it.ends[1]), (it.ends[1], it.ends[0])] {
                ends[next[vertex as usize] as usize] = End { spring, other };
                next[vertex as usize] += 1;
            }
        }
        Self { list, start, ends }
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
    pub(crate) fn vertices(&self) -> usize {
        self.start.len() - 1
    }

    /// Ends of springs at a vertex.
    pub(super) fn at(&self, vertex: usize) -> &[End] {
        &self.ends[self.start[vertex] as usize..self.start[vertex + 1] as usize]
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
        let energy = |spring: &Spring| spring.energy(&spring.difference(x));
        parallel::sum_chunks(self.list.len(), parallel::SERIAL_BELOW, |range| self.list[range].iter().map(energy).sum())
    }

    /// Adds the forces of the springs at `x` (m) to `force` (N).
    pub(crate) fn add_forces(&self, x: &[Vec3], force: &mut [Vec3]) {
        self.add(force, |vertex, End { spring, other }| {
            self.list[spring as usize].force(&(x[vertex] - x[other as usize]))
        });
    }

    /// Adds the forces of the dashpots at `x` (m) and `v` (m/s) to `force` (N).
    pub(crate) fn add_damping(&self, x: &[Vec3], v: &[Vec3], force: &mut [Vec3]) {
        self.add(force, |vertex, End { spring, other }| {
            let direction = direction(&(x[vertex] - x[other as usize]));
            let rate = direction.dot(&(v[vertex] - v[other as usize]));
            direction * (-self.list[spring as usize].damping * rate)
        });
    }

    /// Adds a term of each end of a spring to the sum of its vertex, in the order of the springs.
    pub(super) fn add<A: AddAssign + Copy + Send>(&self, to: &mut [A], term: impl Fn(usize, End) -> A + Sync) {
        parallel::for_each_chunk(to, parallel::SERIAL_BELOW, |first, to| {
            for (vertex, sum) in (first..).zip(to) {
                // a sum in a register, from the value that is there
                let mut at = *sum;
                self.at(vertex).iter().for_each(|&end| at += term(vertex, end));
                *sum = at;
            }
        });
    }

    /// Power that the dashpots dissipate at `x` (m) and `v` (m/s), W.
    pub(crate) fn dissipation(&self, x: &[Vec3], v: &[Vec3]) -> f64 {
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

    fn energy(&self, r: &Vec3) -> f64 {
        let extension = r.norm() - self.rest_length;
        0.5 * self.stiffness * extension * extension
    }

    /// Force on the end whose position less that of the other is `r` (m), N.
    fn force(&self, r: &Vec3) -> Vec3 {
        (direction(r) * self.rest_length - r) * self.stiffness
    }

    /// Second derivative of the energy, N/m. It is negative across a compressed spring.
    pub(super) fn hessian(&self, r: &Vec3) -> Mat3 {
        let (length, direction) = (r.norm(), direction(r));
        let along = direction * direction.transpose();
        let across = if length > 0.0 { 1.0 - self.rest_length / length } else { 0.0 };
        (along + (Mat3::identity() - along) * across) * self.stiffness
    }
}

/// Unit vector; zero for a zero vector.
pub(super) fn direction(r: &Vec3) -> Vec3 {
    let length = r.norm();
    if length > 0.0 { r / length } else { Vec3::zeros() }
}
