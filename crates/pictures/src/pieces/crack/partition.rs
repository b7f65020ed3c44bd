use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use rayon::prelude::*;

use super::Labelled;
use super::field::{FLOOR, NodeValue};
use super::hull::Hull;
use super::lattice::Lattice;

/// Label of all that is outside the hull.
pub(in crate::pieces) const OUTSIDE: u32 = u32::MAX;

/// Walls between labels. Together with the hull they close the region of each piece.
#[derive(Default)]
pub(in crate::pieces) struct Partition {
    /// Positions of the corners, m.
    pub places: Vec<Vec3>,
    /// Triangles. Those between labels of one piece are cracks that end in it.
    pub walls: Vec<Wall>,
    /// Edges of closed walls between labels of one piece, and these labels. The smaller corner and label come first.
    pub closed: Vec<([u32; 2], [u32; 2])>,
}

/// Triangle between two labels.
pub(in crate::pieces) struct Wall {
    /// Corners, counterclockwise as seen from the second side.
    pub corners: [u32; 3],
    /// Labels, the smaller first; [`OUTSIDE`] last.
    pub sides: [u32; 2],
}

/// Node number of none.
const NONE: u32 = u32::MAX;

impl Partition {
    /// Walls between the labels of the active nodes of a lattice.
    pub(super) fn new(lattice: &Lattice, nodes: &[usize], values: &[NodeValue], particles: &Labelled) -> Self {
        let mut slots = vec![NONE; lattice.len()];
        nodes.iter().zip(0..).for_each(|(&node, slot)| slots[node] = slot);
        let slot = |node: Option<usize>| node.map(|node| slots[node]).filter(|&slot| slot != NONE);
        let places: Vec<Vec3> = nodes.iter().map(|&node| lattice.place(node)).collect();
        let is_border = |&node: &usize| lattice.neighbours(node).any(|next| slot(next).is_none());
        let mut hull = Hull::new(nodes.iter().map(is_border).collect());
        let (corners, partition) = (HashMap::new(), Self::default());
        let mut builder = Builder { places: &places, values, particles, corners, partition };
        for &node in nodes {
            let (kind, cell) = lattice.coordinates(node);
            if kind == 1 {
                for tetrahedron in tetrahedra(cell, |coordinates| slot(lattice.node(coordinates))) {
                    hull.add(tetrahedron);
                    builder.divide(tetrahedron);
                }
            }
        }
        hull.faces().into_iter().for_each(|face| builder.close(face));
        builder.partition
    }

    /// Takes out the walls between labels of one piece but those that are open.
    pub(super) fn close(&mut self, pieces: &[u32], is_open: &(dyn Fn([u32; 2], &Vec3) -> bool + Sync)) {
        let is_inner = |wall: &Wall| {
            wall.sides[1] != OUTSIDE
                && wall.sides.map(|side| pieces[side as usize]).windows(2).all(|two| two[0] == two[1])
        };
        let middle = |wall: &Wall| wall.corners.iter().map(|&corner| self.places[corner as usize]).sum::<Vec3>() / 3.0;
        let is_kept: Vec<bool> =
            self.walls.par_iter().map(|wall| !is_inner(wall) || is_open(wall.sides, &middle(wall))).collect();
        let walls = std::mem::take(&mut self.walls);
        for (wall, is_kept) in walls.into_iter().zip(is_kept) {
            if is_kept {
                self.walls.push(wall);
            } else {
                self.closed.extend(edges(wall.corners).map(|[a, b]| ([a.min(b), a.max(b)], wall.sides)));
            }
        }
    }
}

/// Edges of a triangle.
pub(in crate::pieces) fn edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Tetrahedra around the edges from the centre of a cell to those of the next cells. Their volumes are positive.
fn tetrahedra(cell: [i64; 3], slot: impl Fn((usize, [i64; 3])) -> Option<u32>) -> Vec<[u32; 4]> {
    /// Corners around such an edge, counterclockwise as seen from its end.
    const AROUND: [[i64; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];
    let mut all = Vec::with_capacity(12);
    let Some(from) = slot((1, cell)) else { return all };
    for axis in 0..3 {
        let mut next = cell;
        next[axis] += 1;
        let Some(to) = slot((1, next)) else { continue };
        let around = AROUND.map(|[u, v]| {
            let mut corner = next;
            corner[(axis + 1) % 3] += u;
            corner[(axis + 2) % 3] += v;
            slot((0, corner))
        });
        for k in 0..4 {
            if let (Some(a), Some(b)) = (around[k], around[(k + 1) % 4]) {
                all.push([from, to, a, b]);
            }
        }
    }
    all
}

/// Builder of walls. A corner of them lies between up to four nodes, which name it.
struct Builder<'a> {
    places: &'a [Vec3],
    values: &'a [NodeValue],
    particles: &'a Labelled<'a>,
    corners: HashMap<[u32; 4], u32>,
    partition: Partition,
}

impl Builder<'_> {
    fn label(&self, node: u32) -> u32 {
        self.values[node as usize].label
    }

    /// Walls in a tetrahedron.
    fn divide(&mut self, nodes: [u32; 4]) {
        let labels = nodes.map(|node| self.label(node));
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let group = |label: &u32| -> Vec<u32> { nodes.iter().copied().filter(|&n| self.label(n) == *label).collect() };
        let groups: Vec<Vec<u32>> = distinct.iter().map(group).collect();
        match &groups[..] {
            [_] => {}
            [a, b] => self.two(a, b),
            [_, _, _] => self.three(&groups),
            _ => self.four(&groups, &nodes),
        }
    }

    /// One wall between two labels.
    fn two(&mut self, a: &[u32], b: &[u32]) {
        let wall: Vec<Vec<u32>> = match (a, b) {
            ([one], many) | (many, [one]) => many.iter().map(|&other| vec![*one, other]).collect(),
            _ => vec![vec![a[0], b[0]], vec![a[0], b[1]], vec![a[1], b[1]], vec![a[1], b[0]]],
        };
        self.wall(a, b, &wall);
    }

    /// Three walls that meet in a line, between labels of which one has two nodes.
    fn three(&mut self, groups: &[Vec<u32>]) {
        let double = groups.iter().position(|group| group.len() == 2).expect("three labels of four nodes");
        let (pair, b, c) = (&groups[double], &groups[(double + 1) % 3], &groups[(double + 2) % 3]);
        let ends = |k: usize| vec![pair[k], b[0], c[0]];
        for other in [b, c] {
            let wall = [vec![pair[0], other[0]], vec![pair[1], other[0]], ends(1), ends(0)];
            self.wall(pair, other, &wall);
        }
        self.wall(b, c, &[vec![b[0], c[0]], ends(0), ends(1)]);
    }

    /// Six walls that meet in a point.
    fn four(&mut self, groups: &[Vec<u32>], nodes: &[u32; 4]) {
        for i in 0..4 {
            for j in i + 1..4 {
                let (a, b) = (groups[i][0], groups[j][0]);
                let others: Vec<u32> = groups.iter().map(|group| group[0]).filter(|&n| n != a && n != b).collect();
                let side = |other: u32| vec![a, b, other];
                self.wall(&[a], &[b], &[vec![a, b], side(others[0]), nodes.to_vec(), side(others[1])]);
            }
        }
    }

    /// Triangles of a wall from nodes `a` to nodes `b`, whose corners are each between some nodes.
    fn wall(&mut self, a: &[u32], b: &[u32], wall: &[Vec<u32>]) {
        let sides = [self.label(a[0]), self.label(b[0])];
        debug_assert!(sides[0] < sides[1]);
        // the direction is that of the undisplaced wall, through the middles between the nodes
        let middle = |nodes: &[u32]| nodes.iter().map(|&n| self.places[n as usize]).sum::<Vec3>() / nodes.len() as f64;
        let middles: Vec<Vec3> = wall.iter().map(|nodes| middle(nodes)).collect();
        let area: Vec3 = middles.windows(2).map(|pair| (pair[0] - middles[0]).cross(&(pair[1] - middles[0]))).sum();
        let is_reversed = area.dot(&(middle(b) - middle(a))) < 0.0;
        let mut corners: Vec<u32> = wall.iter().map(|nodes| self.corner(nodes)).collect();
        if is_reversed {
            corners.reverse();
        }
        let place = |k: usize| self.partition.places[corners[k] as usize];
        let triangles: &[[usize; 3]] = match corners.len() {
            3 => &[[0, 1, 2]],
            // along the shorter diagonal
            _ if (place(0) - place(2)).norm_squared() <= (place(1) - place(3)).norm_squared() => {
                &[[0, 1, 2], [0, 2, 3]]
            }
            _ => &[[1, 2, 3], [1, 3, 0]],
        };
        self.partition.walls.extend(triangles.iter().map(|t| Wall { corners: t.map(|k| corners[k]), sides }));
    }

    /// Triangles of a face of the hull, divided between the labels of its nodes.
    fn close(&mut self, face: [u32; 3]) {
        let labels = face.map(|node| self.label(node));
        let push = |builder: &mut Self, corners: [&[u32]; 3], label: u32| {
            let corners = corners.map(|nodes| builder.corner(nodes));
            builder.partition.walls.push(Wall { corners, sides: [label, OUTSIDE] });
        };
        if labels[0] == labels[1] && labels[1] == labels[2] {
            push(self, [&face[..1], &face[1..2], &face[2..]], labels[0]);
            return;
        }
        let odd = (0..3).find(|k| labels[(k + 1) % 3] == labels[(k + 2) % 3]);
        let Some(odd) = odd else {
            for k in 0..3 {
                let (a, b, c) = (face[k], face[(k + 1) % 3], face[(k + 2) % 3]);
                push(self, [&[a], &[a, b], &face], labels[k]);
                push(self, [&[a], &face, &[c, a]], labels[k]);
            }
            return;
        };
        let (a, b, c) = (face[odd], face[(odd + 1) % 3], face[(odd + 2) % 3]);
        push(self, [&[a], &[a, b], &[c, a]], labels[odd]);
        push(self, [&[a, b], &[b], &[c]], labels[(odd + 1) % 3]);
        push(self, [&[a, b], &[c], &[c, a]], labels[(odd + 1) % 3]);
    }

    /// Corner between some nodes.
    fn corner(&mut self, nodes: &[u32]) -> u32 {
        let mut key = [NONE; 4];
        key[..nodes.len()].copy_from_slice(nodes);
        key.sort_unstable();
        if let Some(&corner) = self.corners.get(&key) {
            return corner;
        }
        let place = self.place(&key[..nodes.len()]);
        let corner = self.partition.places.len() as u32;
        self.partition.places.push(place);
        self.corners.insert(key, corner);
        corner
    }

    /// Position (m) of the corner between sorted nodes: a node, the crossing on an edge, or the mean of such crossings.
    fn place(&self, nodes: &[u32]) -> Vec3 {
        match *nodes {
            [a] => self.places[a as usize],
            [a, b] => self.crossing(a, b),
            [a, b, c] => (self.crossing(a, b) + self.crossing(b, c) + self.crossing(a, c)) / 3.0,
            [a, b, c, d] => {
                let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
                faces.iter().map(|face| self.place(face)).sum::<Vec3>() * 0.25
            }
            _ => unreachable!("a tetrahedron has four nodes"),
        }
    }

    /// Point on an edge where the fields of its ends' labels are equal, by linear interpolation of their logarithms; of a crumb the
    /// distances from particles, whose squares are linear.
    fn crossing(&self, a: u32, b: u32) -> Vec3 {
        /// Least distance from the ends over the edge's length, so that no triangle is a sliver.
        const OFF: f64 = 0.08;
        let labels = [a, b].map(|node| self.label(node));
        let crumbs = labels.map(|label| Some(label).filter(|label| *label >= self.particles.chips));
        let lead = |node: u32| {
            let value = &self.values[node as usize];
            if crumbs == [None, None] {
                let [own, other] = labels.map(|label| libm::log(self.share(value, label, labels) + FLOOR));
                own - other
            } else {
                let [own, other] = crumbs.map(|crumb| value.distance(crumb));
                other - own
            }
        };
        let (from, to) = (lead(a), lead(b));
        let share = from / (from - to);
        let share = if share.is_finite() { share.clamp(OFF, 1.0 - OFF) } else { 0.5 };
        self.places[a as usize] * (1.0 - share) + self.places[b as usize] * share
    }

    /// Field at a node of one of two labels: where they are of two pieces, of all labels of its piece.
    fn share(&self, value: &NodeValue, of: u32, both: [u32; 2]) -> f64 {
        let piece = |label: u32| self.particles.pieces[label as usize];
        let is_one = piece(both[0]) == piece(both[1]);
        value.share(|label| if is_one { label == of } else { piece(label) == piece(of) })
    }
}
