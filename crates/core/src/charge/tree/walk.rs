use std::ops::Range;

use super::derivatives::translate;
use super::local::{evaluate, shifted, unfolded};
use super::multipoles::Multipoles;
use super::octree::Octree;
use super::order::Order;
use crate::charge::exact::{self, BLOCK, Sum, Targets};
use crate::geometry::Vec3;
use crate::parallel;
use crate::simd::InstructionSet;

/// One walk down a tree of targets, beside a tree of sources.
pub(super) struct Walk<'a> {
    pub(super) instructions: InstructionSet,
    pub(super) order: &'a Order,
    pub(super) sources: &'a Octree,
    pub(super) multipoles: &'a Multipoles,
    /// Charges (x, y, z, q) in the order of the sources.
    pub(super) charges: &'a [[f64; 4]],
    pub(super) targets: &'a Octree,
    /// Whether the targets are the sources.
    pub(super) own: bool,
    /// Greatest error of a translation, in units of k_c.
    pub(super) error: f64,
    /// Softening length squared, m2.
    pub(super) softening: f64,
}

/// Source cells of a target cell.
#[derive(Default)]
struct Lists {
    /// Cells whose multipoles are translated.
    far: Vec<u32>,
    /// Leaves whose charges are summed one by one, as ranges of charges.
    near: Vec<Range<usize>>,
    /// Cells passed on to the children of the target cell.
    later: Vec<u32>,
}

impl Walk<'_> {
    /// Sets `out` to the sums at all targets, in their tree's order.
    pub(super) fn run(&self, out: &mut Vec<Sum>) {
        out.clear();
        out.resize(self.targets.x.len(), Sum::default());
        let none = vec![0.0; self.order.all.len()];
        self.cell(0, &[0], (&none, self.targets.cells[0].centre), out);
    }

    /// Adds to `out` the sums of the cells `candidates` and of the local expansion of the parent, with its centre.
    fn cell(&self, target: usize, candidates: &[u32], parent: (&[f64], Vec3), out: &mut [Sum]) {
        let cell = &self.targets.cells[target];
        let mut lists = self.sort(target, candidates);
        lists.far.resize(lists.far.len().next_multiple_of(8), self.sources.cells.len() as u32);
        let mut harmonic = shifted(parent.0, cell.centre - parent.1, self.order);
        let Multipoles { centres, rows, .. } = self.multipoles;
        translate(
            self.instructions,
            &self.order.derivatives,
            cell.centre.into(),
            centres,
            rows,
            &lists.far,
            &mut harmonic,
        );
        let local = unfolded(&harmonic, self.order);
        if cell.is_leaf() {
            let points = &self.targets.x[cell.points.clone()];
            evaluate(self.instructions, self.order, &local, cell.centre, points, out);
            self.add_near(cell.points.start, points, &lists.near, out);
            return;
        }
        let mut rest = out;
        let mut parts = Vec::new();
        for child in cell.children.clone() {
            let (part, others) = rest.split_at_mut(self.targets.cells[child].points.len());
            parts.push((child, part));
            rest = others;
        }
        let work = |(child, part): &mut (usize, &mut [Sum])| {
            self.cell(*child, &lists.later, (&local, cell.centre), part);
        };
        if cell.points.len() < parallel::SERIAL_ROWS {
            parts.iter_mut().for_each(work);
        } else {
            parallel::for_each(parallel::each_mut(&mut parts), |_, part| work(part));
        }
    }

    fn sort(&self, target: usize, candidates: &[u32]) -> Lists {
        let cell = &self.targets.cells[target];
        let mut lists = Lists::default();
        let mut stack: Vec<u32> = candidates.iter().rev().copied().collect();
        while let Some(source) = stack.pop() {
            let from = &self.sources.cells[source as usize];
            if self.multipoles.error(source as usize, (from, cell), self.order) <= self.error {
                lists.far.push(source);
            } else if from.is_leaf() && cell.is_leaf() {
                lists.near.push(from.points.clone());
            } else if !from.is_leaf() && (cell.is_leaf() || from.radius >= cell.radius) {
                stack.extend(from.children.clone().rev().map(|child| child as u32));
            } else {
                lists.later.push(source);
            }
        }
        lists
    }

    fn add_near(&self, first: usize, points: &[Vec3], near: &[Range<usize>], out: &mut [Sum]) {
        for (k, (points, out)) in points.chunks(BLOCK).zip(out.chunks_mut(BLOCK)).enumerate() {
            let own = self.own.then_some(first + k * BLOCK);
            exact::add(self.instructions, &Targets::new(points), self.charges, near, own, self.softening, out);
        }
    }
}
