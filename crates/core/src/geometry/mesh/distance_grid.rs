use super::Mesh;
use crate::geometry::Vec3;
use crate::parallel;

/// Signed distance of a mesh on a grid of nodes, with trilinear interpolation.
#[derive(Clone, Debug)]
pub struct DistanceGrid {
    low: Vec3,
    spacing: f64,
    /// Number of nodes along each axis, at least two.
    nodes: [usize; 3],
    /// Signed distances, m, x fastest.
    distances: Vec<f64>,
}

/// Maximum number of nodes: 8 MB, and some seconds on one thread.
const MAX_NODES: f64 = 1e6;

impl DistanceGrid {
    /// A node every `spacing` (m) in the mesh's bounding box enlarged by `margin` (m), both positive. The spacing grows
    /// where it would need more than 1e6 nodes.
    pub fn new(mesh: &Mesh, spacing: f64, margin: f64) -> Self {
        let (low, high) = mesh.bounds();
        let (low, sides) = (low.add_scalar(-margin), (high - low).add_scalar(2.0 * margin));
        let count = |spacing: f64| sides.map(|side| (side / spacing).ceil() + 1.0);
        let mut spacing = spacing;
        while count(spacing).product() > MAX_NODES {
            spacing *= libm::cbrt(count(spacing).product() / MAX_NODES).max(1.01);
        }
        let nodes = [0, 1, 2].map(|axis| count(spacing)[axis] as usize);
        let at =
            |n: usize| [n % nodes[0], n / nodes[0] % nodes[1], n / nodes[0] / nodes[1]].map(|i| i as f64 * spacing);
        let distance = |n| mesh.distance(&(low + Vec3::from(at(n))));
        let distances = parallel::map(nodes.iter().product(), 1, distance);
        Self { low, spacing, nodes, distances }
    }

    /// Distance (m) from `p` to the surface, negative inside, and its normalised gradient. Outside of the grid the
    /// distance to its boundary is added.
    pub fn distance_and_normal(&self, p: &Vec3) -> (f64, Vec3) {
        let last = Vec3::from(self.nodes.map(|n| (n - 1) as f64));
        let scaled = (p - self.low) / self.spacing;
        let within = scaled.sup(&Vec3::zeros()).inf(&last);
        let (distance, slope) = self.interpolate(&within, &last);
        let beyond = (scaled - within) * self.spacing;
        let normal = (slope * self.spacing.max(distance.abs()) + beyond).try_normalize(0.0).unwrap_or_else(Vec3::z);
        (distance + beyond.norm(), normal)
    }

    /// Distance (m) and its gradient at a position in units of the spacing.
    fn interpolate(&self, at: &Vec3, last: &Vec3) -> (f64, Vec3) {
        let cell = at.map(f64::floor).inf(&last.add_scalar(-1.0));
        let [x, y, z] = (at - cell).into();
        let [i, j, k] = [cell.x, cell.y, cell.z].map(|c| c as usize);
        let along_x = |j: usize, k: usize| {
            let n = i + self.nodes[0] * (j + self.nodes[1] * k);
            let (a, b) = (self.distances[n], self.distances[n + 1]);
            (a + (b - a) * x, b - a)
        };
        let rows = [along_x(j, k), along_x(j + 1, k), along_x(j, k + 1), along_x(j + 1, k + 1)];
        let mix = |[a, b]: [f64; 2], share: f64| a + (b - a) * share;
        let [d, dx] = [rows.map(|row| row.0), rows.map(|row| row.1)];
        let (near, far) = (mix([d[0], d[1]], y), mix([d[2], d[3]], y));
        let slope_x = mix([mix([dx[0], dx[1]], y), mix([dx[2], dx[3]], y)], z);
        let slope_y = mix([d[1] - d[0], d[3] - d[2]], z);
        (mix([near, far], z), Vec3::new(slope_x, slope_y, far - near) / self.spacing)
    }
}
