use std::ops::AddAssign;

use rayon::prelude::*;

use crate::energy::{Potential, account, extension};
use crate::geometry::{Quat, Vec3};
use crate::model::{Pair, State, Wrench};

use super::CHUNK;
use super::projection::QuaternionGradient;

/// dV/dx in the middle of a step, with its loads.
#[derive(Debug, Default)]
pub struct Forces {
    wrenches: Vec<Wrench>,
    excess: Vec<Excess>,
    /// Energy that damping takes in the step, J: that of contacts, until [`Self::set_damping`].
    pub damping: f64,
    /// dV/dx in the middle without damping.
    undamped: Vec<Wrench>,
    /// Lengths of the quaternions in the middle, where chords between unit quaternions have theirs.
    lengths: Vec<f64>,
}

/// What a particle's bonds have more for its quaternion is shorter than one.
#[derive(Clone, Copy, Debug, Default)]
struct Excess {
    wrench: Wrench,
    radial: f64,
}

impl AddAssign for Excess {
    fn add_assign(&mut self, other: Self) {
        self.wrench += other.wrench;
        self.radial += other.radial;
    }
}

impl Forces {
    /// Sets all for a step from `state`, twice `h` long, whose middle has the places of `mid` and its quaternions'
    /// directions.
    pub fn take(&mut self, potential: &Potential, state: &State, mid: &State, h: f64) {
        let world = potential.world;
        self.wrenches.resize(mid.len(), Wrench::default());
        let sums = potential.gradient_and_damping(mid, &mut self.wrenches);
        self.damping = 2.0 * h * sums.contact_damping;
        self.set_excess(potential, state, mid);
        let wrenches = self.wrenches.par_iter_mut().zip(&self.excess).with_min_len(CHUNK);
        wrenches.for_each(|(wrench, excess)| *wrench += excess.wrench);
        for (i, load) in world.loads(state.time, state.time + 2.0 * h) {
            self.wrenches[i] += -*load;
        }
    }

    /// Takes the bonds' damping by the work of its forces in a step from one state to another by way of `mid`, `potential` being
    /// V without it. Their rate of strain squared is another: what turns looks compressed in the middle of its chord.
    pub fn set_damping(&mut self, potential: &Potential, mid: &State, held: &[bool], [before, after]: [&State; 2]) {
        let Self { wrenches, excess, undamped, .. } = self;
        undamped.resize(mid.len(), Wrench::default());
        potential.gradient(mid, undamped);
        undamped.iter_mut().zip(excess).for_each(|(wrench, excess)| *wrench += excess.wrench);
        let loads: f64 = account::by_loads(potential.world, held, before, after).iter().sum();
        let by_all = loads + account::by_gradients(before, after, |i| wrenches[i]);
        self.damping += by_all - account::by_gradients(before, after, |i| undamped[i]);
    }

    fn set_excess(&mut self, potential: &Potential, state: &State, mid: &State) {
        let world = potential.world;
        let length = |(q, mid): (&Quat, &Quat)| q.coords.dot(&mid.coords).abs();
        state.q.par_iter().zip(&mid.q).with_min_len(CHUNK).map(length).collect_into_vec(&mut self.lengths);
        self.excess.clear();
        self.excess.resize(mid.len(), Excess::default());
        let lengths = &self.lengths;
        world.bond_chunks().scatter(world.bonds(), None, &mut self.excess, |_, bond| {
            if bond.is_broken() {
                return Default::default();
            }
            let excess = extension::excess(bond, mid, bond.ends().map(|i| lengths[i]));
            let [on_i, on_j] = excess.bond.wrenches();
            let [a_i, a_j] = excess.radial;
            (0.0, Excess { wrench: on_i, radial: a_i }, Excess { wrench: on_j, radial: a_j })
        });
    }

    /// dV/dx of particle `i`, less what loads it.
    pub fn wrench(&self, i: usize) -> Wrench {
        self.wrenches[i]
    }

    /// dV/dp of particle `i`, N.
    pub fn force(&self, i: usize) -> Vec3 {
        self.wrenches[i].force
    }

    /// dV/dq of particle `i`.
    pub fn quaternion_gradient(&self, i: usize) -> QuaternionGradient {
        QuaternionGradient { torque: self.wrenches[i].torque, radial: self.excess[i].radial }
    }
}
