use std::time::Instant;

use rayon::prelude::*;

use crate::contact::Neighbours;
use crate::energy::{Damping, Potential, bond, contact, gap_between};
use crate::fracture::BrokenBond;
use crate::geometry::rotation;
use crate::model::{Motion, State, World, Wrench};

use super::{Integrator, StepError, StepReport};

/// Explicit velocity Verlet (\[BDEM21\] Algorithm 1), orientations along the geodesic, `q <- exp(dt w/2) q`.
///
/// Damping forces take the velocities of half a step ago.
#[derive(Debug)]
pub struct Verlet {
    prescribed: Vec<Option<Motion>>,
    /// dV/dx at the current state; empty until the first step.
    gradient: Vec<Wrench>,
}

/// Particles a task.
const CHUNK: usize = 1024;

impl Verlet {
    pub fn new(world: &World) -> Self {
        Self { prescribed: world.prescribed(), gradient: Vec::new() }
    }

    /// Forces at the state that a run starts from.
    fn start(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.gradient.resize(state.len(), Wrench::default());
        Potential { world, contacts, damping: damping_of(world) }.gradient(state, &mut self.gradient);
    }

    /// Half a step of the velocities: v -= dt/2 dV/dp/m, w -= dt/2 dV/dtheta/J.
    fn kick(&self, world: &World, state: &mut State, half: f64) {
        let (mass, inertia) = (&world.particles.mass, &world.particles.inertia);
        let (gradient, prescribed) = (&self.gradient, &self.prescribed);
        let velocities = state.v.par_chunks_mut(CHUNK).zip(state.w.par_chunks_mut(CHUNK));
        velocities.enumerate().for_each(|(chunk, (v, w))| {
            for k in 0..v.len() {
                let i = chunk * CHUNK + k;
                if prescribed[i].is_none() {
                    v[k] -= gradient[i].force * (half / mass[i]);
                    w[k] -= gradient[i].torque * (half / inertia[i]);
                }
            }
        });
    }

    /// Moves and turns all particles over `dt`.
    fn drift(&self, state: &mut State, dt: f64) {
        let prescribed = &self.prescribed;
        let State { p, q, v, w } = state;
        let places = p.par_chunks_mut(CHUNK).zip(q.par_chunks_mut(CHUNK));
        let velocities = v.par_chunks_mut(CHUNK).zip(w.par_chunks_mut(CHUNK));
        places.zip(velocities).enumerate().for_each(|(chunk, ((p, q), (v, w)))| {
            for k in 0..p.len() {
                match prescribed[chunk * CHUNK + k] {
                    Some(motion) => (p[k], q[k], v[k], w[k]) = motion.after(&p[k], &q[k], dt),
                    None => {
                        p[k] += v[k] * dt;
                        q[k] = rotation::turn(&q[k], &(w[k] * dt));
                    }
                }
            }
        });
    }
}

fn damping_of(world: &World) -> Damping<'static> {
    if world.is_damped() { Damping::Rate } else { Damping::None }
}

impl Integrator for Verlet {
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if self.gradient.is_empty() {
            self.start(world, contacts, state);
        }
        self.kick(world, state, 0.5 * dt);
        self.drift(state, dt);
        let start = Instant::now();
        contacts.update(world, state);
        let contact_seconds = start.elapsed().as_secs_f64();
        let energy = Potential { world, contacts, damping: damping_of(world) }.gradient(state, &mut self.gradient);
        self.kick(world, state, 0.5 * dt);
        if energy.is_finite() {
            Ok(StepReport { contact_seconds, ..Default::default() })
        } else {
            Err(StepError::NotFinite)
        }
    }

    fn bonds_broken(&mut self, contacts: &Neighbours, state: &State, broken: &[BrokenBond]) {
        if self.gradient.is_empty() {
            return;
        }
        // takes out what the broken bonds did, and puts in what the contacts that they became do
        for BrokenBond { bond, .. } in broken {
            let [on_i, on_j] = bond::gradient(bond, &bond::pose(bond, state)).wrenches();
            self.gradient[bond.i as usize] += -on_i;
            self.gradient[bond.j as usize] += -on_j;
            if let Some(pair) = contacts.find(bond.i, bond.j) {
                let force = contact::gradient(pair.k, &gap_between(pair, state));
                self.gradient[bond.i as usize].force -= force;
                self.gradient[bond.j as usize].force += force;
            }
        }
    }
}
