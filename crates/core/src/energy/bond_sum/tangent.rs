use crate::energy::Damping;
use crate::energy::law::{BondLaw, law_of};
use crate::energy::workspace::{ChunkSums, Workspace};
use crate::geometry::Quat;
use crate::model::{Displacement, Gradient, State, World};
use crate::parallel::{self, CHUNK};
use crate::simd::{Kernel, Lanes, Row8, Tangent};

use super::{BondSum, ChunkKernel, chunk_kernel, gradient_of, pack_pose};

impl BondSum<'_> {
    /// Sets `out` to the change of the bonds' elastic gradient at `state` over small `displacements`, N and N m: the product of
    /// its derivatives and the displacements.
    ///
    /// # Panics
    /// When a bond's law has no energy.
    pub fn gradient_along(
        world: &World,
        state: &State,
        displacements: &[Displacement],
        work: &mut Workspace,
        out: &mut [Gradient],
    ) {
        let bonds = BondSum { world, damping: Damping::None, check_breakage: false };
        let (packs, particles) = (world.packs(), state.len());
        work.poses.resize(2 * particles, Row8::ZERO);
        let (values, tangents) = work.poses.split_at_mut(particles);
        let rows = (parallel::each_mut(values), parallel::each_mut(tangents), parallel::each(displacements));
        parallel::for_each_item(rows, CHUNK, |i, (value, tangent, displacement)| {
            let q = &state.q[i];
            *value = pack_pose(&state.p[i], q);
            *tangent = pack_pose(&displacement.translation, &(Quat::from_parts(0.0, displacement.rotation * 0.5) * q));
        });
        work.chunks.resize_with(packs.chunks.len(), ChunkSums::default);
        let Workspace { poses, velocities, chunks, .. } = work;
        parallel::for_each((parallel::each_mut(chunks), parallel::each(&packs.chunks)), |_, (sums, chunk)| {
            sums.rows.clear();
            sums.rows.resize(chunk.halo.rows(), Row8::ZERO);
            for (model, stiffness) in &chunk.laws {
                let task = bonds.task(packs, chunk, stiffness, [poses, velocities]);
                law_of(model).add_tangents(world.instructions, &task, sums);
            }
        });
        let chunks = &chunks[..];
        let parts = (parallel::chunks_mut(out, packs.chunk_len), parallel::each(&packs.chunks), parallel::each(chunks));
        parallel::for_each(parts, |_, (out, chunk, sums)| {
            sums.rows.iter().zip(&mut *out).for_each(|(row, out)| *out = gradient_of(row));
            let halo = |from: usize| &packs.chunks[from].halo;
            chunk.halo.gather(halo, |k, from, row| out[k] += gradient_of(&chunks[from].rows[row]));
        });
    }
}

/// Kernel of the derivatives of a law.
pub(in crate::energy) struct TangentKernel<'a, B>(ChunkKernel<'a, B, false, false>);

impl<'a, B: BondLaw> ChunkKernel<'a, B, false, false> {
    /// The same for the derivatives along a displacement.
    pub(in crate::energy) fn tangent(self) -> TangentKernel<'a, B> {
        TangentKernel(self)
    }
}

impl<B: BondLaw> Kernel for TangentKernel<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        chunk_kernel::<Tangent<L>, B, false, false>(self.0.task, self.0.sums);
    }
}
