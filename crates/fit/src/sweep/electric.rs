use bdem_core::charge::{COULOMB_CONSTANT, Charges, work_derivative};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Displacement, State, World};

use crate::error::FitError;

use super::change::strength;
use super::{Gradient, StateGradient};

/// Adds derivatives of `factor` times the sum of `y` times the electric forces at `state`: by positions to `to`, by charges and
/// fields to `gradient`. Pairs are exact, whatever the method of the run's field.
pub(super) fn add(
    world: &World,
    state: &State,
    y: &[Displacement],
    factor: f64,
    to: &mut StateGradient,
    gradient: &mut Gradient,
) -> Result<(), FitError> {
    let electrostatics = &world.electrostatics;
    if electrostatics.is_empty() {
        return Ok(());
    }
    let particles = electrostatics.particles();
    let x: Vec<Vec3> = particles.iter().map(|&i| state.p[i as usize]).collect();
    let y: Vec<Vec3> = particles.iter().map(|&i| y[i as usize].translation * factor).collect();
    let mut q = Vec::new();
    electrostatics.charges_at(state.time, &mut q);
    let failed = |why| FitError::Failed { time: state.time, why: bdem_core::integrate::StepError::Field(why) };
    let charges = Charges::new(&x, &q, electrostatics.softening).map_err(failed)?;
    let (mut by_position, mut by_charge) = work_derivative(&charges, &y);
    for k in 0..electrostatics.external_charges.len() {
        add_external_charge(world, state.time, k, (&x, &q, &y), (&mut by_position, &mut by_charge), gradient);
    }
    for k in 0..electrostatics.external_fields.len() {
        add_field(world, state.time, k, (&x, &q, &y), (&mut by_position, &mut by_charge), gradient);
    }
    particles.iter().zip(&by_position).for_each(|(&i, by)| to.p[i as usize] += by);
    for (k, (by, &[group, place])) in by_charge.iter().zip(electrostatics.places()).enumerate() {
        let of = &electrostatics.groups()[group as usize];
        gradient.charges[k] += by * of.factor.at(state.time);
        for (key, weight) in of.factor.weights_at(state.time) {
            gradient.charge_factors[group as usize][key] += by * of.charges[place as usize] * weight;
        }
    }
    Ok(())
}

/// Positions, charges and vectors; derivatives by positions and charges.
type Given<'a> = (&'a [Vec3], &'a [f64], &'a [Vec3]);
type Found<'a> = (&'a mut [Vec3], &'a mut [f64]);

fn add_external_charge(
    world: &World,
    time: f64,
    k: usize,
    (x, q, y): Given,
    (by_x, by_q): Found,
    gradient: &mut Gradient,
) {
    let external = &world.electrostatics.external_charges[k];
    let (place, charge) = (external.position_at(time), external.charge.at(time));
    let softening = world.electrostatics.softening;
    let (mut by_charge, mut by_place) = (0.0, Vec3::zeros());
    for i in 0..x.len() {
        let r = x[i] - place;
        let square = 1.0 / (r.norm_squared() + softening * softening);
        let per = COULOMB_CONSTANT * square * square.sqrt();
        let along = y[i].dot(&r);
        let by_r = (y[i] - r * (3.0 * along * square)) * (per * q[i] * charge);
        by_x[i] += by_r;
        by_place -= by_r;
        by_q[i] += per * charge * along;
        by_charge += per * q[i] * along;
    }
    let to = &mut gradient.external_charges[k];
    external.charge.weights_at(time).for_each(|(key, weight)| to.charge[key] += by_charge * weight);
    to.position += rotation::rotate(&external.motion.pose(time).turn.conjugate(), &by_place);
}

fn add_field(world: &World, time: f64, k: usize, (x, q, y): Given, (by_x, by_q): Found, gradient: &mut Gradient) {
    let imposed = &world.electrostatics.external_fields[k];
    if !imposed.acts(time) {
        return;
    }
    let (pose, factor) = (imposed.motion.pose(time), imposed.factor.at(time));
    let (mut by_factor, mut by_strength) = (0.0, Vec3::zeros());
    let given = strength(&imposed.field);
    for i in 0..x.len() {
        let local = pose.undo(&x[i]);
        let turned = rotation::rotate(&pose.turn.conjugate(), &y[i]);
        let field = imposed.field.at(&local);
        let by_local = imposed.field.gradient(&local).tr_mul(&turned) * (factor * q[i]);
        by_x[i] += pose.rotate(&by_local);
        by_q[i] += factor * turned.dot(&field);
        by_factor += q[i] * turned.dot(&field);
        by_strength += match imposed.field {
            bdem_core::charge::ExternalField::Uniform { .. } => turned * (factor * q[i]),
            _ if given.x == 0.0 => Vec3::zeros(),
            _ => Vec3::x() * (factor * q[i] * turned.dot(&field) / given.x),
        };
    }
    let to = &mut gradient.external_fields[k];
    imposed.factor.weights_at(time).for_each(|(key, weight)| to.factor[key] += by_factor * weight);
    to.strength += by_strength;
}
