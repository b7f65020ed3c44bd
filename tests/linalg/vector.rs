use bdem_core::internals::linalg::Vec6;
use bdem_core::internals::linalg::vector::{advance, axpy, dot, norm, scale_into, xpay};

use crate::linalg::beam::noise;
use crate::linalg::on_threads;

fn sample(nodes: usize) -> Vec<Vec6<f64>> {
    (0..nodes).map(|i| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| noise(6 * i + k)))).collect()
}

#[test]
fn operations_are_what_they_say() {
    let x = [Vec6::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64])];
    let mut y = [Vec6::new([1.0; 6])];
    assert_eq!((dot(&x, &y), norm(&x)), (21.0, 91f64.sqrt()));
    axpy(2.0, &x, &mut y);
    assert_eq!(y[0].to_array(), [3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
    xpay(&x, -1.0, &mut y);
    assert_eq!(y[0].to_array(), [-2.0, -3.0, -4.0, -5.0, -6.0, -7.0]);
    let mut single = [Vec6::<f32>::ZERO];
    scale_into(1e50, &[Vec6::new([1e-50f64; 6])], &mut single);
    assert_eq!(single[0].to_array(), [1.0; 6]);
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_threads() {
    for nodes in [1, 255, 257, 9000, 100_000] {
        let x = sample(nodes);
        let sums = [1, 2, 5].map(|threads| on_threads(threads, || dot(&x, &x)));
        assert!(sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()), "{nodes}");
    }
}

#[test]
fn a_long_sum_of_singles_is_as_exact_as_of_doubles() {
    let x: Vec<_> = sample(100_000).iter().map(|x| x.cast::<f32>()).collect();
    let wide: Vec<_> = x.iter().map(|x| x.cast::<f64>()).collect();
    assert!((dot(&x, &x) - dot(&wide, &wide)).abs() < 1e-9 * dot(&wide, &wide));
}

#[test]
fn a_step_in_one_pass_is_what_its_parts_are() {
    for nodes in [1, 300, 20_000] {
        let (p, q) = (sample(nodes), sample(nodes + 7)[7..].to_vec());
        let [mut x, mut r] = [sample(nodes), sample(nodes)];
        axpy(0.7, &p, &mut x);
        axpy(-0.7, &q, &mut r);
        for threads in [1, 2] {
            let [mut x_fused, mut r_fused] = [sample(nodes), sample(nodes)];
            let size = on_threads(threads, || advance(0.7, [&p, &q], &mut x_fused, &mut r_fused));
            assert!(x_fused == x && r_fused == r && size.to_bits() == norm(&r).to_bits(), "{nodes}");
        }
    }
}
