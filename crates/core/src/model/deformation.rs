use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use crate::geometry::Vec3;
use crate::geometry::mesh::{DeformingMesh, Mesh};
use crate::geometry::shape::Shape;

/// Deformation of a wall, as a function of time.
#[derive(Debug)]
pub(super) struct Deformation {
    pub mesh: DeformingMesh,
    /// Whether the inside is free.
    is_hollow: bool,
    /// The last shapes asked for.
    last: Mutex<SmallVec<[Arc<Deformed>; Self::KEPT]>>,
}

/// Shape of a deforming wall at one time.
#[derive(Debug)]
pub(super) struct Deformed {
    /// s.
    pub time: f64,
    mesh: Arc<Mesh>,
    /// The solid part, and the same as a union of parts.
    pub shape: Shape,
    pub surface: Shape,
    /// Bounding box, m.
    pub bounds: [Vec3; 2],
}

impl Deformation {
    /// Number of shapes that are kept: those at the ends of a step, and at stages within it.
    const KEPT: usize = 4;

    pub(super) fn new(mesh: DeformingMesh, is_hollow: bool) -> Self {
        Self { mesh, is_hollow, last: Mutex::default() }
    }

    /// The shape at a time (s).
    pub(super) fn at(&self, time: f64) -> Arc<Deformed> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last().iter().find(|known| known.time == time) {
            return known.clone();
        }
        // not while others wait: the tree is built in parallel
        let new = Arc::new(Deformed::new(time, self.mesh.at(time), self.is_hollow));
        let mut last = last();
        if last.len() == Self::KEPT {
            last.remove(0);
        }
        last.push(new.clone());
        new
    }

    /// Velocity (m/s) at the point of the surface nearest to `p` (m).
    pub(super) fn velocity(&self, at: &Deformed, p: &Vec3) -> Vec3 {
        let (triangle, weights) = at.mesh.weights_at(p);
        self.mesh.velocity(at.time, triangle, &weights)
    }
}

impl Deformed {
    fn new(time: f64, mesh: Mesh, is_hollow: bool) -> Self {
        let mesh = Arc::new(mesh);
        let solid = Shape::Mesh(mesh.clone());
        let shape = if is_hollow { Shape::Complement(Box::new(solid)) } else { solid };
        let surface = shape.decomposed().unwrap_or_else(|| shape.clone());
        let bounds = shape.bounds().into();
        Self { time, mesh, shape, surface, bounds }
    }

    /// Displacement (m) since `before` of the point of the surface nearest to `p` (m).
    pub(super) fn moved(&self, before: &Self, p: &Vec3) -> Vec3 {
        let (triangle, weights) = self.mesh.weights_at(p);
        self.mesh.point(triangle, &weights) - before.mesh.point(triangle, &weights)
    }
}
