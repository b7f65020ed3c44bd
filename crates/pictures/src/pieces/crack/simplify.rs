use std::collections::HashSet;

use bdem_core::geometry::{Mat3, Vec3};

use super::Partition;

/// Number of passes over all corners. Each takes out at most every third one.
const PASSES: usize = 6;
/// Least shape of a new triangle: area over the squared longest side, where an equilateral one has 0.43.
const SHAPE: f64 = 0.05;
/// Least cosine between the normals of a triangle before and after.
const TURN: f64 = 0.85;

/// Takes corners out of flat parts of walls: each moves onto a neighbour on its wall, where the root mean square distance
/// from the planes of the walls that it stands for is within `tolerance` (m). Walls are shared, so both sides stay equal.
/// Corners where walls of several pairs of labels meet stay. Quadrics of Garland and Heckbert (1997), Surface
/// Simplification Using Quadric Error Metrics.
pub(super) fn simplify(partition: &mut Partition, tolerance: f64) {
    let mut mesh = Walls::new(partition);
    for _ in 0..PASSES {
        if mesh.pass(tolerance * tolerance) == 0 {
            break;
        }
    }
    mesh.finish();
}

/// Sum over planes of squared distances times areas: x^T a x - 2 b x + c.
#[derive(Clone, Copy, Default)]
struct Quadric {
    a: Mat3,
    b: Vec3,
    c: f64,
    area: f64,
}

impl Quadric {
    fn of_plane(place: &Vec3, area: &Vec3) -> Self {
        let size = area.norm();
        let Some(n) = area.try_normalize(0.0) else { return Self::default() };
        let offset = n.dot(place);
        Self { a: n * n.transpose() * size, b: n * (offset * size), c: offset * offset * size, area: size }
    }

    fn plus(&self, other: &Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b, c: self.c + other.c, area: self.area + other.area }
    }

    /// Mean squared distance (m2) of `x`.
    fn mean(&self, x: &Vec3) -> f64 {
        if self.area == 0.0 {
            return 0.0;
        }
        ((self.a * x).dot(x) - 2.0 * self.b.dot(x) + self.c).max(0.0) / self.area
    }
}

/// Walls with the triangles around each corner.
struct Walls<'a> {
    partition: &'a mut Partition,
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    is_gone: Vec<bool>,
    /// Whether a crack ends at each corner.
    is_tip: Vec<bool>,
}

impl<'a> Walls<'a> {
    fn new(partition: &'a mut Partition) -> Self {
        // positions about a place nearby: squares of large coordinates would round
        let mut around = vec![Vec::new(); partition.places.len()];
        let mut quadrics = vec![Quadric::default(); partition.places.len()];
        let origin = partition.places.first().copied().unwrap_or_default();
        for (wall, index) in partition.walls.iter().zip(0..) {
            let [a, b, c] = wall.corners.map(|corner| partition.places[corner as usize]);
            let quadric = Quadric::of_plane(&(a - origin), &((b - a).cross(&(c - a)) * 0.5));
            for corner in wall.corners {
                around[corner as usize].push(index);
                quadrics[corner as usize] = quadrics[corner as usize].plus(&quadric);
            }
        }
        let is_gone = vec![false; partition.walls.len()];
        let mut is_tip = vec![false; partition.places.len()];
        partition.closed.iter().flat_map(|(edge, _)| edge).for_each(|&corner| is_tip[corner as usize] = true);
        Self { partition, around, quadrics, is_gone, is_tip }
    }

    /// Takes out corners whose neighbours did not change in this pass. Returns their number.
    fn pass(&mut self, tolerance: f64) -> usize {
        let mut is_fixed = vec![false; self.around.len()];
        let mut count = 0;
        for corner in 0..self.around.len() as u32 {
            if is_fixed[corner as usize] || self.is_tip[corner as usize] || !self.is_within_a_wall(corner) {
                continue;
            }
            let ring = self.neighbours(corner);
            if let Some(to) = self.target(corner, &ring, tolerance) {
                self.move_onto(corner, to);
                ring.iter().for_each(|&next| is_fixed[next as usize] = true);
                count += 1;
            }
        }
        count
    }

    /// Whether all triangles around a corner are between the same labels, none of them the outside.
    fn is_within_a_wall(&self, corner: u32) -> bool {
        let around = &self.around[corner as usize];
        let sides = |wall: u32| self.partition.walls[wall as usize].sides;
        let Some(&first) = around.first() else { return false };
        sides(first)[1] != super::OUTSIDE && around.iter().all(|&wall| sides(wall) == sides(first))
    }

    /// Corners that share a triangle with a corner, ascending.
    fn neighbours(&self, corner: u32) -> Vec<u32> {
        let walls = self.around[corner as usize].iter();
        let mut all: Vec<u32> = walls.flat_map(|&wall| self.partition.walls[wall as usize].corners).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&other| other != corner);
        all
    }

    /// Neighbour with the least distance onto which a corner may move.
    fn target(&self, corner: u32, ring: &[u32], tolerance: f64) -> Option<u32> {
        let origin = self.partition.places.first()?;
        let own = &self.quadrics[corner as usize];
        let mut targets: Vec<(f64, u32)> = ring
            .iter()
            .map(|&to| (own.mean(&(self.partition.places[to as usize] - origin)), to))
            .filter(|(distance, _)| *distance <= tolerance)
            .collect();
        targets.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        targets.into_iter().map(|(_, to)| to).find(|&to| self.may_move(corner, ring, to))
    }

    /// Whether the walls stay a surface, without folds or slivers.
    fn may_move(&self, corner: u32, ring: &[u32], to: u32) -> bool {
        let theirs: HashSet<u32> = self.neighbours(to).into_iter().collect();
        if ring.iter().filter(|next| theirs.contains(next)).count() != 2 {
            return false;
        }
        self.around[corner as usize].iter().all(|&wall| {
            let corners = self.partition.walls[wall as usize].corners;
            if corners.contains(&to) {
                return true;
            }
            let place = |corner: u32| self.partition.places[corner as usize];
            let before = corners.map(place);
            let after = corners.map(|other| place(if other == corner { to } else { other }));
            let [was, is] = [area(&before), area(&after)];
            let longest = (0..3).map(|k| (after[(k + 1) % 3] - after[k]).norm_squared()).fold(0.0, f64::max);
            is.dot(&was) > TURN * is.norm() * was.norm() && is.norm() >= SHAPE * longest
        })
    }

    fn move_onto(&mut self, corner: u32, to: u32) {
        for wall in std::mem::take(&mut self.around[corner as usize]) {
            let corners = &mut self.partition.walls[wall as usize].corners;
            if corners.contains(&to) {
                let others = *corners;
                self.is_gone[wall as usize] = true;
                others.iter().for_each(|&other| self.around[other as usize].retain(|&kept| kept != wall));
            } else {
                corners.iter_mut().filter(|other| **other == corner).for_each(|other| *other = to);
                self.around[to as usize].push(wall);
            }
        }
        self.quadrics[to as usize] = self.quadrics[to as usize].plus(&self.quadrics[corner as usize]);
    }

    /// Drops the triangles that are gone.
    fn finish(self) {
        let mut gone = self.is_gone.iter();
        self.partition.walls.retain(|_| !gone.next().expect("an entry a wall"));
    }
}

/// Area vector of a triangle, m2.
fn area([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a)) * 0.5
}
