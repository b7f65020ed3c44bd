//! Values of a scene that are most likely slips: in another unit, or at odds with one another.

use std::f64::consts::PI;

use bdem_core::geometry::Vec3;
use bdem_core::simulate::StepSize;

use super::body::Matter;
use super::check::{At, Fault};
use super::frame_coordinates;
use super::keyframes;
use super::source::Source;
use super::usual::{Slip, in_units, short, slip};
use super::{
    AxisAngle, Scene, SceneBody, SceneCharge, SceneChargeKey, SceneConstraint, SceneMaterial, SceneMotion, SceneShape,
};

/// Other units of a length, and their values in metres.
const LENGTHS: &[(&str, f64)] = &[("millimetres", 1e-3), ("centimetres", 1e-2), ("micrometres", 1e-6)];

/// Widths of usual bodies, m.
const WIDTHS: [f64; 2] = [1e-6, 100.0];

/// Minimum width (m) of a mesh without a `scale` whose unit is doubted.
const WIDE_MESH: f64 = 20.0;

/// All slips of a checked scene.
pub(super) fn find(scene: &Scene, source: &Source) -> Vec<Slip> {
    let root = At::root();
    let mut slips: Vec<Slip> = Vec::new();
    slips.extend(slip(Vec3::from(scene.general.gravity).norm(), &root.key("scene").key("gravity")));
    slips.extend(slip(scene.contact.stiffness, &root.key("contact").key("stiffness")));
    slips.extend(time(scene, &root.key("time")));
    for (name, of) in &scene.materials {
        slips.extend(material(of, &root.key("materials").key(name)));
    }
    for (i, (of, matter)) in scene.bodies.iter().zip(&scene.matters).enumerate() {
        slips.extend(body(of, matter, source, &root.key("bodies").key(i)));
        slips.extend(frame_coordinates::slip(scene, of, matter, &root.key("bodies").key(i)));
    }
    let end = duration(scene, source);
    for (i, of) in scene.constraints.iter().enumerate() {
        let at = root.key("constraints").key(i);
        slips.extend(constraint(of, end, &at));
        // a region lies where the body may: the origin that keyframes mean is the body's
        let body = scene.bodies.iter().find(|body| of.body.as_ref().is_some_and(|name| *name == body.name));
        let turned = of.motion.as_ref().zip(body);
        slips.extend(turned.and_then(|(of, body)| keyframes::pivot(of, body.position, source, &at.key("motion"))));
    }
    for (i, (of, from_file)) in scene.charges.iter().zip(&scene.charges_from_files).enumerate() {
        let at = root.key("charges").key(i);
        slips.extend(charge(of, end, &at));
        let from_file = from_file.iter().map(|charge| charge.abs());
        slips.extend(slip(from_file.fold(0.0, f64::max), &at.key("attribute")));
    }
    for (i, of) in scene.external_charges.iter().enumerate() {
        let at = root.key("external_charges").key(i);
        slips.extend(of.charge.and_then(|charge| slip(charge.abs(), &at.key("charge"))));
        slips.extend(of.keyframes.iter().flat_map(|keys| charge_keys(keys, end, &at.key("keyframes"))));
        slips.extend(motion(&of.motion, end, &at.key("motion")));
    }
    for (i, of) in scene.external_fields.iter().enumerate() {
        let at = root.key("external_fields").key(i);
        slips.extend(late("start", of.start, end, &at.key("start")));
        for (k, key) in of.keyframes.iter().enumerate() {
            slips.extend(late("time", key.time, end, &at.key("keyframes").key(k).key("time")));
        }
        slips.extend(motion(&of.motion, end, &at.key("motion")));
    }
    for (i, of) in scene.colliders.iter().enumerate() {
        let at = root.key("colliders").key(i);
        slips.extend(of.friction.and_then(|friction| slip(friction, &at.key("friction"))));
        slips.extend(angle(&of.rotation, &at.key("rotation")));
        slips.extend(motion(&of.motion, end, &at.key("motion")));
        slips.extend(keyframes::pivot(&of.motion, of.position, source, &at.key("motion")));
    }
    slips
}

/// Question for the unit of the mesh of a wall, if it is wider than most things that break.
pub(super) fn unit_of_wall(scene: &Scene, index: usize) -> Option<String> {
    scene.colliders.get(index)?.shape.mesh(&At::root())?;
    unit_of(scene.walls.get(index)?.shape().width(), true).filter(|_| scene.walls[index].shape().width().is_finite())
}

/// Duration of the run, s. Infinite where `--frames` cuts it short, as for a trial.
fn duration(scene: &Scene, source: &Source) -> f64 {
    let is_cut = source.overrides().any(|set| set.trim_start().starts_with("time.frames"));
    if is_cut { f64::INFINITY } else { f64::from(scene.time.frames) / scene.time.frame_rate }
}

fn time(scene: &Scene, at: &At) -> Vec<Slip> {
    let frame = 1.0 / scene.time.frame_rate;
    let mut slips = Vec::from_iter(slip(scene.time.frame_rate, &at.key("frame_rate")));
    if let Some(StepSize::Seconds(step)) = scene.time.step
        && step > 2.0 * frame
    {
        let message = format!(
            "step is {} s, longer than a frame ({} s), and no step is: a frame would be one step",
            short(step),
            short(frame)
        );
        let units = [("ms", 1e-3), ("microseconds", 1e-6)];
        let help = in_units(step, &units, [0.0, frame]).unwrap_or_else(|| "leave it out for \"auto\"".to_owned());
        slips.push(Slip::warning(at.key("step").wrong(message).help(help)));
    }
    slips
}

fn material(material: &SceneMaterial, at: &At) -> Vec<Slip> {
    let SceneMaterial { density, young_modulus, tensile_strength, shear_strength, .. } = *material;
    let values = [
        ("density", Some(density)),
        ("young_modulus", Some(young_modulus)),
        ("shear_modulus", material.shear_modulus),
        ("tensile_strength", Some(tensile_strength)),
        ("shear_strength", Some(shear_strength)),
        ("weibull_modulus", material.weibull_modulus),
        ("friction", Some(material.friction)),
        ("static_friction", material.static_friction),
        ("rolling_friction", Some(material.rolling_friction)),
        ("damping", Some(material.damping)),
        ("ring_down", Some(material.ring_down)),
    ];
    let slips: Vec<Slip> = values.iter().filter_map(|(key, value)| slip((*value)?, &at.key(key))).collect();
    // relations say nothing new where a value itself is unusual
    if slips.is_empty() { relations(material, at) } else { slips }
}

/// Slips that show only beside another value of the material.
fn relations(material: &SceneMaterial, at: &At) -> Vec<Slip> {
    let SceneMaterial { tensile_strength, shear_strength, .. } = *material;
    // with another modulus all other relations would be others
    let sound = sound(material, at);
    if sound.is_some() {
        return sound.into_iter().collect();
    }
    let strengths = [("tensile_strength", tensile_strength), ("shear_strength", shear_strength)];
    let strengths = strengths.into_iter().filter_map(|(key, value)| strain(value, material, &at.key(key)));
    strengths.chain(shear(material, &at.key("shear_modulus"))).collect()
}

/// Slip of a modulus of a gel beside the density of a stone or metal: MPa in place of Pa.
fn sound(&SceneMaterial { density, young_modulus: e, .. }: &SceneMaterial, at: &At) -> Option<Slip> {
    /// Density of the densest gels, kg/m3, and the speed of sound in the softest, m/s.
    const GEL: [f64; 2] = [1500.0, 6.0];
    let speed = (e / density).sqrt();
    if density < GEL[0] || speed > GEL[1] {
        return None;
    }
    let [modulus, weight, speed] = [e, density, speed].map(short);
    let message = format!(
        "young_modulus is {modulus} Pa at {weight} kg/m3: sound travels at {speed} m/s in it, as in the softest gels, \
         which are lighter"
    );
    let typical = [1e4, 4e8].map(|square| square * density);
    let help = in_units(e, &[("MPa", 1e6), ("GPa", 1e9)], typical);
    let fault = at.key("young_modulus").wrong(message);
    Some(Slip::warning(help.into_iter().fold(fault, Fault::help)))
}

/// Slip of a strength (Pa) that no solid has beside its Young's modulus.
fn strain(strength: f64, material: &SceneMaterial, at: &At) -> Option<Slip> {
    /// Strains at which bonds break, from brittle rock (1e-4) to rubber (10), with a margin of ten.
    const STRAINS: [f64; 2] = [1e-5, 100.0];
    let e = material.young_modulus;
    if strength.is_infinite() || (STRAINS[0]..=STRAINS[1]).contains(&(strength / e)) {
        return None;
    }
    let [value, ratio] = [strength, strength / e].map(short);
    let message = format!(
        "{} is {value} Pa, {ratio} of young_modulus: bonds break at such a strain, and solids at 1e-4 to 10",
        at.last()
    );
    let help = in_units(strength, &[("kPa", 1e3), ("MPa", 1e6)], [1e-4 * e, e]);
    Some(Slip::warning(at.wrong(message).help(help.unwrap_or_else(|| BOTH_IN_PA.to_owned()))))
}

/// Slip of a shear modulus that no solid has beside its Young's modulus.
fn shear(material: &SceneMaterial, at: &At) -> Option<Slip> {
    /// Ratios of the two. That of solids is 1/3 to 1/2.
    const RATIOS: [f64; 2] = [1e-3, 1e3];
    let (e, g) = (material.young_modulus, material.shear_modulus?);
    if (RATIOS[0]..=RATIOS[1]).contains(&(g / e)) {
        return None;
    }
    let [value, ratio] = [g, g / e].map(short);
    let message = format!("shear_modulus is {value} Pa, {ratio} of young_modulus; usual is 0.4");
    let help = in_units(g, &[("MPa", 1e6), ("GPa", 1e9), ("kPa", 1e3)], [0.1 * e, e]);
    Some(Slip::warning(at.wrong(message).help(help.unwrap_or_else(|| BOTH_IN_PA.to_owned()))))
}

const BOTH_IN_PA: &str = "are both in Pa?";

fn body(body: &SceneBody, matter: &Matter, source: &Source, at: &At) -> Vec<Slip> {
    let mut slips = Vec::new();
    slips.extend(slip(Vec3::from(body.velocity).norm(), &at.key("velocity")));
    slips.extend(slip(Vec3::from(body.angular_velocity).norm(), &at.key("angular_velocity")));
    slips.extend(angle(&body.rotation, &at.key("rotation")));
    if let Matter::Solid(solid) = matter {
        slips.extend(width(solid.shape.width(), body.shape.as_ref(), source, &at.key("shape")));
    }
    slips.extend(body.shape.iter().flat_map(|shape| angles(shape, &at.key("shape"))));
    slips
}

/// Slip of a shape of this width (m).
fn width(width: f64, shape: Option<&SceneShape>, source: &Source, at: &At) -> Option<Slip> {
    let mesh = shape.and_then(|shape| shape.mesh(at));
    let usual = (WIDTHS[0]..=WIDTHS[1]).contains(&width);
    let unscaled = mesh.as_ref().is_some_and(|at| !source.has(&at.key("scale")));
    if usual && !(unscaled && width > WIDE_MESH) {
        return None;
    }
    let what = if mesh.is_some() { "mesh" } else { "shape" };
    let [least, most] = WIDTHS.map(short);
    let message = format!("the {what} is {} m wide; usual are {least} to {most} m", short(width));
    let help = unit_of(width, mesh.is_some()).unwrap_or_else(|| "lengths are in metres".to_owned());
    Some(Slip::warning(mesh.as_ref().unwrap_or(at).wrong(message).help(help)))
}

/// Question for the unit of a shape of this width (m), if it is wider than most things that break.
pub(super) fn unit_of(width: f64, is_mesh: bool) -> Option<String> {
    if width < WIDE_MESH {
        return None;
    }
    if is_mesh {
        return Some(format!(
            "the mesh is {} m wide: scale = 0.001 for millimetres, 0.01 for centimetres?",
            short(width)
        ));
    }
    let question = in_units(width, LENGTHS, [0.0, 10.0])?;
    Some(format!("the shape is {} m wide: {question}", short(width)))
}

/// Questions for angles that are multiples of pi/12, as in radians.
fn angle(rotation: &AxisAngle, at: &At) -> Option<Slip> {
    let parts = (rotation.degrees / (PI / 12.0)).abs();
    let nearest = parts.round();
    // a whole number of degrees is none of radians
    let is_whole = (rotation.degrees - rotation.degrees.round()).abs() < 1e-9;
    if is_whole || !(1.0..=24.0).contains(&nearest) || (parts - nearest).abs() > 1e-3 * nearest {
        return None;
    }
    let message = format!("degrees is {:?}, a multiple of pi/12", rotation.degrees);
    let degrees = format!("{} for radians?", 15.0 * nearest * rotation.degrees.signum());
    Some(Slip::warning(at.key("degrees").wrong(message).help(degrees)))
}

/// Slips of the angles within a shape.
fn angles(shape: &SceneShape, at: &At) -> Vec<Slip> {
    let own = match shape {
        SceneShape::Moved { rotation, .. } => angle(rotation, &at.key("moved").key("rotation")),
        _ => None,
    };
    let members = shape.members(at).into_iter().flat_map(|(member, at)| angles(member, &at));
    own.into_iter().chain(members).collect()
}

fn charge(charge: &SceneCharge, end: f64, at: &At) -> Vec<Slip> {
    let values = [("charge", charge.charge), ("total", charge.total)];
    let values = values.iter().filter_map(|(key, value)| slip((*value)?.abs(), &at.key(key)));
    let keys = charge.keyframes.iter().flat_map(|keys| charge_keys(keys, end, &at.key("keyframes")));
    values.chain(keys).collect()
}

fn charge_keys(keys: &[SceneChargeKey], end: f64, at: &At) -> Vec<Slip> {
    let slips = keys.iter().enumerate().flat_map(|(i, key)| {
        let at = at.key(i);
        [slip(key.charge.abs(), &at.key("charge")), late("time", key.time, end, &at.key("time"))]
    });
    slips.flatten().collect()
}

fn constraint(constraint: &SceneConstraint, end: f64, at: &At) -> Vec<Slip> {
    let mut slips = Vec::from_iter(late("start", constraint.start, end, &at.key("start")));
    slips.extend(constraint.motion.iter().flat_map(|of| motion(of, end, &at.key("motion"))));
    slips
}

fn motion(motion: &SceneMotion, end: f64, at: &At) -> Vec<Slip> {
    match motion {
        SceneMotion::Fixed => Vec::new(),
        SceneMotion::Velocity(velocity) => Vec::from_iter(slip(Vec3::from(*velocity).norm(), &at.key("velocity"))),
        SceneMotion::Rotation { rate, .. } => Vec::from_iter(slip(rate.abs(), &at.key("rotation").key("rate"))),
        SceneMotion::Screw { rate, velocity, .. } => {
            let at = at.key("screw");
            let rate = slip(rate.abs(), &at.key("rate"));
            rate.into_iter().chain(slip(velocity.abs(), &at.key("velocity"))).collect()
        }
        SceneMotion::Keyframes { keys, .. } => {
            let at = at.key("keyframes").key("keys");
            let angles =
                keys.iter().enumerate().filter_map(|(i, key)| angle(&key.rotation, &at.key(i).key("rotation")));
            // a trial may end within the motion, but not before its first part
            let first = keys.iter().enumerate().find(|(_, key)| key.time > 0.0);
            let late = first.and_then(|(i, key)| late("time", key.time, end, &at.key(i).key("time")));
            angles.chain(late).chain(keyframes::jump(keys, &at)).collect()
        }
    }
}

/// Slip of a time (s) far after the `end` of the run.
fn late(key: &str, time: f64, end: f64, at: &At) -> Option<Slip> {
    if time <= 2.0 * end {
        return None;
    }
    let message = format!("{key} is {} s, and the run ends at {} s", short(time), short(end));
    let help = in_units(time, &[("ms", 1e-3)], [0.0, end]);
    Some(Slip::warning(
        at.wrong(message).help(help.unwrap_or_else(|| "times are in seconds, not in frames".to_owned())),
    ))
}
