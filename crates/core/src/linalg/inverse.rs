//! Inverses of eight symmetric 6x6 blocks at once.

#![allow(clippy::needless_range_loop, reason = "triangles are clearest by row and column")]

use super::block::Block;
use super::vector::LANES;

/// One entry of each of eight blocks.
type Eight = [f32; LANES];

/// Smallest pivot, relative to its diagonal entry, above rounding.
const MIN_PIVOT: f32 = 1e-4;

#[inline(always)]
fn each(number: impl Fn(usize) -> f32) -> Eight {
    std::array::from_fn(number)
}

/// The inverses of eight symmetric positive definite blocks, and whether single precision could invert each.
///
/// Gauss-Jordan without pivoting, on the lower triangles. The result for a block that is not positive definite is
/// meaningless. Sums have the same order in every lane, so a block's inverse does not depend on its neighbours.
pub(super) fn invert_eight(blocks: &[Block<f32>; LANES]) -> ([Block<f32>; LANES], [bool; LANES]) {
    let mut a = [[[0.0; LANES]; 6]; 6];
    for row in 0..6 {
        for column in 0..=row {
            a[row][column] = each(|lane| blocks[lane].0[column][row]);
        }
    }
    let invertible = sweep_all(&mut a);
    let mut inverses = [Block::ZERO; LANES];
    for (lane, inverse) in inverses.iter_mut().enumerate() {
        for row in 0..6 {
            for column in 0..=row {
                inverse.0[column][row] = a[row][column][lane];
                inverse.0[row][column] = a[row][column][lane];
            }
        }
    }
    (inverses, invertible)
}

/// Sweeps lower triangles into those of the inverses, pivot by pivot.
#[inline(always)]
fn sweep_all(a: &mut [[Eight; 6]; 6]) -> [bool; LANES] {
    let before: [Eight; 6] = std::array::from_fn(|k| a[k][k]);
    let mut invertible = [true; LANES];
    for k in 0..6 {
        let pivot = a[k][k];
        for lane in 0..LANES {
            invertible[lane] &= pivot[lane] > MIN_PIVOT * before[k][lane] && pivot[lane].is_finite();
        }
        let inverse = each(|lane| 1.0 / pivot[lane]);
        // the sweep operator: column k, and row k before its diagonal, equal by symmetry up to sign
        let column: [Eight; 6] = std::array::from_fn(|i| if i >= k { a[i][k] } else { a[k][i] });
        for i in 0..6 {
            if i == k {
                continue;
            }
            let factor = each(|lane| column[i][lane] * inverse[lane]);
            for j in 0..=i {
                if j != k {
                    let entry = a[i][j];
                    a[i][j] = each(|lane| entry[lane] - factor[lane] * column[j][lane]);
                }
            }
            *(if i >= k { &mut a[i][k] } else { &mut a[k][i] }) = factor;
        }
        a[k][k] = each(|lane| -inverse[lane]);
    }
    // the sweeps leave minus the inverse
    a.iter_mut().flatten().for_each(|entry| *entry = each(|lane| -entry[lane]));
    invertible
}
