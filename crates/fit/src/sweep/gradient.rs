use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, World, Wrench};

use super::StateGradient;

/// Derivative of a loss by the numbers of a world. Derivatives have the unit of the loss over that of the number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// The loss.
    pub loss: f64,
    /// By the changes that were asked for, in their order.
    pub along: Vec<f64>,
    /// By the state at the start. That of held particles lacks their effect on others through an implicit step.
    pub start: StateGradient,
    /// By masses, an entry per particle.
    pub mass: Vec<f64>,
    /// By moments of inertia.
    pub inertia: Vec<f64>,
    /// By the acceleration of gravity.
    pub gravity: Vec3,
    /// By loads, an entry a constraint; zero for motions.
    pub loads: Vec<Wrench>,
    /// By springs, an entry per bond of the world; zeros for bonds that bend.
    pub springs: Vec<SpringGradient>,
    /// By charges at a factor of 1, an entry for each of the charged particles.
    pub charges: Vec<f64>,
    /// By the keys of each group's factor.
    pub charge_factors: Vec<Vec<f64>>,
    /// By charges from outside.
    pub external_charges: Vec<ExternalChargeGradient>,
    /// By fields from outside.
    pub external_fields: Vec<FieldGradient>,
    /// Course of the sweep.
    pub report: Report,
}

/// Derivative by a spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringGradient {
    /// By the stiffness k, N/m.
    pub stiffness: f64,
    /// By the damping coefficient c, N s/m.
    pub damping: f64,
    /// By the rest length, m.
    pub rest_length: f64,
}

impl SpringGradient {
    /// Adds derivatives of the force k (l - l0) + c `rate` of a spring of length `l` (m), times `along`.
    pub(super) fn add(&mut self, spring: &Bond, l: f64, rate: f64, along: f64) {
        self.stiffness += (l - spring.l0) * along;
        self.rest_length -= spring.k.n * along;
        self.damping += rate * along;
    }
}

/// Derivative by a charge from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExternalChargeGradient {
    /// By the keys of the charge.
    pub charge: Vec<f64>,
    /// By the position at time 0.
    pub position: Vec3,
}

/// Derivative by a field from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldGradient {
    /// By the keys of the factor.
    pub factor: Vec<f64>,
    /// By the vector of a uniform field; of others by the strength, in x.
    pub strength: Vec3,
}

/// Course of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Steps that were made again, from stored states.
    pub replayed_steps: u32,
    /// Iterations of conjugate gradients for adjoints of implicit steps.
    pub cg_iterations: u64,
    /// Steps in which a contact opened, closed, began or ended to slide: the gradient is that of the sets as they were.
    pub contact_changes: Vec<u32>,
}

impl Gradient {
    /// Zero, for `world`.
    pub(crate) fn zeros(world: &World) -> Self {
        let particles = world.particles.len();
        let electrostatics = &world.electrostatics;
        let keys = |ramp: &bdem_core::model::Ramp| vec![0.0; ramp.values().count()];
        let external = |charge: &bdem_core::model::ExternalCharge| ExternalChargeGradient {
            charge: keys(&charge.charge),
            position: Vec3::zeros(),
        };
        let field = |field: &bdem_core::model::ImposedField| FieldGradient {
            factor: keys(&field.factor),
            strength: Vec3::zeros(),
        };
        Self {
            start: StateGradient::zeros(particles),
            mass: vec![0.0; particles],
            inertia: vec![0.0; particles],
            loads: vec![Wrench::default(); world.constraints.len()],
            springs: vec![SpringGradient::default(); world.bonds().len()],
            charges: vec![0.0; electrostatics.particles().len()],
            charge_factors: electrostatics.groups().iter().map(|group| keys(&group.factor)).collect(),
            external_charges: electrostatics.external_charges.iter().map(external).collect(),
            external_fields: electrostatics.external_fields.iter().map(field).collect(),
            ..Self::default()
        }
    }

    /// Products of all numbers but those of springs, added up.
    pub(super) fn dot(&self, other: &Self) -> f64 {
        let numbers = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let lists = |a: &[Vec<f64>], b: &[Vec<f64>]| a.iter().zip(b).map(|(a, b)| numbers(a, b)).sum::<f64>();
        let vectors = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum::<f64>();
        let loads = self.loads.iter().zip(&other.loads).map(|(a, b)| a.force.dot(&b.force) + a.torque.dot(&b.torque));
        let external = self.external_charges.iter().zip(&other.external_charges);
        let external = external.map(|(a, b)| numbers(&a.charge, &b.charge) + a.position.dot(&b.position));
        let fields = self.external_fields.iter().zip(&other.external_fields);
        let fields = fields.map(|(a, b)| numbers(&a.factor, &b.factor) + a.strength.dot(&b.strength));
        vectors(&self.start.p, &other.start.p)
            + vectors(&self.start.theta, &other.start.theta)
            + vectors(&self.start.v, &other.start.v)
            + vectors(&self.start.w, &other.start.w)
            + numbers(&self.mass, &other.mass)
            + numbers(&self.inertia, &other.inertia)
            + self.gravity.dot(&other.gravity)
            + loads.sum::<f64>()
            + numbers(&self.charges, &other.charges)
            + lists(&self.charge_factors, &other.charge_factors)
            + external.sum::<f64>()
            + fields.sum::<f64>()
    }

    /// Whether all numbers are zero.
    pub(super) fn is_zero(&self) -> bool {
        self.dot(self) == 0.0
    }
}
