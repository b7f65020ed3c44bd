//! Inverses of eight symmetric 6x6 blocks at once.

#![allow(clippy::needless_range_loop, reason = "triangles are clearest by row and column")]

use super::block::Block;
use super::vector::LANES;

/// A number of each of eight blocks.
type Eight = [f32; LANES];

/// A pivot that lost this share of its diagonal entry is rounding.
const LEAST_PIVOT: f32 = 1e-4;

#[inline(always)]
fn each(number: impl Fn(usize) -> f32) -> Eight {
    std::array::from_fn(number)
}

/// The inverses of eight symmetric positive definite blocks, and for each whether it is one that single precision can invert.
///
/// Gauss-Jordan without pivoting, on the lower triangles; lanes of blocks that are not positive definite are left as anything.
/// Sums are formed in the same order in every lane, so a block's inverse does not depend on its neighbours.
pub(super) fn invert_eight(blocks: &[Block<f32>; LANES]) -> ([Block<f32>; LANES], [bool; LANES]) {
    let mut a = [[[0.0; LANES]; 6]; 6];
    for row in 0..6 {
        for column in 0..=row {
            a[row][column] = each(|lane| blocks[lane].0[column][row]);
        }
    }
    let fine = sweep_all(&mut a);
    let mut inverses = [Block::ZERO; LANES];
    for (lane, inverse) in inverses.iter_mut().enumerate() {
        for row in 0..6 {
            for column in 0..=row {
                inverse.0[column][row] = a[row][column][lane];
                inverse.0[row][column] = a[row][column][lane];
            }
        }
    }
    (inverses, fine)
}

/// Turns lower triangles into those of the inverses, pivot by pivot.
#[inline(always)]
fn sweep_all(a: &mut [[Eight; 6]; 6]) -> [bool; LANES] {
    let before: [Eight; 6] = std::array::from_fn(|k| a[k][k]);
    let mut fine = [true; LANES];
    for k in 0..6 {
        let pivot = a[k][k];
        for lane in 0..LANES {
            fine[lane] &= pivot[lane] > LEAST_PIVOT * before[k][lane] && pivot[lane].is_finite();
        }
        let inverse = each(|lane| 1.0 / pivot[lane]);
        // column k, and row k before its diagonal, which is the same by symmetry up to sign: the sweep operator
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
    // what the sweeps leave is minus the inverse
    a.iter_mut().flatten().for_each(|entry| *entry = each(|lane| -entry[lane]));
    fine
}
