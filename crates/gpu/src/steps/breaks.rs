//! Bonds that broke on a card: `Break` of the shader.

use bdem_core::fracture::OverloadedBond;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::BreakInStep;
use bdem_core::model::{Softened, Softening, State, World};
use bytemuck::{Pod, Zeroable};

use super::layout::{Format, Motion, Pose};

/// Bond at its break.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct Break {
    step: u32,
    ends: [u32; 2],
    reached: f32,
    poses: [Pose; 2],
    motions: [Motion; 2],
}

/// Bond that broke, and the positions of its ends (m) then.
#[derive(Clone, Debug)]
pub struct BrokenBond {
    /// The bond and its load.
    pub at: BreakInStep,
    /// m.
    pub ends: [Vec3; 2],
}

/// Index of the whole bond between two particles.
fn index_of(world: &World, ends: [u32; 2]) -> usize {
    let found = world.bonds().binary_search_by_key(&ends, |bond| [bond.i, bond.j]);
    found.expect("a bond of the world")
}

impl Break {
    /// The bond in `world`. `times` are those of the positions in the block, s. `scratch` is a state of the world to write to.
    pub(super) fn decode(&self, world: &World, format: &Format, times: &[f64], scratch: &mut State) -> BrokenBond {
        let index = index_of(world, self.ends);
        let ends = self.ends.map(|i| i as usize);
        for (k, &i) in ends.iter().enumerate() {
            format.decode(&self.poses[k], &self.motions[k], i, scratch);
        }
        let mut bond = world.bonds()[index].clone();
        // one that does not soften has none
        let _ = bond.soften_to(f64::from(self.reached));
        // the card has decided, which may differ by rounding
        let broken = OverloadedBond { softened: None, ..OverloadedBond::new(&bond, scratch, world.axial) };
        let at = BreakInStep { index, time: times[self.step as usize], broken };
        BrokenBond { at, ends: ends.map(|i| scratch.p[i]) }
    }
}

/// Bond between `ends` whose greatest strain is `reached` at the `end` of a block; none if it was before, or the bond broke.
pub(super) fn softened(world: &World, ends: [u32; 2], reached: f64, end: &State) -> Option<BreakInStep> {
    let index = world.bonds().binary_search_by_key(&ends, |bond| [bond.i, bond.j]).ok()?;
    let bond = &world.bonds()[index];
    let softening = bond.softening.as_ref().filter(|softening| softening.reached < reached && !bond.is_broken())?;
    let share = |reached: f64| Softening::shares(reached, softening.limit)[0];
    let softened = Some(Softened { reached, kept: share(reached) / share(softening.reached) });
    let broken = OverloadedBond { softened, ..OverloadedBond::new(bond, end, world.axial) };
    (reached < softening.limit).then_some(BreakInStep { index, time: end.time, broken })
}
