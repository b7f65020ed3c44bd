//! Values of a scene that are most likely slips: in another unit, or at odds with one another.

use std::f64::consts::PI;

use bdem_core::geometry::Vec3;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::body::Matter;
use super::check::{At, Fault};
use super::source::Source;
use super::usual::{self, FRAME, RUN, in_units, short};
use super::{Scene, SceneBody, SceneError, SceneMotion, frame_coordinates};

/// Other units of a length, and their values in metres.
const LENGTHS: &[(&str, f64)] = &[("millimetres", 1e-3), ("centimetres", 1e-2), ("micrometres", 1e-6)];

/// Widths of usual bodies, m.
const WIDTHS: [f64; 2] = [1e-6, 100.0];

/// Minimum width (m) of a mesh without a `scale` whose unit is doubted.
const WIDE_MESH: f64 = 20.0;

/// All slips of a checked scene.
///
/// # Errors
/// For the first value with which nothing could be meant.
pub(super) fn find(scene: &Scene, source: &Source) -> Result<Vec<Fault>, SceneError> {
    let tree = plain_table(source.tree()?.get_ref());
    let mut slips =
        Slips { scene, tree, frame: 1.0 / scene.time.frame_rate, run: duration(scene, source), found: Vec::new() };
    slips.find().map_err(|fault| source.locate(fault))?;
    Ok(slips.found)
}

/// Values of a table without their places. Whole numbers beyond 64 bits with a sign, as seeds may be, are rounded.
fn plain_table(table: &DeTable) -> Table {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect()
}

fn plain(value: &DeValue) -> Value {
    match value {
        DeValue::Integer(whole) => match i128::from_str_radix(whole.as_str(), whole.radix()) {
            Ok(number) => i64::try_from(number).map_or(Value::Float(number as f64), Value::Integer),
            Err(_) => Value::Float(f64::NAN),
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(is_set) => Value::Boolean(*is_set),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(table) => Value::Table(plain_table(table)),
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Datetime(date) => Value::String(date.to_string()),
    }
}

/// Duration of the run, s. Infinite where `--frames` cuts it short, as for a trial.
fn duration(scene: &Scene, source: &Source) -> f64 {
    let is_cut = source.overrides().any(|set| set.trim_start().starts_with("time.frames"));
    if is_cut { f64::INFINITY } else { f64::from(scene.time.frames) / scene.time.frame_rate }
}

/// Search through the values that a scene's file has.
struct Slips<'a> {
    scene: &'a Scene,
    tree: Table,
    /// Lengths of a frame and of the run, s.
    frame: f64,
    run: f64,
    found: Vec<Fault>,
}

impl Slips<'_> {
    fn find(&mut self) -> Result<(), Fault> {
        self.table(self.tree.clone(), &At::root())?;
        let (scene, root) = (self.scene, At::root());
        for (i, (body, matter)) in scene.bodies.iter().zip(&scene.matters).enumerate() {
            let at = root.key("bodies").key(i);
            self.found.extend(self.width(body, matter, &at.key("shape")));
            self.found.extend(self.short_wavelength(body));
            self.found.extend(frame_coordinates::slip(scene, body, matter, &at)?);
        }
        for (i, of) in scene.constraints.iter().enumerate() {
            // a region lies where the body may: the origin that keyframes mean is the body's
            let body = scene.bodies.iter().find(|body| of.body.as_ref().is_some_and(|name| *name == body.name));
            let turned = of.motion.as_ref().zip(body);
            let at = root.key("constraints").key(i).key("motion");
            self.found.extend(turned.and_then(|(motion, body)| self.pivot(motion, body.position, &at)));
        }
        for (i, of) in scene.colliders.iter().enumerate() {
            let at = root.key("colliders").key(i).key("motion");
            self.found.extend(self.pivot(&of.motion, of.position, &at));
        }
        for (i, from_file) in scene.charges_from_files.iter().enumerate() {
            let most = from_file.iter().map(|charge| charge.abs()).fold(0.0, f64::max);
            let value = |key: &str| (key == "attribute").then_some(most);
            self.found.extend(usual::judge(value, &root.key("charges").key(i))?);
        }
        Ok(())
    }

    /// Slips of a table of the file and of those in it.
    fn table(&mut self, table: Table, at: &At) -> Result<(), Fault> {
        let value = |key: &str| match key {
            FRAME => Some(self.frame),
            RUN => Some(self.run),
            _ => magnitude(table.get(key)?),
        };
        self.found.extend(usual::judge(value, at)?);
        self.found.extend(table.get("degrees").and_then(|degrees| angle(degrees.as_float()?, at)));
        // quantities of the same names in other units
        let is_other = |key: &str| at.0.len() == 2 && ["springs", "grain"].contains(&key);
        let others = table.into_iter().filter(|(key, _)| !is_other(key));
        others.into_iter().try_for_each(|(key, value)| self.value(value, &at.key(key)))
    }

    fn value(&mut self, value: Value, at: &At) -> Result<(), Fault> {
        match value {
            Value::Table(table) => self.table(table, at),
            Value::Array(mut items) => {
                // a run may end within a motion, but not before its first part
                let time = |item: &Value| item.get("time").and_then(magnitude).unwrap_or_default();
                let first = items.iter().position(|item| time(item) > 0.0).map_or(items.len(), |first| first + 1);
                items[first..].iter_mut().filter_map(Value::as_table_mut).for_each(|key| drop(key.remove("time")));
                items.into_iter().enumerate().try_for_each(|(i, item)| self.value(item, &at.key(i)))
            }
            _ => Ok(()),
        }
    }

    /// Value that the file has at a place.
    fn given(&self, at: &At) -> Option<&Value> {
        let (first, rest) = at.0.split_first()?;
        rest.iter().try_fold(self.tree.get(first)?, |value, key| match key.parse::<usize>() {
            Ok(index) if value.is_array() => value.get(index),
            _ => value.get(key),
        })
    }

    /// Slip of the width of a body's shape.
    fn width(&self, body: &SceneBody, matter: &Matter, at: &At) -> Option<Fault> {
        let Matter::Solid(solid) = matter else { return None };
        let width = solid.shape.width();
        let mesh = body.shape.as_ref()?.mesh(at);
        let usual = (WIDTHS[0]..=WIDTHS[1]).contains(&width);
        let unscaled = mesh.as_ref().is_some_and(|at| self.given(&at.key("scale")).is_none());
        if usual && !(unscaled && width > WIDE_MESH) {
            return None;
        }
        let what = if mesh.is_some() { "mesh" } else { "shape" };
        let [least, most] = WIDTHS.map(short);
        let message = format!("the {what} is {} m wide; usual are {least} to {most} m", short(width));
        let help = unit_of(width, mesh.is_some()).unwrap_or_else(|| "lengths are in metres".to_owned());
        Some(mesh.as_ref().unwrap_or(at).wrong(message).help(help))
    }

    /// Slip of a wavelength of strengths that the body's bonds do not resolve.
    fn short_wavelength(&self, body: &SceneBody) -> Option<Fault> {
        let name = body.material.as_ref()?;
        let (wavelength, [_, radius]) = (self.scene.materials[name].weibull_wavelength?, body.radii()?);
        if wavelength == 0.0 || wavelength >= 4.0 * radius {
            return None;
        }
        let message = format!(
            "weibull_wavelength is {wavelength:?} m, below two diameters of the particles of body {:?}, {} m",
            body.name,
            short(4.0 * radius)
        );
        let help = "their bonds are as independent as with 0: give smaller particles, or a longer wavelength";
        Some(At::root().key("materials").key(name).key("weibull_wavelength").wrong(message).help(help))
    }

    /// Slip of rotations about the world's origin, the default pivot, of an object that is elsewhere.
    fn pivot(&self, motion: &SceneMotion, position: [f64; 3], at: &At) -> Option<Fault> {
        let SceneMotion::Keyframes { keys, .. } = motion else { return None };
        let turns = keys.iter().any(|key| key.rotation.degrees != 0.0);
        let at = at.key("keyframes");
        if !turns || position == [0.0; 3] || self.given(&at.key("pivot")).is_some() {
            return None;
        }
        let message = format!(
            "it turns about the world's origin, {} m from its own: keyframes have no pivot",
            short(Vec3::from(position).norm())
        );
        let help =
            format!("pivot = {position:?} turns it about its own origin; pivot = [0.0, 0.0, 0.0] means the world's");
        Some(at.wrong(message).help(help))
    }
}

/// Magnitude of a number or vector.
fn magnitude(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some((*number as f64).abs()),
        Value::Float(number) => Some(number.abs()),
        Value::Array(numbers) => {
            let squares: Option<Vec<f64>> = numbers.iter().map(|x| magnitude(x).map(|x| x * x)).collect();
            Some(squares?.iter().sum::<f64>().sqrt())
        }
        _ => None,
    }
}

/// Question for the unit of the mesh of a wall, if it is wider than most things that break.
pub(super) fn unit_of_wall(scene: &Scene, index: usize) -> Option<String> {
    scene.colliders.get(index)?.shape.mesh(&At::root())?;
    unit_of(scene.walls.get(index)?.shape().width(), true).filter(|_| scene.walls[index].shape().width().is_finite())
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

/// Question for an angle that is a multiple of pi/12, as in radians.
fn angle(degrees: f64, at: &At) -> Option<Fault> {
    let parts = (degrees / (PI / 12.0)).abs();
    let nearest = parts.round();
    // a whole number of degrees is none of radians
    let is_whole = (degrees - degrees.round()).abs() < 1e-9;
    if is_whole || !(1.0..=24.0).contains(&nearest) || (parts - nearest).abs() > 1e-3 * nearest {
        return None;
    }
    let message = format!("degrees is {degrees:?}, a multiple of pi/12");
    let question = format!("{} for radians?", 15.0 * nearest * degrees.signum());
    Some(at.key("degrees").wrong(message).help(question))
}
