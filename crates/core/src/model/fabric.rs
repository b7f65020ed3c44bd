//! Young's modulus by direction, from the directions of a body's bonds (its fabric).

use nalgebra::{Matrix6, SMatrix, Vector6};

use super::Bond;
use crate::geometry::{Vec3, on_sphere};

/// Least and greatest Young's modulus over all directions, over the mean of those along the axes, of a solid of these bonds
/// under uniform strain. None where the bonds of a direction resist no pull, as in a sheet.
///
/// `C = sum l0^2 [k_n (n n) (n n) + k_s/l0^2 (B^T B - (n n) (n n))]`, where B takes a strain to its part along n; the
/// compliance is its inverse, and E along d is `1/(d d : C^-1 : d d)`. Particles of a packing without a lattice also move
/// against the uniform strain, which makes it softer in all directions alike.
pub fn youngs_by_direction<'a>(bonds: impl IntoIterator<Item = &'a Bond>) -> Option<[f64; 2]> {
    /// Directions on the sphere, 4 degrees apart.
    const DIRECTIONS: u32 = 2000;
    let mut stiffness = Matrix6::zeros();
    for Bond { d0, l0, k, .. } in bonds {
        let (along, lateral) = (strain_along(d0), strain_at(d0));
        let shear = k.s / (l0 * l0);
        stiffness += l0 * l0 * ((k.n - shear) * along * along.transpose() + shear * lateral.transpose() * lateral);
    }
    let compliance = stiffness.try_inverse()?;
    let young = |d: Vec3| 1.0 / strain_along(&d).dot(&(compliance * strain_along(&d)));
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let mean = axes.map(young).iter().sum::<f64>() / 3.0;
    let all = axes.into_iter().chain((0..DIRECTIONS).map(|n| on_sphere(n, DIRECTIONS))).map(young);
    let [least, greatest] = all.fold([f64::INFINITY, 0.0], |[low, high], e| [low.min(e), high.max(e)]);
    Some([least / mean, greatest / mean]).filter(|of| of.iter().all(|ratio| ratio.is_finite() && *ratio > 0.0))
}

/// Factor of off-diagonal strains, by which products of vectors are those of tensors (Mandel).
const MANDEL: f64 = std::f64::consts::SQRT_2;

/// n n as a vector: its product with a strain is the strain along n.
fn strain_along(n: &Vec3) -> Vector6<f64> {
    let [xy, xz, yz] = [n.x * n.y, n.x * n.z, n.y * n.z].map(|of| MANDEL * of);
    Vector6::new(n.x * n.x, n.y * n.y, n.z * n.z, yz, xz, xy)
}

/// Strain times n, as a matrix of the strain.
fn strain_at(n: &Vec3) -> SMatrix<f64, 3, 6> {
    let [x, y, z] = [n.x, n.y, n.z].map(|of| of / MANDEL);
    SMatrix::from_row_slice(&[
        n.x, 0.0, 0.0, 0.0, z, y, //
        0.0, n.y, 0.0, z, 0.0, x, //
        0.0, 0.0, n.z, y, x, 0.0,
    ])
}
