use bdem_core::geometry::Vec3;
use bdem_core::spring::StepObjective;

use super::random_system;

/// Gradient and Hessian by central differences.
#[test]
fn derivatives_are_those_of_the_value() {
    let (system, state) = random_system(12, 0.3);
    let objective = StepObjective::new(&system, &state, 0.1, [state.x.clone(), state.v.clone()]);
    let (x, h) = (&objective.ballistic, 1e-5);
    let hessian = objective.hessian(x);
    let gradient = objective.gradient(x);
    let size = gradient.iter().map(Vec3::norm).fold(0.0, f64::max);
    for axis in 0..3 {
        for vertex in 0..12 {
            let at = |h: f64| {
                let mut x = x.clone();
                x[vertex][axis] += h;
                x
            };
            let slope = (objective.value(&at(h)) - objective.value(&at(-h))) / (2.0 * h);
            assert!((slope - gradient[vertex][axis]).abs() < 1e-6 * size, "{slope} {}", gradient[vertex]);
            let [after, before] = [h, -h].map(|h| objective.gradient(&at(h)));
            let column = |row: usize| (after[row] - before[row]) / (2.0 * h);
            let expected = hessian.diagonal[vertex].column(axis);
            assert!((column(vertex) - expected).norm() < 1e-6 * expected.norm());
            // entries between the ends of springs
            for (spring, off) in system.springs.list().iter().zip(&hessian.off) {
                if let Some(end) = spring.ends.iter().position(|&end| end as usize == vertex) {
                    let other = spring.ends[1 - end] as usize;
                    assert!((column(other) - off.column(axis)).norm() < 1e-6 * expected.norm());
                }
            }
        }
    }
}
