//! Derivative of work that forces of charges do, by exact pairs.

use super::{COULOMB_CONSTANT, Charges};
use crate::geometry::Vec3;
use crate::parallel;
use crate::simd::dispatch;
use crate::simd::{InstructionSet, Lanes};

/// Charges of one pass of the widest lanes.
const BLOCK: usize = 8;

/// Charges below which a sum stays on one thread: a pair takes about 2 ns.
const SERIAL_PAIRS: usize = 25_000;

/// A charge with its vector: x, y, z, q, and y_i.
type Row = [f64; 7];

/// Derivatives of the sum of y_i . f_i over `charges`, with the forces f_i of \[MSC\] eq 8 (N) and given vectors `y`: by the
/// positions, and by the charges. Sums over all pairs, in order: with r_ij = x_i - x_j and s^2 = r^2 + a^2,
///
/// ```text
/// d/dq_i = k_c sum_j q_j u.r/s^3,    d/dx_i = k_c q_i sum_j q_j (u/s^3 - 3 (u.r) r/s^5),    u = y_i - y_j.
/// ```
///
/// # Panics
/// When there are more or fewer vectors than charges.
pub fn work_derivative(charges: &Charges, y: &[Vec3]) -> (Vec<Vec3>, Vec<f64>) {
    assert_eq!(charges.x.len(), y.len(), "one vector a charge");
    let rows: Vec<Row> = charges.rows().zip(y).map(|([a, b, c, q], y)| [a, b, c, q, y.x, y.y, y.z]).collect();
    let mut sums = vec![[0.0; 4]; rows.len()];
    let (instructions, softening) = (InstructionSet::best(), charges.softening * charges.softening);
    parallel::for_each_chunk(&mut sums, SERIAL_PAIRS / rows.len().max(1), |first, out| {
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            add(instructions, &rows, first + block * BLOCK, softening, out);
        }
    });
    let by_position = sums.iter().zip(charges.q).map(|(s, q)| Vec3::new(s[0], s[1], s[2]) * (COULOMB_CONSTANT * q));
    let by_charge = sums.iter().map(|sum| COULOMB_CONSTANT * sum[3]);
    (by_position.collect(), by_charge.collect())
}

dispatch! {
    /// Sets `out` to the sums of charges from `first` on.
    fn add<'a>(rows: &[Row], first: usize, softening: f64, out: &'a mut [[f64; 4]]) = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(rows: &[Row], first: usize, softening: f64, out: &mut [[f64; 4]]) {
    let mut done = 0;
    while done < out.len() {
        sum::<L>(rows, first + done, softening, &mut out[done..]);
        done += L::COUNT;
    }
}

/// Sums of the charges in lanes from `first` on; the last is repeated.
#[inline(always)]
fn sum<L: Lanes>(rows: &[Row], first: usize, softening: f64, out: &mut [[f64; 4]]) {
    let mut columns = [[0.0; 8]; 7];
    let mut index = [0.0; 8];
    let mut lane = 0;
    while lane < L::COUNT {
        let row = &rows[(first + lane).min(rows.len() - 1)];
        let mut axis = 0;
        while axis < 7 {
            columns[axis][lane] = row[axis];
            axis += 1;
        }
        index[lane] = (first + lane) as f64;
        lane += 1;
    }
    let of = [
        L::load(&columns[0]),
        L::load(&columns[1]),
        L::load(&columns[2]),
        L::load(&columns[4]),
        L::load(&columns[5]),
        L::load(&columns[6]),
    ];
    let index = L::load(&index);
    let mut sums = [L::splat(0.0); 4];
    for (k, source) in rows.iter().enumerate() {
        add_pair(&of, (index, k), source, L::splat(softening), &mut sums);
    }
    let mut stored = [[0.0; 8]; 4];
    let mut axis = 0;
    while axis < 4 {
        sums[axis].store(&mut stored[axis]);
        axis += 1;
    }
    for (lane, out) in out.iter_mut().enumerate().take(L::COUNT) {
        *out = [stored[0][lane], stored[1][lane], stored[2][lane], stored[3][lane]];
    }
}

/// Adds the source of index `k`. The lane of the same index adds nothing.
#[inline(always)]
fn add_pair<L: Lanes>(of: &[L; 6], (index, k): (L, usize), source: &Row, softening: L, sums: &mut [L; 4]) {
    let [dx, dy, dz] = [of[0] - L::splat(source[0]), of[1] - L::splat(source[1]), of[2] - L::splat(source[2])];
    let [ux, uy, uz] = [of[3] - L::splat(source[4]), of[4] - L::splat(source[5]), of[5] - L::splat(source[6])];
    let squared = dz.mul_add(dz, dy.mul_add(dy, dx.mul_add(dx, softening)));
    let (half, off) = (L::splat(0.5), (index - L::splat(k as f64)).abs());
    let squared = off.pick_below(half, L::splat(1.0), squared);
    let q = off.pick_below(half, L::splat(0.0), L::splat(source[3]));
    let inverse = squared.inverse_sqrt();
    let square = inverse * inverse;
    let weight = q * inverse * square;
    let along = uz.mul_add(dz, uy.mul_add(dy, ux * dx));
    let lean = L::splat(-3.0) * along * square;
    sums[0] = lean.mul_add(dx, ux).mul_add(weight, sums[0]);
    sums[1] = lean.mul_add(dy, uy).mul_add(weight, sums[1]);
    sums[2] = lean.mul_add(dz, uz).mul_add(weight, sums[2]);
    sums[3] = along.mul_add(weight, sums[3]);
}
