use crate::energy::{Potential, Workspace, account, extension};
use crate::geometry::Vec3;
use crate::model::{Gradient, Pair, State};
use crate::parallel;

use super::super::electric::{LaggedForces, loads};
use super::CHUNK;
use super::projection::QuaternionGradient;

/// dV/dx at the midpoint of a step, less external loads and electric forces.
#[derive(Debug, Default)]
pub(super) struct Forces {
    gradient: Vec<Gradient>,
    /// Correction of each particle's bond forces for the length of its midpoint quaternion, which is less than one.
    excess: Vec<QuaternionGradient>,
    /// Energy dissipated by damping in the step, J: by contacts only until [`Self::set_damping`].
    pub damping: f64,
    /// dV/dx at the midpoint without damping.
    undamped: Vec<Gradient>,
    /// Lengths of the quaternions at the midpoint, where chords between unit quaternions have theirs.
    lengths: Vec<f64>,
}

impl Forces {
    /// Computes the forces of a step from `state` of length 2 `h`. `mid` has the midpoint's positions and the directions of its
    /// quaternions.
    pub(super) fn set(
        &mut self,
        potential: &Potential,
        electric: &LaggedForces,
        state: &State,
        mid: &State,
        h: f64,
        work: &mut Workspace,
    ) {
        let world = potential.world;
        self.gradient.resize(mid.len(), Gradient::default());
        let sums = potential.gradient_with(mid, work, &mut self.gradient);
        self.damping = 2.0 * h * sums.contact_damping;
        self.set_excess(potential, state, mid);
        let gradient = (parallel::each_mut(&mut self.gradient), parallel::each(&self.excess));
        parallel::for_each_item(gradient, CHUNK, |_, (gradient, excess)| *gradient += excess.by);
        for (i, load) in loads((world, state, 0.5), electric, [state.time, state.time + 2.0 * h]) {
            self.gradient[i] += load.gradient();
        }
    }

    /// Sets the bonds' dissipation to the work of their damping forces in a step between two states via `mid`. `potential` is V
    /// without damping. The square of the strain rate differs from it: a rotating bond looks compressed at the middle of its
    /// chord.
    pub(super) fn set_damping(
        &mut self,
        potential: &Potential,
        electric: &LaggedForces,
        mid: &State,
        held: &[bool],
        [before, after]: [&State; 2],
        work: &mut Workspace,
    ) {
        let Self { gradient, excess, undamped, .. } = self;
        undamped.resize(mid.len(), Gradient::default());
        potential.gradient_with(mid, work, undamped);
        undamped.iter_mut().zip(excess).for_each(|(gradient, excess)| *gradient += excess.by);
        let loads = loads((potential.world, before, 0.5), electric, [before.time, after.time]);
        let loads: f64 = account::by_loads(loads, held, before, after).iter().sum();
        let by_all = loads + account::by_gradients(before, after, |i| gradient[i]);
        self.damping += by_all - account::by_gradients(before, after, |i| undamped[i]);
    }

    fn set_excess(&mut self, potential: &Potential, state: &State, mid: &State) {
        let world = potential.world;
        self.lengths.resize(mid.len(), 0.0);
        let length = |i: usize, length: &mut f64| *length = state.q[i].coords.dot(&mid.q[i].coords).abs();
        parallel::for_each_item(parallel::each_mut(&mut self.lengths), CHUNK, length);
        self.excess.clear();
        self.excess.resize(mid.len(), QuaternionGradient::default());
        let lengths = &self.lengths;
        world.bond_chunks().scatter(world.bonds(), &mut self.excess, |_, bond| {
            if bond.is_broken() {
                return Default::default();
            }
            let (excess, [a_i, a_j]) = extension::excess(bond, mid, bond.ends().map(|i| lengths[i]));
            let [on_i, on_j] = excess.by_particle();
            (0.0, QuaternionGradient { by: on_i, radial: a_i }, QuaternionGradient { by: on_j, radial: a_j })
        });
    }

    /// dV/dx of all particles, less their external loads.
    pub(super) fn gradients(&self) -> &[Gradient] {
        &self.gradient
    }

    /// dV/dx of particle `i`, less its external load.
    pub(super) fn gradient(&self, i: usize) -> Gradient {
        self.gradient[i]
    }

    /// dV/dp of particle `i`, N.
    pub(super) fn force(&self, i: usize) -> Vec3 {
        self.gradient[i].p
    }

    /// dV/dq of particle `i`.
    pub(super) fn quaternion_gradient(&self, i: usize) -> QuaternionGradient {
        QuaternionGradient { by: self.gradient[i], radial: self.excess[i].radial }
    }
}
