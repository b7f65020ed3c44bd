use bdem_core::geometry::{Mat3, Quat, Vec3};
use bdem_run::mesh::Polygons;
use nalgebra::{Rotation3, UnitQuaternion};

use super::eigen::symmetric_eigen;

/// Volume (m3), centroid (m) and inertia about the centroid (m5) of a closed mesh of unit density.
///
/// Sums over the tetrahedra from a point inside the bounding box to each triangle of each face's fan.
pub(super) fn mass_properties(mesh: &Polygons) -> (f64, Vec3, Mat3) {
    let apex = mesh.points.first().copied().unwrap_or_default();
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for face in mesh.faces() {
        let place = |k: usize| mesh.points[face[k].point as usize] - apex;
        for k in 1..face.len() - 1 {
            let [a, b, c] = [place(0), place(k), place(k + 1)];
            let part = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            first += sum * (part / 4.0);
            // integral of x x^T over a tetrahedron with a corner at the origin
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (squares + sum * sum.transpose()) * (part / 20.0);
        }
    }
    let offset = if volume == 0.0 { Vec3::zeros() } else { first / volume };
    let second = second - offset * offset.transpose() * volume;
    (volume, apex + offset, Mat3::identity() * second.trace() - second)
}

/// Principal moments of an inertia, and the rotation from their axes to those of the inertia. That of a diagonal inertia is the
/// identity.
pub(crate) fn principal_moments(inertia: &Mat3) -> (Vec3, Quat) {
    let (moments, axes) = symmetric_eigen(*inertia);
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)).into_inner();
    (moments, if turn.w < 0.0 { -turn } else { turn })
}
