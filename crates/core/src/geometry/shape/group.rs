//! Unions of many shapes, with a tree of their bounding boxes.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Shape;
use super::surface::{Found, Window};
use crate::geometry::Vec3;
use crate::geometry::bounds::Bounds;

/// Union of many shapes.
///
/// The boxes are a complete binary tree: the children of node `i` are `2i + 1` and `2i + 2`. The leaves hold the members
/// in the order of `order`, in equal numbers up to rounding.
#[derive(Clone, Debug)]
pub struct Group {
    members: Vec<Shape>,
    /// Indices of the members, leaf by leaf.
    order: Vec<u32>,
    boxes: Vec<Bounds>,
    /// Number of nodes above the leaves.
    inner: usize,
}

impl Group {
    /// Union of `members`, one at least.
    pub fn new(members: Vec<Shape>) -> Self {
        /// Maximum number of members of a leaf.
        const LEAF: usize = 2;
        let leaves = members.len().div_ceil(LEAF).next_power_of_two();
        let bounds = members.iter().map(Shape::bounds).map(|(low, high)| Bounds { low, high });
        let bounds: Vec<_> = bounds.collect();
        let nothing = Bounds { low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) };
        let order = (0..members.len() as u32).collect();
        let mut group = Self { members, order, boxes: vec![nothing; 2 * leaves - 1], inner: leaves - 1 };
        group.build(0, 0..leaves, &bounds);
        group
    }

    /// Builds the tree below a node that has these leaves, and sorts its members into them.
    fn build(&mut self, node: usize, leaves: Range<usize>, bounds: &[Bounds]) {
        let places = self.place(leaves.start)..self.place(leaves.end);
        let of = |member: &u32| &bounds[*member as usize];
        let whole = self.order[places.clone()].iter().map(of).fold(self.boxes[node], |all, own| all.join(own));
        self.boxes[node] = whole;
        if node >= self.inner {
            return;
        }
        let axis = (whole.high - whole.low).imax();
        let middle = |member: &u32| of(member).low[axis] + of(member).high[axis];
        self.order[places].sort_by(|a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        let half = leaves.start.midpoint(leaves.end);
        self.build(2 * node + 1, leaves.start..half, bounds);
        self.build(2 * node + 2, half..leaves.end, bounds);
    }

    /// First place in `order` of a leaf's members.
    fn place(&self, leaf: usize) -> usize {
        leaf * self.order.len() / (self.inner + 1)
    }

    /// Members in the order in which they were given.
    pub fn members(&self) -> &[Shape] {
        &self.members
    }

    /// Whether any member is `good`, of those whose distance (m) from `p` may be `reach` or less.
    pub(super) fn any(&self, p: &Vec3, reach: f64, good: impl Fn(&Shape) -> bool) -> bool {
        let mut found = false;
        self.visit(p, reach, |member, reach| {
            found = found || good(&self.members[member]);
            if found { f64::NEG_INFINITY } else { reach }
        });
        found
    }

    /// Lowest distance of the members, searched in the window that is left.
    pub(super) fn search(&self, p: &Vec3, mut window: Window) -> Found {
        let mut best = (f64::INFINITY, None);
        self.visit(p, f64::INFINITY, |member, _| {
            let found = self.members[member].search(p, window);
            if found.0 < best.0 {
                best = found;
                window.high = window.high.min(found.0);
            }
            // below the window any bound will do
            if best.0 <= window.low { f64::NEG_INFINITY } else { best.0 }
        });
        best
    }

    /// Member with the lowest distance from `p`.
    pub(super) fn nearest(&self, p: &Vec3) -> &Shape {
        let mut best = (f64::INFINITY, 0);
        self.visit(p, f64::INFINITY, |member, _| {
            let distance = self.members[member].distance(p);
            if distance < best.0 {
                best = (distance, member);
            }
            best.0
        });
        &self.members[best.1]
    }

    /// Calls `look` with the members whose distance from `p` may be `reach` (m) or less, the nearest boxes first. It
    /// returns the reach from then on.
    pub(super) fn visit(&self, p: &Vec3, mut reach: f64, mut look: impl FnMut(usize, f64) -> f64) {
        let mut left: SmallVec<[(f64, usize); 32]> = smallvec![(self.boxes[0].distance(p), 0)];
        while let Some((bound, node)) = left.pop() {
            if bound > reach {
                continue;
            }
            if node >= self.inner {
                let leaf = node - self.inner;
                for &member in &self.order[self.place(leaf)..self.place(leaf + 1)] {
                    reach = look(member as usize, reach);
                }
                continue;
            }
            let mut children = [1, 2].map(|side| (self.boxes[2 * node + side].distance(p), 2 * node + side));
            if children[0].0 < children[1].0 {
                children.swap(0, 1);
            }
            left.extend(children);
        }
    }
}
