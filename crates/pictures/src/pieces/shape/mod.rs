//! Closed polygon meshes of a scene's shapes, with edges as sharp as drawn.

mod combine;
mod lathe;

use std::cell::RefCell;
use std::f64::consts::TAU;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::files;
use bdem_run::mesh::{PartsOfFile, PolygonCorner, Polygons};
use bdem_run::scene::{MeshFile, SceneShape};

use super::motion::after;
use super::{MeshFault, PieceError};
use lathe::{arc, capsule, half_circle, revolve, segments};

/// Mesher of a body's shape.
pub(super) struct ShapeMesher<'a> {
    /// Name of the body, for errors.
    pub body: &'a str,
    /// Distance (m) of chords from round surfaces, at most.
    pub tolerance: f64,
    /// Parts of the last mesh file of several bodies.
    pub parts: &'a RefCell<PartsOfFile>,
}

impl ShapeMesher<'_> {
    /// Mesh of a shape, and its pose in the body. A mesh file keeps its polygons, and is in its own frame: axes along its
    /// long faces make cutting nine times as fast.
    pub(super) fn mesh(&self, shape: &SceneShape) -> Result<(Polygons, Pose), PieceError> {
        if let SceneShape::Moved { shape, position, rotation } = shape {
            let (mesh, inner) = self.mesh(shape)?;
            let outer = Pose { turn: rotation.quaternion(), shift: Vec3::from(*position) };
            return Ok((mesh, after(&outer, &inner)));
        }
        Ok((self.polygons(shape)?, Pose::default()))
    }

    /// Polygons of a shape in its own frame.
    pub(super) fn polygons(&self, shape: &SceneShape) -> Result<Polygons, PieceError> {
        Ok(match *shape {
            SceneShape::Box { size } => cuboid(&Vec3::from(size)),
            SceneShape::Sphere { radius } => self.turned(radius, |n| half_circle(radius, n)),
            SceneShape::Ellipsoid { radii } => self.ellipsoid(radii),
            SceneShape::Cylinder { radius, height } => {
                let end = 0.5 * height;
                self.turned(radius, |_| vec![[0.0, -end], [radius, -end], [radius, end], [0.0, end]])
            }
            SceneShape::Tube { radius, inner_radius, height } => {
                let end = 0.5 * height;
                let section = vec![[inner_radius, -end], [radius, -end], [radius, end], [inner_radius, end]];
                self.turned(radius, |_| section)
            }
            SceneShape::Cone { radius, top_radius, height } => {
                let end = 0.5 * height;
                let mut section = vec![[0.0, -end], [radius, -end], [top_radius, end], [0.0, end]];
                section.dedup();
                self.turned(radius.max(top_radius), |_| section)
            }
            SceneShape::Capsule { radius, height } => self.turned(radius, |n| capsule(radius, height, n)),
            SceneShape::Torus { radius, tube_radius } => self.torus(radius, tube_radius),
            SceneShape::Revolve { ref profile } => {
                let widest = profile.iter().map(|corner| corner[0]).fold(0.0, f64::max);
                self.turned(widest, |_| profile.clone())
            }
            SceneShape::Mesh(ref file) => self.file(file)?,
            SceneShape::HalfSpace { .. } => return Err(self.fault(MeshFault::Unbounded)),
            SceneShape::Moved { .. } => {
                let (mut mesh, pose) = self.mesh(shape)?;
                mesh.points.iter_mut().for_each(|point| *point = pose.apply(point));
                mesh.corners.iter_mut().for_each(|corner| corner.normal = pose.rotate(&corner.normal));
                mesh
            }
            SceneShape::Union(_) | SceneShape::Intersection(_) | SceneShape::Difference(_) => self.combined(shape)?,
        })
    }

    /// Solid of revolution of a section, of at most this radius (m).
    fn turned(&self, radius: f64, section: impl FnOnce(usize) -> Vec<[f64; 2]>) -> Polygons {
        let segments = segments(radius, self.tolerance);
        revolve(&section(segments), segments)
    }

    fn ellipsoid(&self, radii: [f64; 3]) -> Polygons {
        let longest = radii.into_iter().fold(0.0, f64::max);
        let segments = segments(longest, self.tolerance);
        let mut mesh = revolve(&half_circle(1.0, segments), segments);
        mesh.points.iter_mut().for_each(|point| *point = point.component_mul(&Vec3::from(radii)));
        mesh
    }

    fn torus(&self, radius: f64, tube_radius: f64) -> Polygons {
        let around = segments(tube_radius, self.tolerance);
        let mut section = arc([radius, 0.0], tube_radius, [0.0, TAU], around);
        section.pop();
        revolve(&section, segments(radius + tube_radius, self.tolerance))
    }

    fn file(&self, mesh: &MeshFile) -> Result<Polygons, PieceError> {
        let (body, file) = (self.body.to_owned(), mesh.file.clone().into());
        let read = || files::read(mesh.file.as_ref(), files::MAX_BYTES);
        match mesh.polygons(&mut self.parts.borrow_mut(), read) {
            Ok(polygons) => polygons.map_err(|error| PieceError::File { body, file, error }),
            Err(source) => Err(PieceError::Unreadable { body, file, source }),
        }
    }

    /// Error of the body's mesh.
    fn fault(&self, fault: MeshFault) -> PieceError {
        PieceError::Mesh { body: self.body.to_owned(), fault }
    }
}

/// Box of six quadrilaterals with these sides (m).
fn cuboid(size: &Vec3) -> Polygons {
    /// Corners of each side, counterclockwise as seen from outside. Bit k of a corner is its end of axis k.
    const SIDES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let end = |k: u32, axis: u32| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
    let point = |k: u32| Vec3::new(end(k, 0), end(k, 1), end(k, 2)).component_mul(size);
    let mut mesh = Polygons { points: (0..8).map(point).collect(), ..Polygons::default() };
    for side in SIDES {
        mesh.push(side.map(|point| PolygonCorner { point, ..PolygonCorner::default() }));
    }
    mesh
}
