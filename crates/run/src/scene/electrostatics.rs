//! Charges of a built scene, and checks that need its particles.

use std::sync::Arc;

use bdem_core::charge::FieldError;
use bdem_core::energy::ElectricState;
use bdem_core::model::{ChargeGroup, Electrostatics, Particles, State, World};

use super::Scene;
use super::check::{At, Fault};
use super::files::Files;

/// Checks of charges and fields that need no particles.
pub(super) fn check(scene: &Scene, root: &At) -> Result<(), Fault> {
    scene.field.check(&root.key("field"))?;
    let charges = root.key("charges");
    for (i, charge) in scene.charges.iter().enumerate() {
        charge.check(&scene.bodies, &charges.key(i))?;
    }
    let external = root.key("external_charges");
    for (i, charge) in scene.external_charges.iter().enumerate() {
        charge.check(&external.key(i))?;
    }
    let fields = root.key("external_fields");
    for (i, field) in scene.external_fields.iter().enumerate() {
        field.check(&fields.key(i))?;
    }
    let acting = [("external_charges", scene.external_charges.len()), ("external_fields", scene.external_fields.len())];
    match acting.iter().find(|(_, count)| *count > 0 && scene.charges.is_empty()) {
        Some((key, _)) => {
            let fault = root.key(key).key(0).wrong("it acts on nothing: no particle has a charge");
            Err(fault.help("give some a charge, under [[charges]]"))
        }
        None => Ok(()),
    }
}

/// For each of the scene's charges, charges (C) of its body's particles from their file; none where they are from no file.
pub(super) fn load(scene: &Scene, files: &mut Files) -> Result<Vec<Arc<[f64]>>, Fault> {
    let charges = At::root().key("charges");
    scene.charges.iter().enumerate().map(|(i, charge)| charge.load(scene, files, &charges.key(i))).collect()
}

/// Model of the scene's charges and fields.
pub(super) fn model(scene: &Scene, particles: &Particles, state: &State) -> Result<Electrostatics, Fault> {
    let mut groups: Vec<ChargeGroup> = Vec::new();
    let mut charged_by = vec![None; state.len()];
    for (index, charge) in scene.charges.iter().enumerate() {
        let at = At::root().key("charges").key(index);
        let nothing = "no particle's centre lies in this region: there is nothing to charge";
        let chosen = charge.choice().particles(scene, particles, state, nothing, &at)?;
        for &i in &chosen {
            if let Some(other) = charged_by[i as usize].replace(index) {
                let body = &scene.bodies[usize::from(particles.body[i as usize])].name;
                let message = format!("particle {i} of body {body:?} has charge {other} of [[charges]] already");
                let fault = charge.choice().place(&at).wrong(message);
                return Err(fault.help("choose regions that do not overlap"));
            }
        }
        groups.push(charge.model(scene.charges_from_files.get(index), particles, chosen));
    }
    let mut electrostatics = Electrostatics::new(groups);
    electrostatics.external_charges = scene.external_charges.iter().map(|charge| charge.model()).collect();
    electrostatics.external_fields = scene.external_fields.iter().map(|field| field.model()).collect();
    (electrostatics.method, electrostatics.softening) = (scene.field.method(), scene.field.softening);
    Ok(electrostatics)
}

/// Check that the charges' field has a value at each particle when the run starts.
pub(super) fn check_start(world: &World, state: &State) -> Result<(), Fault> {
    if world.electrostatics.is_empty() {
        return Ok(());
    }
    ElectricState::of(world, state).map(|_| ()).map_err(|error| fault(world, state, &error))
}

/// Fault at the charge or field that has no value at a particle.
fn fault(world: &World, state: &State, error: &FieldError) -> Fault {
    let root = At::root();
    let place = |index: usize| state.p[index];
    let electrostatics = &world.electrostatics;
    let at = match *error {
        FieldError::Singular { index, charge, .. }
            if electrostatics
                .external_charges
                .get(charge)
                .is_some_and(|external| external.position_at(state.time) == place(index)) =>
        {
            root.key("external_charges").key(charge).key("position")
        }
        FieldError::External { index, .. } => {
            let is_singular = |e: bdem_core::geometry::Vec3| !e.iter().all(|e| e.is_finite());
            let mut fields = electrostatics.external_fields.iter();
            let field = fields.position(|field| field.at(state.time, &[place(index)]).any(is_singular));
            root.key("external_fields").key(field.unwrap_or(0)).key("field")
        }
        _ => root.key("charges"),
    };
    at.wrong(error.to_string())
}
