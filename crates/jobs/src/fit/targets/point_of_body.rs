use bdem_core::geometry::{Mat3, Vec3};
use bdem_core::model::World;

/// Point of a body, whose displacement is a weighted sum of those of particles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointOfBody {
    /// Particles and their weights, which add up to 1.
    weights: Vec<(u32, f64)>,
}

/// Distance of a point from the nearest centre beyond which it is of no body, in radii. The corner of a box of cubically
/// packed particles is at 1.7 of them.
const REACH: f64 = 4.0;

/// Distance at which a weight has half of its greatest value, in radii: nearer points are centres.
const AT_CENTRE: f64 = 1e-3;

/// Share of the largest spread of particles below which they have none in a direction, as in a sheet.
const FLAT: f64 = 1e-6;

impl PointOfBody {
    /// A particle's centre.
    pub(super) fn particle(index: u32) -> Self {
        Self { weights: vec![(index, 1.0)] }
    }

    /// Point `x` (m) of the body of the nearest of `p`, the particles' positions, by interpolating moving least squares with
    /// weights of the distance to the power -4: Lancaster and Salkauskas, Math. Comp. 37 (1981). Displacements that are linear
    /// in space are exact, rotations among them, also outside the centres; so is any displacement at a centre.
    ///
    /// # Errors
    /// The distance (m) of the nearest particle, if that is too far.
    pub(super) fn new(x: Vec3, world: &World, p: &[Vec3]) -> Result<Self, f64> {
        let nearest = (0..p.len()).min_by(|&a, &b| (p[a] - x).norm_squared().total_cmp(&(p[b] - x).norm_squared()));
        let nearest = nearest.expect("a scene has particles") as u32;
        let (distance, radius) = ((p[nearest as usize] - x).norm(), world.particles.radius[nearest as usize]);
        if distance > REACH * radius {
            return Err(distance);
        }
        let near = within_two_bonds(world, nearest);
        let share = |i: u32| ((p[i as usize] - x).norm_squared() / (radius * radius) + AT_CENTRE * AT_CENTRE).powi(-2);
        let sum: f64 = near.iter().map(|&i| share(i)).sum();
        let centre = near.iter().map(|&i| p[i as usize] * (share(i) / sum)).sum::<Vec3>();
        let spread = near.iter().map(|&i| {
            let off = p[i as usize] - centre;
            off * off.transpose() * (share(i) / sum)
        });
        let along = inverse_in_span(spread.sum::<Mat3>()) * (x - centre);
        let weight = |i: u32| share(i) / sum * (1.0 + (p[i as usize] - centre).dot(&along));
        Ok(Self { weights: near.into_iter().map(|i| (i, weight(i))).collect() })
    }

    /// Displacement between two sets of the particles' positions.
    pub(super) fn displacement(&self, from: &[Vec3], to: &[Vec3]) -> Vec3 {
        self.weights.iter().map(|&(i, weight)| (to[i as usize] - from[i as usize]) * weight).sum()
    }

    /// Adds the derivative by the particles' positions of what has this one by the displacement.
    pub(super) fn add_gradient(&self, by_displacement: Vec3, to: &mut [Vec3]) {
        for &(i, weight) in &self.weights {
            to[i as usize] += by_displacement * weight;
        }
    }
}

/// Particles that are at most two bonds away, in their order.
fn within_two_bonds(world: &World, from: u32) -> Vec<u32> {
    let mut near = vec![from];
    for _ in 0..2 {
        let is_near = |i: &u32| near.binary_search(i).is_ok();
        let ends = world.whole_bonds().map(|bond| [bond.i, bond.j]).filter(|ends| ends.iter().any(is_near));
        let next: Vec<u32> = ends.flatten().collect();
        near.extend(next);
        near.sort_unstable();
        near.dedup();
    }
    near
}

/// Inverse of a symmetric positive matrix in the span of its columns.
fn inverse_in_span(matrix: Mat3) -> Mat3 {
    let eigen = matrix.symmetric_eigen();
    let least = FLAT * eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|x| if x > least { 1.0 / x } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}
