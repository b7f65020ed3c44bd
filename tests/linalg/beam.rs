//! A beam of close-packed bonded particles, and the Gauss-Newton matrix of an implicit step from rest.

use std::collections::HashMap;
use std::f64::consts::PI;

use bdem_core::internals::linalg::{BlockMatrix, NodeTerm, PairOperator, PairTerm, Vec6};
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};

type Row<const N: usize> = SMatrix<f64, N, 12>;

const E: f64 = 1e7;
const G: f64 = 0.4 * E;
const RHO: f64 = 2600.0;

/// A pseudo-random number in -1..1 for each `k`: the fractional parts of a golden-ratio sequence.
pub(crate) fn noise(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0
}

/// Particles of one radius and their bonds; those at x < 2.5 r are held if `held` says so.
pub(crate) struct Beam {
    pub radius: f64,
    pub positions: Vec<Vector3<f64>>,
    pub pairs: Vec<[u32; 2]>,
    pub held: Vec<bool>,
}

impl Beam {
    /// A hexagonal close packing of a box, as `beam.py` of the peers packs it: rows along x, staggered ends kept, sorted by x.
    pub(crate) fn new(radius: f64, size: [f64; 3]) -> Self {
        let (s3, s6) = (3f64.sqrt(), 6f64.sqrt());
        let count = |length: f64, pitch: f64| ((length / radius - 2.0 + 1e-9) / pitch) as usize + 1;
        let [nx, ny, nz] = [count(size[0], 2.0), count(size[1], s3), count(size[2], 2.0 * s6 / 3.0)];
        let mut positions = Vec::new();
        for (k, j, i) in (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (k, j, i)))) {
            let x = (2 * i + (j + k) % 2) as f64;
            let y = s3 * (j as f64 + (k % 2) as f64 / 3.0);
            positions.push((Vector3::new(x, y, 2.0 * s6 / 3.0 * k as f64) + Vector3::repeat(1.0)) * radius);
        }
        positions.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        let pairs = touching(&positions, 2.0 * radius * 1.001);
        let held = positions.iter().map(|p| p.x < 2.5 * radius).collect();
        Self { radius, positions, pairs, held }
    }

    /// The beam of 18972 particles and 106501 bonds that the peers were measured on.
    pub(crate) fn peers() -> Self {
        Self::new(0.01, [1.25, 0.3, 0.3])
    }

    /// A short one, of some 500 particles.
    pub(crate) fn small() -> Self {
        Self::new(0.01, [0.3, 0.1, 0.1])
    }

    /// The same, with nothing held.
    pub(crate) fn free(mut self) -> Self {
        self.held.fill(false);
        self
    }

    /// Another one `distance` m away in z, not bonded to this.
    pub(crate) fn with_twin(mut self, distance: f64) -> Self {
        let nodes = self.nodes() as u32;
        self.positions.extend_from_within(..);
        self.positions[nodes as usize..].iter_mut().for_each(|p| p.z += distance);
        self.pairs.extend_from_within(..);
        let bonds = self.pairs.len() / 2;
        self.pairs[bonds..].iter_mut().flatten().for_each(|i| *i += nodes);
        self.held.extend_from_within(..);
        self
    }

    /// The same without the bonds for which `broken(index, pair)`.
    pub(crate) fn without(mut self, broken: impl Fn(usize, [u32; 2]) -> bool) -> Self {
        let mut index = 0..;
        self.pairs.retain(|&pair| !broken(index.next().expect("endless"), pair));
        self
    }

    pub(crate) fn nodes(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn lengths(&self) -> Vec<f64> {
        vec![self.radius; self.nodes()]
    }

    /// The period T = 2 r sqrt(rho/(6 E)) that steps are counted in, s.
    pub(crate) fn period(&self) -> f64 {
        2.0 * self.radius * (RHO / (6.0 * E)).sqrt()
    }

    /// Inertia of a particle over dt^2, N/m, for a step of `periods` T.
    fn inertia(&self, periods: f64) -> f64 {
        let mass = RHO * 4.0 / 3.0 * PI * self.radius.powi(3) / (periods * self.period()).powi(2);
        // An unbonded particle would have no stiffness at all when static.
        mass.max(1e-9 * E * self.radius)
    }

    /// [`Self::matrix`] as a sum over pairs, but for the diagonal blocks of held particles, which are inertia alone.
    pub(crate) fn operator(&self, periods: f64) -> PairOperator {
        let mut operator = PairOperator::new(&self.pairs, &self.held, Vec::new());
        let mass = self.inertia(periods) as f32;
        let node = NodeTerm { diagonal: [mass, 0.4 * mass], extra: None };
        operator.fill(|k| self.term(k), |_| node);
        operator
    }

    /// The bond `k`: see [`Self::bond`].
    pub(crate) fn term(&self, k: usize) -> PairTerm {
        let [i, j] = self.pairs[k].map(|i| i as usize);
        let d = self.positions[j] - self.positions[i];
        let (l, r) = (d.norm(), self.radius);
        let (area, inertia) = (PI * r * r, PI * r.powi(4) / 4.0);
        let arm = d / (2.0 * r);
        let [n, s, t, b] = [E * area / l, G * area / l, G * 2.0 * inertia / (l * r * r), E * inertia / (l * r * r)];
        let squared = arm.norm_squared();
        PairTerm {
            arm: [arm.x, arm.y, arm.z].map(|e| e as f32),
            shear: s as f32,
            geometric: 0.0,
            axial: ((n - s) / squared) as f32,
            bend: b as f32,
            twist: ((t - b) / squared) as f32,
        }
    }

    /// Inertia over dt^2 plus bond stiffness, for a step of `periods` T (infinite: static). Held particles are cut off.
    pub(crate) fn matrix(&self, periods: f64) -> BlockMatrix<f64> {
        let (mut matrix, slots) = BlockMatrix::from_pairs(self.nodes(), self.pairs.iter().copied());
        let diagonal = matrix.diagonal_slots().to_vec();
        let mass = self.inertia(periods);
        let inertia = Matrix6::from_diagonal(&[mass, mass, mass, 0.4 * mass, 0.4 * mass, 0.4 * mass].into());
        let mut add = |slot: u32, block: Matrix6<f64>| matrix.blocks_mut()[slot as usize] += &(&block).into();
        diagonal.iter().for_each(|&slot| add(slot, inertia));
        for (&[i, j], [ij, ji]) in self.pairs.iter().zip(slots) {
            let [i, j] = [i as usize, j as usize];
            let hessian = self.bond(i, j);
            let block = |row: usize, column: usize| hessian.fixed_view::<6, 6>(6 * row, 6 * column).into_owned();
            add(diagonal[i], block(0, 0));
            add(diagonal[j], block(1, 1));
            if !self.held[i] && !self.held[j] {
                add(ij, block(0, 1));
                add(ji, block(1, 0));
            }
        }
        matrix
    }

    /// Gauss-Newton Hessian of a bond in (dp_i, r dtheta_i, dp_j, r dtheta_j):
    /// 1/2 k_n (n.u)^2 + 1/2 k_s |(I - n n^T) u/l - s x n|^2 + 1/2 k_b |t|^2 + 1/2 (k_t - k_b) (n.t)^2.
    fn bond(&self, i: usize, j: usize) -> SMatrix<f64, 12, 12> {
        let d = self.positions[j] - self.positions[i];
        let (l, n) = (d.norm(), d.normalize());
        let r = self.radius;
        let (area, inertia) = (PI * r * r, PI * r.powi(4) / 4.0);
        let (k_n, k_s) = (E * area / l, G * area * l);
        let (k_t, k_b) = (G * 2.0 * inertia / l, E * inertia / l);
        let rows = |dp_i: f64, theta_i: f64, dp_j: f64, theta_j: f64| {
            let mut rows = Row::<3>::zeros();
            for (part, factor) in [dp_i, theta_i / r, dp_j, theta_j / r].into_iter().enumerate() {
                rows.fixed_view_mut::<3, 3>(0, 3 * part).fill_with_identity();
                rows.fixed_view_mut::<3, 3>(0, 3 * part).scale_mut(factor);
            }
            rows
        };
        let u = rows(-1.0, 0.0, 1.0, 0.0);
        let s = rows(0.0, 0.5, 0.0, 0.5);
        let t = rows(0.0, 1.0, 0.0, -1.0);
        let shear = (Matrix3::identity() - n * n.transpose()) / l * u + n.cross_matrix() * s;
        let (stretch, twist): (Row<1>, Row<1>) = (n.transpose() * u, n.transpose() * t);
        stretch.transpose() * stretch * k_n
            + shear.transpose() * shear * k_s
            + t.transpose() * t * k_b
            + twist.transpose() * twist * (k_t - k_b)
    }

    /// A load: gravity on every particle that is free, and a little noise in all six.
    pub(crate) fn load(&self) -> Vec<Vec6<f64>> {
        let load = |i: usize| {
            let mut load = [0.0; 6];
            if !self.held[i] {
                (0..6).for_each(|k| load[k] = 0.05 * noise(6 * i + k));
                load[2] -= 1.0;
            }
            Vec6::new(load)
        };
        (0..self.nodes()).map(load).collect()
    }
}

/// Sorted pairs closer than `reach`.
fn touching(positions: &[Vector3<f64>], reach: f64) -> Vec<[u32; 2]> {
    let cell = |p: &Vector3<f64>| [p.x, p.y, p.z].map(|x| (x / reach).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (i, p) in positions.iter().enumerate() {
        cells.entry(cell(p)).or_default().push(i as u32);
    }
    let mut pairs = Vec::new();
    for (i, p) in positions.iter().enumerate() {
        let [x, y, z] = cell(p);
        for k in 0..27 {
            let near = [x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1];
            for &j in cells.get(&near).into_iter().flatten() {
                if j as usize > i && (positions[j as usize] - p).norm() < reach {
                    pairs.push([i as u32, j]);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[test]
fn the_peers_beam_is_theirs() {
    let beam = Beam::peers();
    assert_eq!((beam.nodes(), beam.pairs.len()), (18972, 106_501));
}
