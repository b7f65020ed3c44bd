//! The hierarchy as a preconditioner.

use nalgebra::{Matrix3, Vector3};

use super::AmgSettings;
use super::frame::Frame;
use super::level::Level;
use super::summary::AmgSummary;
use crate::linalg::vector::{norm, scale_into};
use crate::linalg::{BlockJacobi, Operator, Preconditioner, RowSource, Vec6};

/// A multigrid hierarchy, in single precision whatever the solver's: a preconditioner need not be exact, and half the bytes are
/// twice the speed.
///
/// It may outlive the matrix it was built for. [`Self::on`] smooths the finest level with the matrix as it is by then, whose
/// diagonal blocks [`Self::smoother_mut`] gives out to be brought up to date; prolongators and coarse levels stay those of the build.
#[derive(Clone, Debug)]
pub struct Amg {
    pub(super) finest: Level,
    pub(super) fine_blocks: usize,
    single_r: Vec<Vec6<f32>>,
    single_z: Vec<Vec6<f32>>,
}

impl Amg {
    /// Builds the hierarchy for a matrix, one entry of `positions` (m), `lengths` (m) and `skip` a node. A node's unknowns are a
    /// translation and its length times a rotation vector. Nodes for which `skip` is true (held, or on their own) are left to the
    /// smoother, as are those that nothing is coupled to.
    ///
    /// # Panics
    /// If the slices are not of one length.
    pub fn build(
        matrix: &impl RowSource,
        positions: &[Vector3<f64>],
        lengths: &[f64],
        skip: &[bool],
        settings: &AmgSettings,
    ) -> Self {
        let nodes = matrix.nodes();
        assert_eq!([positions.len(), lengths.len(), skip.len()], [nodes; 3], "one entry a node");
        let frame = Frame { positions: positions.to_vec(), lengths: lengths.to_vec() };
        Self::new(Level::build(matrix, &frame, skip, settings.levels, settings), matrix.blocks())
    }

    pub(super) fn new(finest: Level, fine_blocks: usize) -> Self {
        Self { finest, fine_blocks, single_r: Vec::new(), single_z: Vec::new() }
    }

    /// The diagonal blocks that the finest level is smoothed with, to be updated when the matrix changed.
    pub fn smoother_mut(&mut self) -> &mut BlockJacobi<f32> {
        &mut self.finest.smoother
    }

    /// Turns the hierarchy along with bodies that have turned: `rotations` are those of each node since the build (none at all:
    /// as built). A rotation is the same on both halves of a node's unknowns, so only the way down from the finest level and back
    /// up changes; the coarse systems are those of bodies that have not turned.
    pub fn turn(&mut self, rotations: impl IntoIterator<Item = Matrix3<f32>>) {
        let turned = &mut self.finest.turned;
        turned.clear();
        turned.extend(rotations);
        assert!(turned.is_empty() || turned.len() == self.finest.smoother.nodes(), "one rotation a node, or none");
    }

    /// This hierarchy as a preconditioner of `matrix`: the one it was built for, or one not far from it.
    pub fn on<'a, A: Operator<f32>>(&'a mut self, matrix: &'a A) -> AmgCycle<'a, A> {
        AmgCycle { amg: self, matrix }
    }

    /// Levels, sizes and memory.
    pub fn summary(&self) -> AmgSummary {
        AmgSummary::new(self)
    }
}

/// One V-cycle of an [`Amg`] on a matrix.
#[derive(Debug)]
pub struct AmgCycle<'a, A> {
    amg: &'a mut Amg,
    matrix: &'a A,
}

impl<A: Operator<f32>> Preconditioner<f32> for AmgCycle<'_, A> {
    fn apply(&mut self, r: &[Vec6<f32>], z: &mut [Vec6<f32>]) {
        self.amg.finest.cycle(self.matrix, r, z);
    }
}

impl<A: Operator<f32>> Preconditioner<f64> for AmgCycle<'_, A> {
    /// The residual goes through single precision at unit length, so that it neither overflows nor vanishes.
    fn apply(&mut self, r: &[Vec6<f64>], z: &mut [Vec6<f64>]) {
        let size = norm(r);
        if size == 0.0 {
            z.fill(Vec6::ZERO);
            return;
        }
        let Amg { finest, single_r, single_z, .. } = &mut *self.amg;
        single_r.resize(r.len(), Vec6::ZERO);
        single_z.resize(r.len(), Vec6::ZERO);
        scale_into(1.0 / size, r, single_r);
        finest.cycle(self.matrix, single_r, single_z);
        scale_into(size, single_z, z);
    }
}
