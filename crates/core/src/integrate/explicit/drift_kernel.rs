//! Vector kernel of the drift. Its operations are those of the scalar path in the same order, without fused products: the bits
//! are the same.

use crate::geometry::{Quat, Vec3};
use crate::simd::dispatch;
use crate::simd::{Lanes, Row8, Vec3x, consecutive, vectors};

use super::drift::{Drift, Ends};

/// Particles of a block.
pub(super) const BLOCK: usize = 8;

dispatch! {
    /// Drift of the blocks of a chunk from its particle `at` on, up to the first block that is incomplete, has a held or
    /// rigid particle, or rotates by more than 0.02 rad. Returns its first particle. `first` is the first particle of the
    /// chunk. `fastest` is the square of the maximum speed, m2/s2.
    pub(super) fn drift_blocks<'a>(
        drift: &Drift<'a>, first: usize, at: usize, ends: &mut Ends<'_>, fastest: &mut f64,
    ) -> usize = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(drift: &Drift, first: usize, at: usize, ends: &mut Ends, fastest: &mut f64) -> usize {
    let mut at = at;
    while at + BLOCK <= ends.p.len() {
        let mut all_pushed = true;
        for inverse in &drift.inverse[first + at..first + at + BLOCK] {
            all_pushed &= inverse[0] != 0.0;
        }
        if !all_pushed {
            break;
        }
        let mut part = 0;
        while part < BLOCK {
            if !advance::<L>(drift, first, at + part, ends, fastest) {
                return at;
            }
            part += L::COUNT;
        }
        at += BLOCK;
    }
    at
}

/// Columns of `N` numbers each of `L::COUNT` particles.
macro_rules! columns {
    ($count:literal, $lanes:ident, |$lane:ident| $numbers:expr) => {{
        let mut columns = [[0.0; BLOCK]; $count];
        let mut $lane = 0;
        while $lane < $lanes::COUNT {
            let numbers: [f64; $count] = $numbers;
            let mut k = 0;
            while k < $count {
                columns[k][$lane] = numbers[k];
                k += 1;
            }
            $lane += 1;
        }
        columns
    }};
}

/// Products and sums rounded apart, as those of nalgebra.
#[inline(always)]
fn norm_squared<L: Lanes>(v: Vec3x<L>) -> L {
    v.x * v.x + v.y * v.y + v.z * v.z
}

/// Drift of the particles of a register from the chunk's particle `k` on. Returns false, and changes nothing that the scalar
/// path does not set, if one rotates too far for the series.
#[inline(always)]
fn advance<L: Lanes>(drift: &Drift, first: usize, k: usize, ends: &mut Ends, fastest: &mut f64) -> bool {
    let (start, index) = (drift.start, consecutive((first + k) as u32));
    let (v_0, w_0): (Vec3x<L>, Vec3x<L>) = (vectors(&start.v, &index), vectors(&start.w, &index));
    let (v, w) = kicked(drift, first + k, v_0, w_0);

    let dt = L::splat(drift.dt);
    let u = (w * dt) * L::splat(0.5);
    let a2 = norm_squared(u);
    if a2.not_below(L::splat(1e-4)) != 0 {
        return false;
    }
    let turn = exp(u, a2);
    let moved = v * dt;
    let p = vectors(&start.p, &index) + moved;
    let q = turned(turn, L::quads(&start.q, &index));

    // the means of both drifts, where bonds are damped
    let share = L::splat(drift.share);
    let rest = L::splat(1.0) - share;
    let (mean_v, mean_w) = (v * rest + v_0 * share, w * rest + w_0 * share);
    let is_damped = !ends.velocities.is_empty();
    let last = if is_damped { L::with_halves(mean_v.x, mean_v.y) } else { L::splat(0.0) };
    let poses = L::rows([p.x, p.y, p.z, q[0], q[1], q[2], q[3], last]);
    let means = [L::with_halves(mean_v.z, mean_w.x), L::with_halves(mean_w.y, mean_w.z)];
    let velocities = L::rows([v.x, v.y, v.z, w.x, w.y, w.z, means[0], means[1]]);
    let (t, real) = turn;
    let motions = L::rows([moved.x, moved.y, moved.z, t.x, t.y, t.z, real, L::splat(0.0)]);
    let has_motions = !ends.motions.is_empty();
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < L::COUNT {
            if has_motions {
                L::store_row(&motions, lane, &mut ends.motions[k + lane]);
            }
            let (mut row, pose) = (Row8::ZERO, &mut ends.poses[k + lane]);
            L::store_row(&poses, lane, pose);
            L::store_row(&velocities, lane, &mut row);
            let [x, y, z, a, b, c, d, _] = pose.0;
            ends.p[k + lane] = Vec3::new(x, y, z);
            ends.q[k + lane] = Quat::new(d, a, b, c);
            let [x, y, z, a, b, c, ..] = row.0;
            ends.v[k + lane] = Vec3::new(x, y, z);
            ends.w[k + lane] = Vec3::new(a, b, c);
            if is_damped {
                ends.velocities[k + lane] = row;
            }
        }
    }
    *fastest = fastest.max(largest_square(drift, v));
    true
}

/// Velocities (m/s) and spins (rad/s) of the particles of a register from `i` on after the first kick, from those before it.
#[inline(always)]
fn kicked<L: Lanes>(drift: &Drift, i: usize, v: Vec3x<L>, w: Vec3x<L>) -> (Vec3x<L>, Vec3x<L>) {
    let c = columns!(8, L, |lane| {
        let (g, [m, j]) = (&drift.gradient[i + lane], drift.inverse[i + lane]);
        [g.p.x, g.p.y, g.p.z, g.theta.x, g.theta.y, g.theta.z, m, j]
    });
    let (by_p, by_theta) = (
        Vec3x::<L>::new(L::load(&c[0]), L::load(&c[1]), L::load(&c[2])),
        Vec3x::<L>::new(L::load(&c[3]), L::load(&c[4]), L::load(&c[5])),
    );
    let kick = L::splat(drift.kick);
    (v - by_p * (kick * L::load(&c[6])), w - by_theta * (kick * L::load(&c[7])))
}

/// Largest square of velocities relative to the common motion, m2/s2; zero or above.
#[inline(always)]
fn largest_square<L: Lanes>(drift: &Drift, v: Vec3x<L>) -> f64 {
    let common = &drift.common;
    let off = v - Vec3x::new(L::splat(common.x), L::splat(common.y), L::splat(common.z));
    let mut squares = [0.0; BLOCK];
    norm_squared(off).store(&mut squares);
    let (mut largest, mut lane) = (0.0, 0);
    while lane < L::COUNT {
        largest = f64::max(largest, squares[lane]);
        lane += 1;
    }
    largest
}

/// The series of [`exp`](crate::geometry::rotation::exp) for `a2` = |u|^2: imaginary and real part.
#[inline(always)]
fn exp<L: Lanes>(u: Vec3x<L>, a2: L) -> (Vec3x<L>, L) {
    let one = L::splat(1.0);
    let over = |a2: L, n: f64, inner: L| a2 * L::splat(1.0 / n) * inner;
    let sinc = one - over(a2, 6.0, one - over(a2, 20.0, one - a2 * L::splat(1.0 / 42.0)));
    let cos = one - a2 * L::splat(0.5) * (one - over(a2, 12.0, one - a2 * L::splat(1.0 / 30.0)));
    (u * sinc, cos)
}

/// [`turn_by`](crate::geometry::rotation::turn_by), as x, y, z, w.
#[inline(always)]
fn turned<L: Lanes>((t, w): (Vec3x<L>, L), [x, y, z, r]: [L; 4]) -> [L; 4] {
    let product = [
        w * x + t.x * r + t.y * z - t.z * y,
        w * y - t.x * z + t.y * r + t.z * x,
        w * z + t.x * y - t.y * x + t.z * r,
        w * r - t.x * x - t.y * y - t.z * z,
    ];
    let [a, b, c, d] = product;
    let norm = (a * a + c * c) + (b * b + d * d);
    let scale = L::splat(1.5) - L::splat(0.5) * norm;
    [a * scale, b * scale, c * scale, d * scale]
}
