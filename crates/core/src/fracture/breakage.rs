use crate::energy::{self, BondSum, Workspace};
use crate::geometry::Vec3;
use crate::model::{AxialStress, Bond, Softened, State, World};
use crate::parallel;

use super::BondLoad;

/// A bond whose load exceeds its strength, as it breaks or softens.
#[derive(Clone, Debug)]
pub struct OverloadedBond {
    /// The bond as it was before.
    pub bond: Bond,
    /// State after it softened. None if it breaks.
    pub softened: Option<Softened>,
    /// Midpoint, m.
    pub place: Vec3,
    /// Unit direction from i to j: the normal of the crack.
    pub normal: Vec3,
    /// Mean velocity of both particles, m/s.
    pub velocity: Vec3,
    /// Elastic energy before, J.
    pub energy: f64,
    /// Normal stress at breakage, Pa.
    pub sigma: f64,
    /// Shear stress at breakage, Pa.
    pub tau: f64,
}

impl OverloadedBond {
    /// The record of a `bond` beyond its strength in `state`.
    pub fn new(bond: &Bond, state: &State, axial: AxialStress) -> Self {
        let load = BondLoad::of(bond, state);
        let [i, j] = [bond.i as usize, bond.j as usize];
        Self {
            bond: bond.clone(),
            softened: bond.softened(load.utilisation(bond, axial)),
            place: (state.p[i] + state.p[j]) * 0.5,
            normal: (state.p[j] - state.p[i]).try_normalize(0.0).unwrap_or_default(),
            velocity: (state.v[i] + state.v[j]) * 0.5,
            energy: energy::bond::value(bond, &energy::bond::pose(bond, state)),
            sigma: load.sigma(bond, axial),
            tau: load.tau(bond),
        }
    }

    /// Whether it breaks.
    pub fn breaks(&self) -> bool {
        self.softened.is_none()
    }

    /// The particles of the bond.
    pub(crate) fn ends(&self) -> [u32; 2] {
        [self.bond.i, self.bond.j]
    }
}

/// Indices of bonds beyond their strength, ascending.
pub fn overloaded(world: &World, state: &State) -> Vec<usize> {
    let mut candidates = Vec::new();
    BondSum::find_overloaded(world, state, &mut Workspace::default(), &mut candidates);
    overloads(world, state, &candidates).0
}

/// Those of the bonds at these indices (ascending) that are beyond their strength, and the excess of each one's load as a
/// share of its strength.
pub(crate) fn overloads(world: &World, state: &State, indices: &[usize]) -> (Vec<usize>, Vec<f64>) {
    /// Bonds per task.
    const CHUNK: usize = 256;
    let excess = |k: usize| {
        let bond = &world.bonds()[indices[k]];
        BondLoad::of(bond, state).utilisation(bond, world.axial) - 1.0
    };
    let all = indices.iter().copied().zip(parallel::map(indices.len(), CHUNK, excess));
    all.filter(|(_, excess)| *excess > 0.0).unzip()
}

/// Largest sigma over each particle's bonds, Pa; zero without bonds.
pub fn max_stress(world: &World, state: &State) -> Vec<f32> {
    let mut stress = vec![0f32; state.len()];
    for bond in world.whole_bonds() {
        let sigma = BondLoad::of(bond, state).sigma(bond, world.axial) as f32;
        for i in [bond.i as usize, bond.j as usize] {
            stress[i] = stress[i].max(sigma);
        }
    }
    stress
}

/// Lost stiffness of each particle's bonds that have not broken, as a mean share.
pub fn softening(world: &World) -> Vec<f32> {
    let mut sums = vec![(0f32, 0u32); world.particles.len()];
    for bond in world.whole_bonds() {
        let lost = bond.softening.as_ref().map_or(0.0, |softening| softening.damage()) as f32;
        for i in [bond.i as usize, bond.j as usize] {
            sums[i] = (sums[i].0 + lost, sums[i].1 + 1);
        }
    }
    sums.into_iter().map(|(sum, count)| if count == 0 { 0.0 } else { sum / count as f32 }).collect()
}

/// Broken share of each particle's initial bonds.
pub fn damage(world: &World) -> Vec<f32> {
    let mut left = vec![0u32; world.particles.len()];
    for bond in world.whole_bonds() {
        left[bond.i as usize] += 1;
        left[bond.j as usize] += 1;
    }
    let share = |(&left, &first): (&u32, &u32)| if first == 0 { 0.0 } else { 1.0 - left as f32 / first as f32 };
    left.iter().zip(&world.first_bonds).map(share).collect()
}
