use bdem_core::geometry::Vec3;
use bdem_run::mesh::Polygons;
use bdem_run::scene::SceneShape;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::BooleanEngine::Exact;
use manifold_rust::types::Error;

use super::{MeshFault, PieceError, ShapeMesher, cuboid};
use crate::pieces::cut::{Solid, polygons_of};

impl ShapeMesher<'_> {
    /// Polygons of a union, intersection or difference.
    pub(super) fn combined(&self, shape: &SceneShape) -> Result<Polygons, PieceError> {
        let solid = self.solid(shape, 0.0)?;
        match solid.status() {
            Error::NoError if solid.num_tri() > 0 => Ok(polygons_of(&solid, None).mesh),
            Error::NoError => Err(self.fault(MeshFault::Empty)),
            error => Err(self.fault(MeshFault::NoSolid { faces: 0, reason: format!("{error:?}") })),
        }
    }

    /// Solid of a shape. Half spaces are boxes that reach as far as `reach` (m) from the origin.
    fn solid(&self, shape: &SceneShape, reach: f64) -> Result<Manifold, PieceError> {
        match shape {
            SceneShape::Union(members) => self.joined(members, reach, Manifold::union_with_engine),
            SceneShape::Intersection(members) => {
                // half spaces last, when the extent of the rest is known
                let (open, mut closed): (Vec<_>, Vec<_>) =
                    members.iter().cloned().partition(|member| matches!(member, SceneShape::HalfSpace { .. }));
                closed.extend(open);
                self.joined(&closed, reach, Manifold::intersection_with_engine)
            }
            SceneShape::Difference(members) => self.joined(members, reach, Manifold::difference_with_engine),
            SceneShape::HalfSpace { normal, offset } if reach > 0.0 => {
                self.import(&half_space(&Vec3::from(*normal).normalize(), *offset, reach))
            }
            single => self.import(&self.polygons(single)?),
        }
    }

    fn joined(&self, members: &[SceneShape], mut reach: f64, join: Join) -> Result<Manifold, PieceError> {
        let mut all: Option<Manifold> = None;
        for member in members {
            let next = self.solid(member, reach)?;
            let whole = match all {
                Some(before) => join(&before, &next, Exact),
                None => next,
            };
            let bounds = whole.bounding_box();
            let far = |low: f64, high: f64| low.abs().max(high.abs());
            let corner =
                [far(bounds.min.x, bounds.max.x), far(bounds.min.y, bounds.max.y), far(bounds.min.z, bounds.max.z)];
            reach = reach.max(2.0 * Vec3::from(corner).norm());
            all = Some(whole);
        }
        all.ok_or_else(|| self.fault(MeshFault::Empty))
    }

    fn import(&self, mesh: &Polygons) -> Result<Manifold, PieceError> {
        Ok(Solid::new(mesh).map_err(|fault| self.fault(fault))?.manifold)
    }
}

type Join = fn(&Manifold, &Manifold, manifold_rust::types::BooleanEngine) -> Manifold;

/// Box below the plane `normal . x = offset` (m), around all points within `reach` (m) of the origin.
fn half_space(normal: &Vec3, offset: f64, reach: f64) -> Polygons {
    let side = 4.0 * (reach + offset.abs());
    let flattest = normal.iamin();
    let u = normal.cross(&Vec3::ith(flattest, 1.0)).normalize();
    let v = normal.cross(&u);
    let mut mesh = cuboid(&Vec3::repeat(side));
    for point in &mut mesh.points {
        // the plane passes through the upper side
        *point = u * point.x + v * point.y + normal * (point.z - 0.5 * side + offset);
    }
    mesh
}
