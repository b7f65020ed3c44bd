//! Optimisers on functions with known minima.

use bdem_fit::error::FitError;
use bdem_fit::minimize::{Bounds, Limits, Method, Problem, minimize};

/// Rosenbrock's function, whose minimum is at (1, 1).
struct Rosenbrock;

impl Problem for Rosenbrock {
    fn gradient(&self, x: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * b * x[0], 200.0 * b]))
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        Ok(points.iter().map(|x| vec![1.0 - x[0], 10.0 * (x[1] - x[0] * x[0])]).collect())
    }
}

#[test]
fn each_method_finds_the_minimum_within_bounds() {
    let bounds = [Bounds { low: -2.0, high: 3.0 }, Bounds { low: 0.05, high: 5.0 }];
    let methods =
        [(Method::Lbfgs { memory: 7 }, 1e-6), (Method::GaussNewton, 1e-6), (Method::NelderMead { samples: 8 }, 1e-2)];
    for (method, tolerance) in methods {
        let mut evaluations = Vec::new();
        let limits = Limits { evaluations: 400, loss: 1e-15 };
        let mut progress =
            |evaluation: &bdem_fit::minimize::Evaluation| evaluations.push(evaluation.parameters.to_vec());
        let found = minimize(method, &[-1.2, 1.0], &bounds, limits, &mut progress, &Rosenbrock).expect("a minimum");
        println!("{method:?}: {found:?}");
        assert!(found.parameters.iter().all(|x| (x - 1.0).abs() < tolerance), "{method:?}: {found:?}");
        assert_eq!(found.evaluations, evaluations.len());
        let within = |x: &Vec<f64>| x.iter().zip(&bounds).all(|(x, bounds)| bounds.contain(*x));
        assert!(evaluations.iter().all(within));
    }
}

#[test]
fn limits_are_kept() {
    let bounds = [Bounds { low: -2.0, high: 3.0 }; 2];
    for method in [Method::Lbfgs { memory: 7 }, Method::GaussNewton, Method::NelderMead { samples: 3 }] {
        let limits = Limits { evaluations: 9, loss: 0.0 };
        let found = minimize(method, &[-1.2, 1.0], &bounds, limits, &mut |_| (), &Rosenbrock).expect("a minimum");
        assert!(found.evaluations <= 9, "{found:?}");
    }
}
