use super::{SpringError, Springs, Surroundings};
use crate::charge::{Charges, Method, field};
use crate::geometry::Vec3;

/// Masses on springs that carry charges.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringSystem {
    /// Springs.
    pub springs: Springs,
    /// Masses, kg; one a vertex.
    pub mass: Vec<f64>,
    /// Charges, C; one a vertex.
    pub charge: Vec<f64>,
    /// Softening length of the field, m.
    pub softening: f64,
    /// Way to compute the field.
    pub method: Method,
    /// Constant forces, N; one a vertex.
    pub force: Vec<Vec3>,
    /// Fields and charges from outside, at the end of a step.
    pub surroundings: Surroundings,
}

/// Positions and velocities, with the Coulomb forces there: a step needs nothing else, and may be repeated from it.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringState {
    /// Time, s.
    pub time: f64,
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Electric forces, of the charges on each other and of the surroundings, N.
    pub coulomb: Vec<Vec3>,
    /// Energy of the charges in their own field and in the potential of the surroundings, J.
    pub charge_energy: f64,
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Energy of the springs.
    pub springs: f64,
    /// Energy of the charges in their own field and in the potential of the surroundings.
    pub charges: f64,
    /// Energy of the constant forces, zero at the origin.
    pub force: f64,
}

impl Energies {
    /// Sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.springs + self.charges + self.force
    }
}

impl SpringSystem {
    /// System without constant forces and surroundings; its field is not softened, and by the default method.
    ///
    /// # Errors
    /// When a mass is not positive.
    ///
    /// # Panics
    /// When there are more or fewer masses or charges than vertices.
    pub fn new(springs: Springs, mass: Vec<f64>, charge: Vec<f64>) -> Result<Self, SpringError> {
        let vertices = springs.vertices();
        assert_eq!([mass.len(), charge.len()], [vertices; 2], "one mass and charge a vertex");
        if let Some(vertex) = mass.iter().position(|&mass| !(mass > 0.0 && mass.is_finite())) {
            return Err(SpringError::Mass { vertex, value: mass[vertex] });
        }
        let (force, surroundings) = (vec![Vec3::zeros(); vertices], Surroundings::default());
        Ok(Self { springs, mass, charge, softening: 0.0, method: Method::default(), force, surroundings })
    }

    /// State at time 0 of positions (m) and velocities (m/s).
    ///
    /// # Errors
    /// When there is no field.
    ///
    /// # Panics
    /// When there are more or fewer positions or velocities than vertices.
    pub fn state(&self, x: Vec<Vec3>, v: Vec<Vec3>) -> Result<SpringState, SpringError> {
        self.state_at(0.0, x, v)
    }

    pub(super) fn state_at(&self, time: f64, x: Vec<Vec3>, v: Vec<Vec3>) -> Result<SpringState, SpringError> {
        assert_eq!([x.len(), v.len()], [self.mass.len(); 2], "one position and velocity a vertex");
        let (coulomb, charge_energy) = self.electric_forces(&x)?;
        Ok(SpringState { time, x, v, coulomb, charge_energy })
    }

    /// Electric forces at the positions `x` (m), N, and energy of the charges, J.
    fn electric_forces(&self, x: &[Vec3]) -> Result<(Vec<Vec3>, f64), SpringError> {
        if self.charge.iter().all(|q| *q == 0.0) {
            return Ok((vec![Vec3::zeros(); x.len()], 0.0));
        }
        let own = field(&Charges::new(x, &self.charge, self.softening)?, &self.method)?;
        let outer = self.surroundings.field(x, self.softening, &self.method)?;
        let forces = own.forces(&self.charge).into_iter().zip(outer.forces(&self.charge)).map(|(a, b)| a + b).collect();
        // charges share the energy of their own field, and not that of the surroundings
        Ok((forces, own.energy(&self.charge) + 2.0 * outer.energy(&self.charge)))
    }

    /// Energies of a state.
    pub fn energies(&self, state: &SpringState) -> Energies {
        let kinetic = self.mass.iter().zip(&state.v).map(|(mass, v)| 0.5 * mass * v.norm_squared()).sum();
        let force = self.force.iter().zip(&state.x).map(|(force, x)| -force.dot(x)).sum();
        Energies { kinetic, springs: self.springs.energy(&state.x), charges: state.charge_energy, force }
    }

    /// Forces of a state that have a potential: of springs, charges and the constant ones, N.
    pub fn conservative_forces(&self, state: &SpringState) -> Vec<Vec3> {
        let mut forces: Vec<Vec3> = state.coulomb.iter().zip(&self.force).map(|(a, b)| a + b).collect();
        self.springs.add_forces(&state.x, &mut forces);
        forces
    }

    /// Momentum of a state, kg m/s.
    pub fn momentum(&self, state: &SpringState) -> Vec3 {
        self.mass.iter().zip(&state.v).map(|(mass, v)| v * *mass).sum()
    }

    /// Angular momentum of a state about the origin, kg m2/s.
    pub fn angular_momentum(&self, state: &SpringState) -> Vec3 {
        self.mass.iter().zip(&state.x).zip(&state.v).map(|((mass, x), v)| x.cross(v) * *mass).sum()
    }
}
