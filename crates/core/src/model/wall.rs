use std::sync::Arc;

use crate::geometry::mesh::DeformingMesh;
use crate::geometry::{Quat, Vec3, shape::Shape};

use super::deformation::Deformation;
use super::{Motion, PlacedWall, WallContact, WallStep};

/// A wall in contact with particles. It is rigid, or a mesh that deforms.
#[derive(Clone, Debug)]
pub struct Wall {
    /// The solid part, at time 0.
    shape: Shape,
    /// The shape as a union of parts, of a composite one: see [`Shape::decomposed`].
    parts: Option<Arc<Shape>>,
    is_thin: bool,
    deformation: Option<Arc<Deformation>>,
    /// Motion of the shape from time 0 on.
    pub motion: Motion,
    /// Bounding box of the shape, m; infinite for an unbounded shape.
    bounds: [Vec3; 2],
    /// Coefficient of sliding friction mu_d; the particle's if `None`.
    pub friction: Option<f64>,
    /// Coefficient of static friction mu_s >= mu_d; present with `friction`.
    pub static_friction: Option<f64>,
}

impl Wall {
    /// A fixed wall without own friction.
    pub fn new(shape: Shape) -> Self {
        let bounds = shape.bounds().into();
        let parts = shape.decomposed().map(Arc::new);
        let is_thin = parts.is_none() && shape.is_thin(0);
        let motion = Motion::Fixed;
        Self { shape, parts, is_thin, deformation: None, motion, bounds, friction: None, static_friction: None }
    }

    /// A wall that deforms, without own friction. With `is_hollow` the inside of the mesh is free.
    pub fn deforming(mesh: DeformingMesh, is_hollow: bool) -> Self {
        let deformation = Arc::new(Deformation::new(mesh, is_hollow));
        Self { deformation: Some(deformation.clone()), ..Self::new(deformation.at(0.0).shape.clone()) }
    }

    /// The mesh that deforms.
    pub fn deforming_mesh(&self) -> Option<&DeformingMesh> {
        self.deformation().map(|deformation| &deformation.mesh)
    }

    pub(super) fn deformation(&self) -> Option<&Deformation> {
        self.deformation.as_deref()
    }

    /// Whether the wall is at rest at all times.
    pub fn is_fixed(&self) -> bool {
        self.motion == Motion::Fixed && self.deformation.is_none()
    }

    /// Times (s) at which its velocities jump.
    pub(super) fn turns(&self) -> Vec<f64> {
        let poses = self.deforming_mesh().map_or(&[][..], |mesh| mesh.times());
        self.motion.turns().into_iter().chain(poses.iter().copied()).collect()
    }

    /// The solid part, at time 0.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The solid part at time 0 as a union of parts.
    pub fn surface(&self) -> &Shape {
        self.parts.as_deref().unwrap_or(&self.shape)
    }

    /// Whether a sphere may touch it in several points, which are searched for.
    pub(crate) fn is_composite(&self) -> bool {
        self.parts.is_some()
    }

    /// Whether it is a single solid that a small sphere can come out of on the other side.
    pub(crate) fn is_thin(&self) -> bool {
        self.is_thin
    }

    /// Maximum number of contacts with one sphere.
    pub(crate) fn max_contacts(&self) -> usize {
        if self.is_composite() { WallContact::MOST } else { 1 }
    }

    /// Low and high corner (m) of the bounding box at time 0; infinite for an unbounded wall.
    pub(crate) fn bounds(&self) -> &[Vec3; 2] {
        &self.bounds
    }

    /// Whether the wall has a finite bounding box.
    pub(crate) fn is_bounded(&self) -> bool {
        self.bounds.iter().all(|corner| corner.sum().is_finite())
    }

    /// The rigid wall at another place, moved by `shift` (m).
    pub fn shifted(&self, shift: Vec3) -> Self {
        let rotation = Quat::identity();
        let shape = Shape::Placed { shape: Box::new(self.shape.clone()), position: shift, rotation };
        let Self { motion, friction, static_friction, .. } = self.clone();
        Self { motion, friction, static_friction, ..Self::new(shape) }
    }

    /// The wall at `time` (s).
    pub fn at(&self, time: f64) -> PlacedWall<'_> {
        PlacedWall::new(self, time)
    }

    /// The wall in a step between two times (s).
    pub fn during(&self, [from, to]: [f64; 2]) -> WallStep<'_> {
        WallStep { start: self.at(from), end: self.at(to) }
    }
}
