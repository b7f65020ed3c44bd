//! The hierarchy as a preconditioner.

use nalgebra::{Matrix3, Vector3};

use super::AmgSettings;
use super::geometry::NodeGeometry;
use super::level::Level;
use super::summary::AmgSummary;
use crate::interrupt::Interrupt;
use crate::linalg::vector::{norm, scale_into};
use crate::linalg::{BlockJacobi, Operator, Preconditioner, RowSource, Vec6};

/// A multigrid hierarchy in single precision for any solver: a preconditioner need not be exact, and half the bytes
/// take half the time.
///
/// It may outlive the matrix of its setup. [`Self::on`] smooths the finest level with the current matrix. Its diagonal
/// blocks are updated through [`Self::smoother_mut`]; prolongators and coarse levels stay those of the setup.
#[derive(Clone, Debug)]
pub struct Amg {
    pub(super) finest: Level,
    pub(super) fine_blocks: usize,
    single_r: Vec<Vec6<f32>>,
    single_z: Vec<Vec6<f32>>,
}

impl Amg {
    /// Sets up the hierarchy for a matrix, with an entry of `positions` (m), `lengths` (m) and `skip` a node. A node's
    /// unknowns are a translation and its length times a rotation vector. Nodes whose `skip` is true (held or isolated)
    /// are left to the smoother, as are nodes without couplings. A request to stop ends the setup with fewer levels.
    ///
    /// # Panics
    /// If the slices are not of one length.
    pub fn build(
        matrix: &impl RowSource,
        positions: &[Vector3<f64>],
        lengths: &[f64],
        skip: &[bool],
        settings: &AmgSettings,
        interrupt: &Interrupt,
    ) -> Self {
        let nodes = matrix.nodes();
        assert_eq!([positions.len(), lengths.len(), skip.len()], [nodes; 3], "one entry a node");
        let geometry = NodeGeometry { positions: positions.to_vec(), lengths: lengths.to_vec(), skip: skip.to_vec() };
        Self::new(Level::build(matrix, &geometry, settings.levels, settings, interrupt), matrix.blocks())
    }

    pub(super) fn new(finest: Level, fine_blocks: usize) -> Self {
        Self { finest, fine_blocks, single_r: Vec::new(), single_z: Vec::new() }
    }

    /// The finest level's smoother, for an update after the matrix changed.
    pub fn smoother_mut(&mut self) -> &mut BlockJacobi<f32> {
        &mut self.finest.smoother
    }

    /// Rotates the hierarchy with its bodies: `rotations` of each node since the setup, or none at all. A rotation acts
    /// alike on both halves of a node's unknowns. So only the transfer between the finest level and the next changes;
    /// the coarse systems stay.
    pub fn turn(&mut self, rotations: impl IntoIterator<Item = Matrix3<f32>>) {
        let turned = &mut self.finest.turned;
        turned.clear();
        turned.extend(rotations);
        assert!(turned.is_empty() || turned.len() == self.finest.smoother.nodes(), "one rotation a node, or none");
    }

    /// This hierarchy as a preconditioner of `matrix`: that of its setup, or one near it.
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
