use bdem_core::geometry::rotation;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::Gradient;
use bdem_studies::constraint_methods::euclidean::Vector7;
use bdem_studies::constraint_methods::{EulerStep, Problem};

use crate::common::differences::slope_at_zero;
use crate::common::system::{noise, shaken};
use crate::study::constraint_methods::cases::{Case, beam, colliding, spinning_chain};

fn with_contacts<T>(case: &Case, with: impl FnOnce(&Problem) -> T) -> T {
    let contacts = Contacts::new(&case.world, &case.state);
    with(&EulerStep::new(&case.world, &case.state, case.dt).problem(&contacts))
}

/// On the sphere the objective and its gradient are those of runs.
#[test]
fn is_the_objective_of_runs() {
    for case in [spinning_chain(), beam(), colliding()] {
        with_contacts(&case, |problem| {
            let x = shaken(&problem.start, 3, 1e-4, 1e-2);
            let mut want = vec![Gradient::default(); x.len()];
            let value = problem.objective.gradient(&x, &mut want);
            assert!((problem.value(&x) - value).abs() < 1e-12 * value.abs(), "{}", case.name);
            let gradient = problem.gradient(&x);
            let greatest = want.iter().map(|w| w.p.norm()).fold(0.0, f64::max);
            for (i, (got, want)) in gradient.iter().zip(&want).enumerate() {
                assert!((got.fixed_rows::<3>(0) - want.p).norm() < 1e-11 * greatest, "{} p of {i}", case.name);
                // by 2r dq in the body's frame, half the world's rotation vector times 2r
                let turning = rotation::nullspace_right(&x.q[i]) * got.fixed_rows::<4>(3) * (0.5 * problem.size(i));
                let off = (turning - want.theta).norm();
                assert!(off < 1e-11 * greatest * problem.size(i), "{} q of {i}: {off:e}", case.name);
            }
        });
    }
}

/// Off the sphere too, and with contacts and a floor.
#[test]
fn hessian_is_the_slope_of_the_gradient() {
    for case in [spinning_chain(), beam(), colliding()] {
        with_contacts(&case, |problem| {
            let mut x = shaken(&problem.start, 3, 1e-5, 1e-2);
            x.q.iter_mut()
                .enumerate()
                .filter(|(i, _)| !problem.is_held(*i))
                .for_each(|(i, q)| *q *= 1.0 + 0.1 * noise(9, i).x);
            let step: Vec<Vector7> = (0..x.len())
                .map(|i| {
                    let [p, q] = [noise(7, i), noise(8, i)];
                    let step = Vector7::from_column_slice(&[p.x, p.y, p.z, q.x, q.y, q.z, p.x * q.x]) * 1e-2;
                    if problem.is_held(i) { Vector7::zeros() } else { step }
                })
                .collect();
            let slopes = |k: usize| slope_at_zero(|s| problem.gradient(&problem.along_line(&x, &step, s))[k], 1e-5);
            let product = problem.hessian(&x).times(&step);
            let greatest = product.iter().map(|v| v.norm()).fold(0.0, f64::max);
            for i in (0..x.len()).step_by(x.len().div_ceil(20)).filter(|&i| !problem.is_held(i)) {
                let off = (slopes(i) - product[i]).norm();
                assert!(off < 1e-6 * greatest, "{} {i}: {off:e} of {greatest:e}", case.name);
            }
        });
    }
}
