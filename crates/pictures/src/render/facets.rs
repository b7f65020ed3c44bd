use bdem_core::geometry::Vec3;
use rayon::prelude::*;

use crate::pieces::ColliderMesh;
use crate::surface::SurfaceMesh;

use super::camera::Camera;
use super::raster::{Hit, Thing, draw};
use super::view::{Outline, View};

/// Triangles with smooth shading.
#[derive(Clone, Debug, Default)]
pub(super) struct Facets {
    /// Positions of the vertices, m.
    pub places: Vec<Vec3>,
    /// Unit normals of the vertices.
    normals: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl From<&SurfaceMesh> for Facets {
    fn from(mesh: &SurfaceMesh) -> Self {
        if mesh.normals.len() != mesh.corners.len() {
            return (&mesh.clone().with_mean_normals()).into();
        }
        let vector = |[x, y, z]: [f32; 3]| Vec3::new(x.into(), y.into(), z.into());
        Self {
            places: mesh.corners.iter().map(|corner| vector([corner.x, corner.y, corner.z])).collect(),
            normals: mesh.normals.iter().map(|normal| vector(*normal)).collect(),
            triangles: mesh.triangles.clone(),
        }
    }
}

impl Facets {
    /// Colliders in their poses at `time` (s), divided where they reach behind the eye of `camera`.
    pub(super) fn of_colliders(colliders: &[ColliderMesh], time: f64, camera: &Camera) -> Self {
        let mut all = Self::default();
        for collider in colliders {
            let (pose, first) = (collider.pose(time), all.places.len() as u32);
            let mesh = collider.mesh_at(time);
            for &[x, y, z, nx, ny, nz, ..] in &mesh.vertices {
                all.places.push(pose.apply(&Vec3::new(x.into(), y.into(), z.into())));
                all.normals.push(pose.rotate(&Vec3::new(nx.into(), ny.into(), nz.into())));
            }
            all.triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        }
        for corners in std::mem::take(&mut all.triangles) {
            all.divide(corners, &camera.depths(corners.map(|corner| all.places[corner as usize])));
        }
        all
    }

    /// Adds a triangle as one, or as three where its vertices' depths (m) have both signs.
    fn divide(&mut self, corners: [u32; 3], depths: &[f64; 3]) {
        let behind = depths.map(|depth| depth < 0.0);
        let Some(odd) =
            (0..3).find(|k| behind[(k + 1) % 3] == behind[(k + 2) % 3] && behind[*k] != behind[(k + 1) % 3])
        else {
            return self.triangles.push(corners);
        };
        let [a, b, c] = [0, 1, 2].map(|k| (odd + k) % 3);
        let [ab, ac] = [b, c].map(|other| {
            let share = depths[a] / (depths[a] - depths[other]);
            let [from, to] = [a, other].map(|k| corners[k] as usize);
            self.places.push(self.places[from].lerp(&self.places[to], share));
            self.normals.push(self.normals[from].lerp(&self.normals[to], share));
            self.places.len() as u32 - 1
        });
        let [a, b, c] = [a, b, c].map(|k| corners[k]);
        self.triangles.extend([[a, ab, ac], [ab, b, c], [ab, c, ac]]);
    }

    /// Number of triangles.
    pub(super) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Vertices of triangle `i`.
    pub(super) fn corners(&self, i: usize) -> [usize; 3] {
        self.triangles[i].map(|corner| corner as usize)
    }

    /// Draw the triangles, numbered from `first`, into the hits of `view`.
    pub(super) fn draw(&self, view: &impl View, first: u32, hits: &mut [Hit]) {
        draw(
            view,
            self.triangles.par_iter().map(|corners| corners.map(|corner| self.places[corner as usize])),
            first,
            hits,
        );
    }

    /// Barycentric coordinates of a point (m) on triangle `i`.
    pub(super) fn shares(&self, i: usize, place: &Vec3) -> [f64; 3] {
        let [a, b, c] = self.corners(i).map(|corner| self.places[corner] - place);
        let areas = [b.cross(&c), c.cross(&a), a.cross(&b)];
        let whole = areas[0] + areas[1] + areas[2];
        areas.map(|area| area.dot(&whole) / whole.norm_squared())
    }

    /// Outward unit normal at these barycentric coordinates of triangle `i`; that of the triangle where its vertices have none.
    pub(super) fn normal(&self, i: usize, shares: [f64; 3]) -> Vec3 {
        let corners = self.corners(i);
        let sum: Vec3 = corners.iter().zip(shares).map(|(&corner, share)| self.normals[corner] * share).sum();
        let flat = || area_vector(&corners.map(|corner| self.places[corner])).try_normalize(0.0).unwrap_or_default();
        sum.try_normalize(0.0).unwrap_or_else(flat)
    }
}

/// Outward normal of a triangle, twice as long as its area.
fn area_vector([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}

/// Triangle of three vertices, counterclockwise as seen from outside. It is seen from there only.
impl Thing for [Vec3; 3] {
    /// Vertices in the picture, clockwise with rows downwards, and their levels.
    type Seen = [[f64; 3]; 3];

    fn seen(&self, view: &impl View) -> Option<(Self::Seen, Outline)> {
        let project = |place: &Vec3| view.project(&view.see(place));
        let [a, c, b] = [project(&self[0])?, project(&self[1])?, project(&self[2])?];
        let ends = |axis: usize| [a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis])];
        let is_outside = turn(&a, &b, [c[0], c[1]]) > 0.0;
        Some(([a, b, c], Outline::between(ends(0), ends(1), view.size()).filter(|_| is_outside)?))
    }

    #[inline]
    fn depth([a, b, c]: &Self::Seen, view: &impl View, [x, y]: [usize; 2], _limit: f64) -> Option<f64> {
        let at = [x as f64 + 0.5, y as f64 + 0.5];
        let shares = [turn(b, c, at), turn(c, a, at), turn(a, b, at)];
        let level = (shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2]) / (shares[0] + shares[1] + shares[2]);
        shares.iter().all(|share| *share >= 0.0).then(|| view.away(level))
    }
}

/// Twice the area of a triangle in a picture, positive if clockwise with rows downwards.
fn turn(a: &[f64; 3], b: &[f64; 3], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
