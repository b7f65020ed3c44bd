//! Directions of a body's grain by a map on its surface.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{State, World};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::surface_map::{Colour, MapSource, SurfaceMap};
use super::{MeshFile, Scene, SceneBody, SceneMaterial, SceneShape, Up};

/// `grain_map` of a body: directions of its material's grain by the colour of the nearest place on its mesh. Red, green and blue
/// from 0 to 1 are x, y and z from -1 to 1 in the axes of the mesh file. Grey, 0.5 each, is the material's own direction.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GrainMap")]
pub struct SceneGrainMap {
    /// Colours of the mesh file's vertices: `v x y z r g b` of OBJ, or `red`, `green` and `blue` of PLY. Give either these or
    /// `texture`.
    #[serde(default)]
    pub colours: bool,
    /// Path of a PNG file that the texture coordinates of the OBJ file refer to, relative to the scene's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture: Option<String>,
}

/// Grain of a body that has a map of it.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyGrain {
    /// Name of the body.
    pub body: String,
    /// Mean squares of the direction's components in the body's frame. Their sum is 1.
    pub squares: [f64; 3],
    /// Share of the particles that have the material's direction, since the map is grey there.
    pub grey: f64,
}

/// Directions on the faces of a mesh.
#[derive(Clone, Debug)]
pub(super) struct GrainMap {
    map: SurfaceMap,
    up: Up,
}

impl SceneBody {
    /// Check of the keys of its map of the grain. `material` is that of the body.
    pub(super) fn check_grain_map(&self, material: Option<&SceneMaterial>, at: &At) -> Result<(), Fault> {
        let (Some(map), at) = (&self.grain_map, at.key("grain_map")) else { return Ok(()) };
        map.source().check(self, &at)?;
        if material.is_none_or(|material| material.grain.is_none()) {
            let name = self.material.as_deref().unwrap_or_default();
            let wrong = at.wrong(format!("material {name:?} has no grain, whose factors the map needs"));
            return Err(wrong.help("give it one: grain = { direction = [1.0, 0.0, 0.0], strength = 9.0 }"));
        }
        Ok(())
    }

    /// Map of its grain, from its files.
    pub(super) fn load_grain_map(&self, files: &mut Files, at: &At) -> Result<Option<GrainMap>, Fault> {
        match (&self.grain_map, &self.shape) {
            (Some(map), Some(SceneShape::Mesh(mesh))) => map.load(mesh, files, &at.key("grain_map")).map(Some),
            _ => Ok(None),
        }
    }
}

impl SceneGrainMap {
    fn source(&self) -> MapSource<'_> {
        MapSource { colours: self.colours, texture: self.texture.as_deref() }
    }

    fn load(&self, mesh: &MeshFile, files: &mut Files, at: &At) -> Result<GrainMap, Fault> {
        let map = self.source().load(mesh, files, at)?;
        let is_grey = |[r, g, b]: Colour| (r - g).abs() < STEP && (g - b).abs() < STEP;
        if map.all(is_grey) {
            let file = self.texture.as_ref().unwrap_or(&mesh.file);
            let wrong = at.wrong(format!("{file}: all of its colours are grey, which is no direction"));
            let help = "paint (x, y, z) as red (1 + x)/2, green (1 + y)/2 and blue (1 + z)/2: x is (1, 0.5, 0.5); a map of \
                        strengths is a strength_map";
            return Err(wrong.help(help));
        }
        Ok(GrainMap { map, up: mesh.up })
    }
}

impl GrainMap {
    /// Direction at each of the `centres` (m) of particles in the body's frame. `own` is that of the material.
    pub(super) fn directions(&self, centres: &[Vec3], own: &Vec3) -> Vec<Vec3> {
        centres.par_iter().map(|p| self.direction(p, own).0).collect()
    }

    /// Direction at a point of the body's frame (m), and whether it is the material's `own` since the map is grey.
    fn direction(&self, p: &Vec3, own: &Vec3) -> (Vec3, bool) {
        let Some(samples) = self.map.samples(p) else { return (*own, true) };
        let read = samples.map(|(share, colour)| (share, direction_of(&colour).map(|d| self.up.turned(&d))));
        let is_grey = read.iter().all(|(share, direction)| *share == 0.0 || direction.is_none());
        (mean(read.map(|(share, direction)| (share, direction.unwrap_or(*own)))), is_grey)
    }
}

/// Difference of parts of a colour that is none, above a byte's step, 1/255: 127 and 128 of 255 are both the middle.
const STEP: f64 = 1.5 / 255.0;

/// Unit vector of a colour. None of grey.
fn direction_of(colour: &Colour) -> Option<Vec3> {
    let part = |k: usize| Some(2.0 * colour[k] - 1.0).filter(|part| part.abs() > STEP).unwrap_or_default();
    Vec3::new(part(0), part(1), part(2)).try_normalize(0.0)
}

/// Mean of unit vectors with shares, whose sum is 1. Opposite ones are alike: each has the sign that is nearer to the one of the
/// largest share, and among perpendicular ones that with a positive first component. The mean of equal ones is that one, to the bit.
pub(super) fn mean<const N: usize>(directions: [(f64, Vec3); N]) -> Vec3 {
    let directions = directions.map(|(share, d)| (share, if is_negative(&d) { -d } else { d }));
    let main = directions.iter().fold(directions[0], |main, next| if next.0 > main.0 { *next } else { main }).1;
    let signed = |d: &Vec3| if d.dot(&main) < 0.0 { -d } else { *d };
    let mean = directions.iter().fold(main, |mean, (share, d)| mean + *share * (signed(d) - main));
    if mean == main { main } else { mean.normalize() }
}

/// Whether the first component that is not zero is negative.
fn is_negative(d: &Vec3) -> bool {
    d.iter().find(|part| **part != 0.0).is_some_and(|part| *part < 0.0)
}

impl Scene {
    /// Grain of each body that has a map of it, as built with the initial `state`.
    pub fn grains(&self, world: &World, state: &State) -> Vec<BodyGrain> {
        let mut all = Vec::new();
        for (index, (body, map)) in self.bodies.iter().zip(&self.grain_maps).enumerate() {
            let first = |of: usize| world.particles.body.partition_point(|&b| usize::from(b) < of);
            let (Some(map), range) = (map, first(index)..first(index + 1)) else { continue };
            let Some(grain) = &world.material_of(range.start).grain else { continue };
            let turn = body.rotation.quaternion().conjugate();
            let rest = |p: &Vec3| rotation::rotate(&turn, &(p - Vec3::from(body.position)));
            let read: Vec<(Vec3, bool)> =
                state.p[range].par_iter().map(|p| map.direction(&rest(p), &grain.direction)).collect();
            let sum = read.iter().map(|(d, _)| d.component_mul(d)).sum::<Vec3>();
            let (grey, count) = (read.iter().filter(|(_, is_grey)| *is_grey).count() as f64, read.len() as f64);
            all.push(BodyGrain { body: body.name.clone(), squares: (sum / count).into(), grey: grey / count });
        }
        all
    }
}
