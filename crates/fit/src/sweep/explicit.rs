//! Adjoint of a Verlet step:
//!
//! ```text
//! v_m = v + h/2 (F - G)/m,   p' = p + h v_m,   q' = exp(h w_m/2) q,   G' = dV/dx(p', q', v_m) - f_e,   v' = v_m + h/2 (F - G')/m
//! ```
//!
//! G is carried from step to step: the dashpots in it have the velocities of the last drift.

use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::StepLaw;
use bdem_core::model::{Displacement, Gradient as Forces, Wrench};

use crate::error::FitError;
use crate::run::Record;

use super::contacts::{ByStretch, Ends};
use super::rotation::{left_jacobian, turned_back};
use super::{By, StateGradient, Sweep};

/// Derivative of the loss by the carried dV/dx of each particle.
pub(super) type Carried = Vec<Displacement>;

impl Sweep<'_> {
    /// Derivatives at the start of a Verlet step from those at its end.
    pub(super) fn explicit_step(&mut self, [before, after]: [&Record; 2], by: By) -> Result<By, FitError> {
        let By { state: by_end, older, carried, stretch: by_end_stretch } = by;
        let h = self.run.dt;
        self.hold(before.state.time);
        let loads = self.loads(before.state.time);
        let load = |i: usize| loads.get(i).copied().unwrap_or_default();
        let mut y: Carried = by_end
            .v
            .iter()
            .zip(&by_end.w)
            .enumerate()
            .map(|(i, (v, w))| self.kick(&after.gradient, i, [v, w], &load(i)))
            .collect();
        for ((y, carried), _) in y.iter_mut().zip(&carried).zip(self.holding.held()).filter(|(_, held)| !**held) {
            y.translation += carried.translation;
            y.rotation += carried.rotation;
        }
        let middle = self.middle(before, after, load);
        let mut by = by_end;
        self.pull_forces(after, &middle, &y, &mut by)?;
        let (mut by_before, mut stretch) = (StateGradient::zeros(y.len()), ByStretch::zeros(&before.contacts));
        let touches = self.touches(StepLaw::Explicit, [before, after])?;
        let ends = &mut Ends { before: &mut by_before, after: &mut by, stretch: &mut stretch };
        self.pull_contacts(&touches, &y, &by_end_stretch, ends);
        let mut next = vec![Displacement::default(); y.len()];
        for i in 0..y.len() {
            if let Some(transfer) = self.holding.transfer(i) {
                super::implicit::carry_held(transfer, &after.state.p[i], &mut by, i);
                continue;
            }
            let phi = middle[i].rotation * h;
            by.w[i] += left_jacobian(&phi).tr_mul(&by.theta[i]) * h;
            by.theta[i] = turned_back(&phi, &by.theta[i]);
            by.v[i] += by.p[i] * h;
            next[i] = self.kick(&before.gradient, i, [&by.v[i], &by.w[i]], &load(i));
        }
        by += &by_before;
        Ok(By { state: by, older, carried: next, stretch })
    }

    /// Derivatives by the start, from the carried forces that are computed there.
    pub(super) fn explicit_start(
        &mut self,
        first: &Record,
        carried: &Carried,
        by: &mut StateGradient,
    ) -> Result<(), FitError> {
        let state = &first.state;
        let velocities: Vec<Displacement> =
            state.v.iter().zip(&state.w).map(|(v, w)| Displacement { translation: *v, rotation: *w }).collect();
        self.pull_forces(first, &velocities, carried, by)?;
        let touches = self.touches(StepLaw::Rest, [first, first])?;
        let (mut by_before, mut stretch) = (StateGradient::zeros(state.len()), ByStretch::zeros(&first.contacts));
        let by_end = stretch.clone();
        let ends = &mut Ends { before: &mut by_before, after: by, stretch: &mut stretch };
        self.pull_contacts(&touches, carried, &by_end, ends);
        *by += &by_before;
        Ok(())
    }

    /// Velocities of the drift.
    fn middle(&self, before: &Record, after: &Record, load: impl Fn(usize) -> Wrench) -> Vec<Displacement> {
        let (particles, half) = (&self.run.world.particles, 0.5 * self.run.dt);
        let of = |i: usize| {
            if self.holding.held()[i] {
                return Displacement { translation: after.state.v[i], rotation: after.state.w[i] };
            }
            let (load, g) = (load(i), &before.gradient[i]);
            Displacement {
                translation: before.state.v[i] + (load.force - g.p) * (half / particles.mass[i]),
                rotation: before.state.w[i] + (load.torque - g.theta) * (half / particles.inertia[i]),
            }
        };
        (0..before.state.len()).map(of).collect()
    }

    /// Derivatives by the forces of a kick of particle `i` over half a step, where dV/dx is `gradient`. `[v, w]` are those by the
    /// velocities after it.
    fn kick(&mut self, gradient: &[Forces], i: usize, [v, w]: [&Vec3; 2], load: &Wrench) -> Displacement {
        if self.holding.held()[i] {
            return Displacement::default();
        }
        let (particles, time) = (&self.run.world.particles, 0.5 * self.run.dt);
        let (m, j, g) = (particles.mass[i], particles.inertia[i], &gradient[i]);
        self.gradient.mass[i] += time / (m * m) * v.dot(&(g.p - load.force));
        self.gradient.inertia[i] += time / (j * j) * w.dot(&(g.theta - load.torque));
        let y = Displacement { translation: v * (-time / m), rotation: w * (-time / j) };
        self.add_load(i, &y, -1.0);
        y
    }
}
