use std::ops::Range;

use crate::charge::{ExternalField, Method};
use crate::geometry::Vec3;

use super::{Motion, Ramp};

/// Charges of particles, and the charges and fields from outside that act on them.
#[derive(Clone, Debug, Default)]
pub struct Electrostatics {
    groups: Vec<ChargeGroup>,
    /// Charged particles in ascending order, and where their charges are: group, and place in it.
    particles: Vec<u32>,
    places: Vec<[u32; 2]>,
    /// Point charges from outside.
    pub external_charges: Vec<ExternalCharge>,
    /// Fields from outside.
    pub external_fields: Vec<ImposedField>,
    /// Way to compute the field of the particles' charges.
    pub method: Method,
    /// Softening length of all point charges, m.
    pub softening: f64,
}

/// Particles with charges that follow one function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct ChargeGroup {
    /// Indices of the particles.
    pub particles: Vec<u32>,
    /// Charges at a factor of 1, C; one a particle.
    pub charges: Vec<f64>,
    /// Factor on the charges.
    pub factor: Ramp,
}

/// Point charge from outside. No force moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalCharge {
    /// C.
    pub charge: Ramp,
    /// Position at time 0, m.
    pub position: Vec3,
    /// Motion of its position.
    pub motion: Motion,
}

/// Field from outside that moves with a rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct ImposedField {
    /// The field in the pose of time 0.
    pub field: ExternalField,
    /// Factor on the field.
    pub factor: Ramp,
    /// Motion of the rigid body.
    pub motion: Motion,
    /// Start and end, s.
    pub times: Range<f64>,
}

impl ChargeGroup {
    /// Particles of the same `charge` (C) at all times.
    pub fn uniform(particles: Vec<u32>, charge: f64) -> Self {
        Self { charges: vec![charge; particles.len()], particles, factor: Ramp::default() }
    }

    /// Particles of the same charge (C), a function of time.
    pub fn keyed(particles: Vec<u32>, charge: Ramp) -> Self {
        Self { factor: charge, ..Self::uniform(particles, 1.0) }
    }
}

impl Electrostatics {
    /// Charges of particles that are in one group each.
    pub fn new(groups: Vec<ChargeGroup>) -> Self {
        let mut places: Vec<(u32, [u32; 2])> = Vec::new();
        for (group, of) in (0..).zip(&groups) {
            places.extend(of.particles.iter().zip(0..).map(|(particle, place)| (*particle, [group, place])));
        }
        places.sort_unstable();
        let (particles, places) = places.into_iter().unzip();
        Self { groups, particles, places, ..Self::default() }
    }

    /// Whether no particle is charged.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Groups of charges.
    pub fn groups(&self) -> &[ChargeGroup] {
        &self.groups
    }

    /// Group of each of [`Self::particles`], and its place in it.
    pub fn places(&self) -> &[[u32; 2]] {
        &self.places
    }

    /// Charged particles, in ascending order.
    pub fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// Charges of [`Self::particles`] at `time` (s), C.
    pub fn charges_at(&self, time: f64, out: &mut Vec<f64>) {
        let charge = |[group, place]: &[u32; 2]| {
            let group = &self.groups[*group as usize];
            group.charges[*place as usize] * group.factor.at(time)
        };
        out.clear();
        out.extend(self.places.iter().map(charge));
    }

    /// Time (s) up to `until` of the largest sum of charges without their signs: the start, or that of a key. Of several,
    /// that of the largest charges from outside, then of the largest factors on fields.
    pub fn time_of_largest(&self, until: f64) -> f64 {
        let weights: Vec<f64> = self.groups.iter().map(|group| group.charges.iter().map(|q| q.abs()).sum()).collect();
        let factors = || self.groups.iter().map(|group| &group.factor);
        let charges = || self.external_charges.iter().map(|external| &external.charge);
        let fields = || self.external_fields.iter().map(|field| &field.factor);
        let sum =
            |ramps: &mut dyn Iterator<Item = &Ramp>, time: f64| ramps.map(|ramp| ramp.at(time).abs()).sum::<f64>();
        let size = |time: f64| {
            let own: f64 = factors().zip(&weights).map(|(factor, weight)| factor.at(time).abs() * weight).sum();
            [own, sum(&mut charges(), time), sum(&mut fields(), time)]
        };
        let times = factors().chain(charges()).chain(fields()).flat_map(Ramp::times);
        let times = times.filter(|time| (0.0..=until).contains(time));
        times.fold(0.0, |largest, time| if size(time) > size(largest) { time } else { largest })
    }

    /// Times (s) at which a field or a motion from outside begins, ends or turns, or charges do.
    pub(crate) fn kinks(&self) -> impl Iterator<Item = f64> {
        let groups = self.groups.iter().flat_map(|group| group.factor.times());
        let charges = self.external_charges.iter().flat_map(|from| from.charge.times().chain(from.motion.turns()));
        let fields = self.external_fields.iter().flat_map(|field| {
            let Range { start, end } = field.times;
            field.factor.times().chain(field.motion.turns()).chain([start, end])
        });
        groups.chain(charges).chain(fields)
    }
}

impl ExternalCharge {
    /// Position at `time` (s), m.
    pub fn position_at(&self, time: f64) -> Vec3 {
        self.motion.pose(time).apply(&self.position)
    }
}

impl ImposedField {
    /// Whether it acts at `time` (s).
    pub fn acts(&self, time: f64) -> bool {
        self.times.contains(&time)
    }

    /// Field at the points `x` (m) and `time` (s), V/m; none while it does not act. Not finite where it has no value.
    pub fn at<'a>(&'a self, time: f64, x: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
        let pose = self.motion.pose(time);
        let factor = self.factor.at(time);
        let of = move |x: &Vec3| pose.rotate(&self.field.at(&pose.undo(x))) * factor;
        x.iter().filter(move |_| self.acts(time)).map(of)
    }

    /// Bound on the gradient at a point `x` (m) at `time` (s), V/m2. Zero while it does not act.
    pub(crate) fn gradient_bound(&self, time: f64, x: &Vec3) -> f64 {
        let bound = || self.field.gradient_bound(&self.motion.pose(time).undo(x)) * self.factor.at(time).abs();
        if self.acts(time) { bound() } else { 0.0 }
    }

    /// Whether it is the gradient of a potential.
    pub(crate) fn is_uniform(&self) -> bool {
        matches!(self.field, ExternalField::Uniform { .. })
    }
}
