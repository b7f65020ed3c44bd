use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::Wall;
use rayon::prelude::*;
use serde::Serialize;

use super::camera::Camera;
use super::raster::Hit;
use super::view::View;

/// Infinite plane that balls lie on and cast shadows on. It is seen from above only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Floor {
    /// Unit vector upwards.
    pub normal: Vec3,
    /// Distance from the origin along the normal, m.
    pub offset: f64,
}

impl Floor {
    /// Highest of the walls that are half-spaces at rest and nearly level.
    pub fn among(walls: &[Wall], up: &Vec3) -> Option<Self> {
        /// Least cosine of the inclination.
        const LEVEL: f64 = 0.7;
        let planes = walls.iter().filter(|wall| wall.is_fixed()).filter_map(|wall| plane(wall.shape()));
        let floors = planes.filter(|floor| floor.normal.dot(up) > LEVEL);
        floors.max_by(|a, b| a.offset.total_cmp(&b.offset))
    }

    /// Draw the floor into the hits of `camera`.
    pub(super) fn draw(&self, camera: &Camera, hits: &mut [Hit]) {
        let height = self.normal.dot(&camera.eye) - self.offset;
        let normal = camera.of_world(&self.normal);
        if height <= 0.0 {
            return;
        }
        hits.par_chunks_mut(camera.size()[0]).enumerate().for_each(|(y, row)| {
            for (x, hit) in row.iter_mut().enumerate() {
                let depth = (-height / normal.dot(&camera.ray(x, y))) as f32;
                if depth > 0.0 && depth < hit.depth {
                    *hit = Hit { depth, id: Hit::FLOOR };
                }
            }
        });
    }
}

fn plane(shape: &Shape) -> Option<Floor> {
    match shape {
        Shape::HalfSpace(HalfSpace { normal, offset }) => Some(Floor { normal: *normal, offset: *offset }),
        Shape::Placed { shape, position, rotation } => {
            let Floor { normal, offset } = plane(shape)?;
            let normal = rotation::rotate(rotation, &normal);
            Some(Floor { normal, offset: offset + normal.dot(position) })
        }
        _ => None,
    }
}
