//! Colours painted on the mesh of a body.

use std::sync::Arc;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::FaceSet;

use super::check::{At, Fault};
use super::files::Files;
use super::texture::Texture;
use super::{MeshFile, SceneBody, SceneShape};

/// Colour with red, green and blue from 0 to 1.
pub(super) type Colour = [f64; 3];

/// Origin of a map's colours, as its keys `colours` and `texture` give it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapSource<'a> {
    pub colours: bool,
    pub texture: Option<&'a str>,
}

/// Colours at the corners of a mesh's faces.
#[derive(Clone, Debug)]
pub(super) struct SurfaceMap {
    faces: FaceSet,
    corners: Vec<[Vec3; 3]>,
    colours: FaceColours,
}

#[derive(Clone, Debug)]
enum FaceColours {
    /// Colours at the corners of each face.
    Corners(Vec<[Colour; 3]>),
    /// Texture and its coordinates at the corners of each face.
    Texture(Arc<Texture>, Vec<[[f64; 2]; 3]>),
}

impl MapSource<'_> {
    /// Check that the map has one origin, and the body a mesh.
    pub(super) fn check(self, body: &SceneBody, at: &At) -> Result<(), Fault> {
        if self.colours == self.texture.is_some() {
            let wrong = at.wrong("the map has either colours = true, or a texture");
            return Err(wrong.help("write colours = true for those of the mesh's vertices, or texture = \"map.png\""));
        }
        match &body.shape {
            Some(SceneShape::Mesh(_)) => Ok(()),
            _ => Err(at
                .wrong("only the mesh of a file has colours and texture coordinates")
                .help("give it as the shape")),
        }
    }

    /// Map on the mesh of a file.
    pub(super) fn load(self, mesh: &MeshFile, files: &mut Files, at: &At) -> Result<SurfaceMap, Fault> {
        let polygons = mesh.load_polygons(files, at)?;
        let (mut corners, mut places) = (Vec::new(), Vec::new());
        for face in polygons.faces() {
            for pair in face.windows(2).skip(1) {
                corners.push([face[0], pair[0], pair[1]].map(|corner| polygons.points[corner.point as usize]));
                places.push([face[0], pair[0], pair[1]].map(|corner| (corner.point as usize, corner.uv)));
            }
        }
        let colours = match self.texture {
            Some(file) => {
                let at = at.key("texture");
                if !polygons.has_uv {
                    let wrong = at.wrong(format!("{} has no texture coordinates", mesh.file));
                    return Err(wrong.help("unwrap the mesh, and export it as OBJ with vt"));
                }
                if let Some(line) = &polygons.wrong_uv {
                    return Err(at.wrong(format!("{line}: no texture coordinates")).help("export the mesh again"));
                }
                let uv = places.iter().map(|face| face.map(|(_, uv)| uv)).collect();
                FaceColours::Texture(files.texture(file, &at)?, uv)
            }
            None => {
                let wrong = |why: String| {
                    let help = "paint all vertices, with parts from 0 to 1 or whole ones to 255, and export OBJ lines \
                                `v x y z r g b`, or PLY with red, green and blue";
                    at.key("colours").wrong(format!("{}: {why}", mesh.file)).help(help)
                };
                if polygons.colours.is_empty() {
                    return Err(wrong("its vertices have no colours".to_owned()));
                }
                let is_wrong = |colour: &Colour| colour.iter().any(|part| !(0.0..=1.0 + ROUNDING).contains(part));
                let mut points = places.iter().flatten().map(|(point, _)| *point);
                if let Some(k) = points.find(|&point| is_wrong(&polygons.colours[point])) {
                    let [p, colour] = [polygons.points[k].into(), polygons.colours[k]];
                    let is_none = colour.iter().all(|part| part.is_nan());
                    let has = if is_none {
                        "no colour".to_owned()
                    } else {
                        format!("the colour {colour:?}, where white is 1")
                    };
                    return Err(wrong(format!("its vertex at {p:?} m has {has}")));
                }
                let colour = |point: usize| polygons.colours[point].map(|part| part.min(1.0));
                FaceColours::Corners(places.iter().map(|face| face.map(|(point, _)| colour(point))).collect())
            }
        };
        Ok(SurfaceMap { faces: FaceSet::new(corners.clone()), corners, colours })
    }
}

/// Share of white by which the rounding of a colour may be above it.
const ROUNDING: f64 = 1e-5;

impl SurfaceMap {
    /// Whether all colours fulfil a condition.
    pub(super) fn all(&self, mut holds: impl FnMut(Colour) -> bool) -> bool {
        match &self.colours {
            FaceColours::Corners(colours) => colours.as_flattened().iter().all(|colour| holds(*colour)),
            FaceColours::Texture(texture, _) => texture.pixels().all(holds),
        }
    }

    /// Colours around the place that is nearest to a point of the body's frame (m), with their shares. None without faces.
    pub(super) fn samples(&self, p: &Vec3) -> Option<[(f64, Colour); 4]> {
        let (face, nearest) = self.faces.nearest(p, f64::INFINITY)?;
        let shares = shares(&self.corners[face], &nearest);
        Some(match &self.colours {
            FaceColours::Corners(colours) => {
                let [a, b, c] = [0, 1, 2].map(|k| (shares[k], colours[face][k]));
                [a, b, c, (0.0, a.1)]
            }
            FaceColours::Texture(texture, uv) => {
                texture.samples([0, 1].map(|axis| (0..3).map(|k| shares[k] * uv[face][k][axis]).sum()))
            }
        })
    }
}

/// Barycentric coordinates of a point of a triangle.
fn shares([a, b, c]: &[Vec3; 3], p: &Vec3) -> [f64; 3] {
    let normal = (b - a).cross(&(c - a));
    let size = normal.norm_squared();
    if size == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let of = |from: &Vec3, to: &Vec3| (normal.dot(&(to - from).cross(&(p - from))) / size).clamp(0.0, 1.0);
    let [of_a, of_b] = [of(b, c), of(c, a)];
    [of_a, of_b, (1.0 - of_a - of_b).max(0.0)]
}
