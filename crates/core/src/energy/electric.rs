//! Electric forces and energy of a world's charges, \[MSC\] eq 8.

use crate::charge::{self, Charges, Field, FieldError, FieldWorkspace, Method};
use crate::geometry::Vec3;
use crate::model::{State, World};

/// Electric forces, potentials and energy of a world at one time. Arrays have an entry for each of
/// [`particles`](crate::model::Electrostatics::particles).
#[derive(Clone, Debug, Default)]
pub struct ElectricState {
    time: f64,
    /// Positions, m.
    x: Vec<Vec3>,
    /// Charges, C.
    q: Vec<f64>,
    /// Forces, N.
    forces: Vec<Vec3>,
    /// Field of the other charges, V/m; potential of them, of external charges and of uniform fields, V.
    field: Field,
    /// Forces of fields that have no potential, N; empty without such fields.
    swirl: Vec<Vec3>,
    /// Sum of the uniform fields, V/m.
    uniform: Vec3,
    external: Vec<Outside>,
    energy: f64,
}

/// Charge from outside at one time.
#[derive(Clone, Copy, Debug)]
struct Outside {
    /// C.
    charge: f64,
    /// Position, m.
    x: Vec3,
    /// Total force on the particles, N.
    force: Vec3,
    /// Potential of the particles at its position, V.
    potential: f64,
}

impl ElectricState {
    /// Electric state of `world` at `state`.
    ///
    /// # Errors
    /// As those of `set`.
    pub fn of(world: &World, state: &State) -> Result<Self, FieldError> {
        let mut electric = Self::default();
        electric.set(world, state, &mut FieldWorkspace::default())?;
        Ok(electric)
    }

    /// Electric state of `world` at `state`, in these arrays.
    ///
    /// # Errors
    /// When two charges meet without softening, or a particle is where a field has no value. Points and charges of errors are
    /// indices of particles; an external charge has its own.
    pub(crate) fn set(&mut self, world: &World, state: &State, work: &mut FieldWorkspace) -> Result<(), FieldError> {
        let electrostatics = &world.electrostatics;
        let particles = electrostatics.particles();
        self.time = state.time;
        self.x.clear();
        self.x.extend(particles.iter().map(|&i| state.p[i as usize]));
        electrostatics.charges_at(state.time, &mut self.q);
        let of = |index: usize| particles[index] as usize;
        let mutual = self.set_mutual(electrostatics.method, electrostatics.softening, work);
        mutual.map_err(|error| renumbered(error, of, of))?;
        self.add_external_charges(world).map_err(|error| renumbered(error, of, |charge| charge))?;
        self.add_fields(world).map_err(|error| renumbered(error, of, of))
    }

    /// Forces and energy of the particles' charges among one another.
    fn set_mutual(&mut self, method: Method, softening: f64, work: &mut FieldWorkspace) -> Result<(), FieldError> {
        let Self { x, q, field, .. } = self;
        // without charge there is no field to compare an error with
        let method = if q.iter().all(|q| *q == 0.0) { Method::Exact } else { method };
        charge::field_into(&Charges::new(x, q, softening)?, &method, work, field)?;
        self.energy = field.energy(q);
        self.forces.clear();
        self.forces.extend(field.e.iter().zip(q).map(|(e, q)| e * *q));
        Ok(())
    }

    fn add_external_charges(&mut self, world: &World) -> Result<(), FieldError> {
        let Self { x, q, forces, field: Field { potential, .. }, external, energy, .. } = self;
        external.clear();
        for (index, external_charge) in world.electrostatics.external_charges.iter().enumerate() {
            let position = external_charge.position_at(self.time);
            // of 1 C: its own charge may be zero
            let (at, unit) = ([position], [1.0]);
            let source = Charges::new(&at, &unit, world.electrostatics.softening)?;
            let field = charge::field_at(&source, x, &Method::Exact).map_err(|error| match error {
                FieldError::Singular { index: point, position, .. } => {
                    FieldError::Singular { index: point, charge: index, position }
                }
                error => error,
            })?;
            let charge = external_charge.charge.at(self.time);
            let mut outside = Outside { charge, x: position, force: Vec3::zeros(), potential: 0.0 };
            for (i, q) in q.iter().enumerate() {
                let force = field.e[i] * (charge * q);
                forces[i] += force;
                potential[i] += charge * field.potential[i];
                outside.force += force;
                outside.potential += q * field.potential[i];
            }
            *energy += charge * outside.potential;
            external.push(outside);
        }
        Ok(())
    }

    fn add_fields(&mut self, world: &World) -> Result<(), FieldError> {
        let Self { time, x, q, forces, field: Field { potential, .. }, swirl, uniform, energy, .. } = self;
        let fields = &world.electrostatics.external_fields;
        *uniform = Vec3::zeros();
        swirl.clear();
        if fields.iter().any(|field| !field.is_uniform()) {
            swirl.resize(x.len(), Vec3::zeros());
        }
        for field in fields {
            for (i, e) in field.at(*time, x).enumerate() {
                if !e.iter().all(|e| e.is_finite()) {
                    return Err(FieldError::External { index: i, position: x[i] });
                }
                let force = e * q[i];
                forces[i] += force;
                if !field.is_uniform() {
                    swirl[i] += force;
                } else {
                    *uniform += if i == 0 { e } else { Vec3::zeros() };
                    potential[i] -= e.dot(&x[i]);
                    *energy -= q[i] * e.dot(&x[i]);
                }
            }
        }
        Ok(())
    }

    /// Whether it is that of `world` at `state`.
    pub(crate) fn is_at(&self, world: &World, state: &State) -> bool {
        let particles = world.electrostatics.particles();
        let at = |(i, x): (&u32, &Vec3)| state.p[*i as usize] == *x;
        self.time == state.time && self.x.len() == particles.len() && particles.iter().zip(&self.x).all(at)
    }

    /// Forces, N, an entry for each of the charged particles.
    pub fn forces(&self) -> &[Vec3] {
        &self.forces
    }

    /// Energy of the charges among one another, and in the potentials of external charges and uniform fields, J. That of a
    /// uniform field is zero at the origin.
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// Sum of the charges, C.
    pub fn total_charge(&self) -> f64 {
        self.q.iter().sum()
    }

    /// Largest force over the weight of its particle; infinite without gravity.
    pub fn max_force_over_weight(&self, world: &World) -> f64 {
        let weight = |i: &u32| world.particles.mass[*i as usize] * world.gravity.norm();
        let particles = world.electrostatics.particles().iter();
        particles.zip(&self.forces).map(|(i, force)| force.norm() / weight(i)).fold(0.0, f64::max)
    }

    /// Work (J) of the means of the forces at both ends in a step from this state to `next`: sum dx.(f_0 + f_1)/2.
    pub(crate) fn mean_work_to(&self, next: &Self) -> f64 {
        let paths = self.x.iter().zip(&next.x).zip(self.forces.iter().zip(&next.forces));
        0.5 * paths.map(|((x, next_x), (f, next_f))| (next_x - x).dot(&(f + next_f))).sum::<f64>()
    }

    /// Work (J) from outside in a step from this state to `next`: of changing charges, of changing and moving external charges,
    /// of changing uniform fields, and of fields without a potential,
    ///
    /// ```text
    /// sum dq (phi_0 + phi_1)/2 + sum dQ (Phi_0 + Phi_1)/2 + sum dX.(F_0 + F_1)/2
    ///     - dE.(D_0 + D_1)/2 + sum dx.(f_0 + f_1)/2,    D = sum q x.
    /// ```
    ///
    /// Phi is the particles' potential at an external charge Q. The terms of changing charges and uniform fields are exact for
    /// particles and external charges at rest, the others by the trapezoidal rule.
    pub fn work_to(&self, next: &Self) -> f64 {
        let dipole = |state: &Self| state.x.iter().zip(&state.q).map(|(x, q)| x * *q).sum::<Vec3>();
        let turned = next.uniform - self.uniform;
        let by_uniform = if turned == Vec3::zeros() { 0.0 } else { -turned.dot(&(dipole(self) + dipole(next))) };
        let by_charging = self.q.iter().zip(&next.q).zip(self.field.potential.iter().zip(&next.field.potential));
        let by_charging: f64 = by_charging.map(|((q, next_q), (phi, next_phi))| (next_q - q) * (phi + next_phi)).sum();
        let ends = self.external.iter().zip(&next.external);
        let by_external = ends
            .map(|(a, b)| (b.x - a.x).dot(&(a.force + b.force)) + (b.charge - a.charge) * (a.potential + b.potential));
        let by_external: f64 = by_external.sum();
        let paths = self.x.iter().zip(&next.x).zip(self.swirl.iter().zip(&next.swirl));
        let by_swirl: f64 = paths.map(|((x, next_x), (f, next_f))| (next_x - x).dot(&(f + next_f))).sum();
        0.5 * (by_charging + by_external + by_uniform + by_swirl)
    }
}

/// The error with indices `of` points, and `of_charge` of charges.
fn renumbered(error: FieldError, of: impl Fn(usize) -> usize, of_charge: impl Fn(usize) -> usize) -> FieldError {
    match error {
        FieldError::Charge { index, value } => FieldError::Charge { index: of_charge(index), value },
        FieldError::Position { index, value } => FieldError::Position { index: of(index), value },
        FieldError::Singular { index, charge, position } => {
            FieldError::Singular { index: of(index), charge: of_charge(charge), position }
        }
        FieldError::Overflow { index, position } => FieldError::Overflow { index: of(index), position },
        FieldError::External { index, position } => FieldError::External { index: of(index), position },
        error => error,
    }
}
