//! Factors on the strengths of a body's bonds, by cuts and by maps on its surface.

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::FaceSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::surface_map::{MapSource, SurfaceMap};
use super::{MeshFile, SceneBody, SceneShape, Up};

/// `cuts` of a body: surfaces that weaken the bonds across them, such as a crack, a seam or a plane of perforations.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cuts")]
pub struct SceneCuts {
    /// Path of an OBJ, STL or PLY file of open or closed surfaces in the body's own frame, relative to the scene's folder.
    pub file: String,
    /// Length of the file's unit, m.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub scale: f64,
    /// Vertical axis of the file. It becomes z.
    #[serde(default)]
    pub up: Up,
    /// Factor on strengths and fracture energy of the bonds that cross a surface. With 0 there is no bond.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub strength: f64,
}

/// `strength_map` of a body: factors on the strengths of bonds by the brightness of the nearest place on its mesh, from 0 of black
/// to 1 of white.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StrengthMap")]
pub struct SceneStrengthMap {
    /// Colours of the mesh file's vertices: `v x y z r g b` of OBJ, or `red`, `green` and `blue` of PLY. Give either these or
    /// `texture`.
    #[serde(default)]
    pub colours: bool,
    /// Path of a PNG file that the texture coordinates of the OBJ file refer to, relative to the scene's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture: Option<String>,
    /// Factor on strengths and fracture energy where the map is black. With 0 there is no bond.
    #[serde(default = "tenth")]
    #[schemars(range(min = 0.0))]
    pub low: f64,
    /// The same where it is white.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0))]
    pub high: f64,
}

fn one() -> f64 {
    1.0
}

fn tenth() -> f64 {
    0.1
}

/// Factors on the strengths of a body's bonds.
#[derive(Clone, Debug, Default)]
pub(super) struct StrengthFactors {
    cuts: Option<(FaceSet, f64)>,
    map: Option<StrengthMap>,
}

/// Factors by the brightness of a map.
#[derive(Clone, Debug)]
struct StrengthMap {
    map: SurfaceMap,
    /// Factors of black and white.
    range: [f64; 2],
}

impl SceneBody {
    /// Check of the keys of its bonds' strengths.
    pub(super) fn check_strengths(&self, at: &At) -> Result<(), Fault> {
        for (key, is_given) in [
            ("cuts", self.cuts.is_some()),
            ("strength_map", self.strength_map.is_some()),
            ("grain_map", self.grain_map.is_some()),
        ] {
            if is_given && (self.springs.is_some() || !self.bonded || self.rigid) {
                let wrong = at.key(key).wrong(format!("body {:?} has no bonds that break", self.name));
                return Err(wrong.help("give it a material and bonds, and leave out springs and rigid"));
            }
        }
        if let Some(cuts) = &self.cuts {
            at.key("cuts").key("scale").positive(cuts.scale, "")?;
            at.key("cuts").key("strength").not_negative(cuts.strength)?;
        }
        let Some(map) = &self.strength_map else { return Ok(()) };
        let at = at.key("strength_map");
        at.key("low").not_negative(map.low)?;
        at.key("high").not_negative(map.high)?;
        map.source().check(self, &at)
    }

    /// Whether bonds are left out.
    pub(super) fn is_cut(&self) -> bool {
        self.cuts.as_ref().is_some_and(|cuts| cuts.strength == 0.0)
            || self.strength_map.as_ref().is_some_and(|map| map.low == 0.0 || map.high == 0.0)
    }

    /// Factors on the strengths of its bonds, from their files.
    pub(super) fn strength_factors(&self, files: &mut Files, at: &At) -> Result<StrengthFactors, Fault> {
        let cuts = self.cuts.as_ref().map(|cuts| cuts.load(files, &at.key("cuts"))).transpose()?;
        let map = match (&self.strength_map, &self.shape) {
            (Some(map), Some(SceneShape::Mesh(mesh))) => Some(map.load(mesh, files, &at.key("strength_map"))?),
            _ => None,
        };
        Ok(StrengthFactors { cuts, map })
    }
}

impl SceneCuts {
    fn load(&self, files: &mut Files, at: &At) -> Result<(FaceSet, f64), Fault> {
        let Self { file, scale, up, .. } = self;
        let mesh = MeshFile { file: file.clone(), scale: *scale, up: *up, object: None, group: None, bodies: None };
        let at = at.key("file");
        let (points, faces) = mesh.triangles(files, &at)?;
        let place = |k: u32| points.get(k as usize).copied().filter(|p| p.iter().all(|x| x.is_finite()));
        let faces: Option<Vec<[Vec3; 3]>> =
            faces.iter().map(|&[a, b, c]| Some([place(a)?, place(b)?, place(c)?])).collect();
        match faces {
            Some(faces) if !faces.is_empty() => Ok((FaceSet::new(faces), self.strength)),
            _ => Err(at.wrong(format!("{}: it has no faces, or a face without its vertices", self.file))),
        }
    }
}

impl SceneStrengthMap {
    fn source(&self) -> MapSource<'_> {
        MapSource { colours: self.colours, texture: self.texture.as_deref() }
    }

    fn load(&self, mesh: &MeshFile, files: &mut Files, at: &At) -> Result<StrengthMap, Fault> {
        Ok(StrengthMap { map: self.source().load(mesh, files, at)?, range: [self.low, self.high] })
    }
}

impl StrengthFactors {
    /// Whether all factors are 1.
    pub(super) fn is_empty(&self) -> bool {
        self.cuts.is_none() && self.map.is_none()
    }

    /// Factor on the strengths of a bond between two points of the body's frame, m.
    pub(super) fn of(&self, ends: [&Vec3; 2]) -> f64 {
        let cut = self.cuts.as_ref().filter(|(faces, _)| faces.crosses(ends)).map_or(1.0, |(_, strength)| *strength);
        cut * self.map.as_ref().map_or(1.0, |map| map.factor(&(0.5 * (ends[0] + ends[1]))))
    }
}

impl StrengthMap {
    fn factor(&self, p: &Vec3) -> f64 {
        let Some(samples) = self.map.samples(p) else { return 1.0 };
        let [(_, first), ..] = samples.map(|(share, colour)| (share, colour.iter().sum::<f64>() / 3.0));
        let value = samples
            .iter()
            .fold(first, |value, (share, colour)| value + share * (colour.iter().sum::<f64>() / 3.0 - first));
        let [low, high] = self.range;
        low + (high - low) * f64::clamp(value, 0.0, 1.0)
    }
}
