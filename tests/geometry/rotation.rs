use bdem_core::geometry::rotation::{
    exp, log, nullspace_left, nullspace_right, rotate, rotation_between, rotation_matrix, turn,
};
use bdem_core::geometry::{Mat3, Quat, Vec3};

fn sample() -> (Quat, Vec3) {
    (Quat::new(0.3, -0.5, 0.7, 0.2).normalize(), Vec3::new(0.4, -1.1, 0.6))
}

#[test]
fn nullspace_operators_obey_appendix_a() {
    let (q, v) = sample();
    let (gl, gr) = (nullspace_left(&q), nullspace_right(&q));
    assert!((gl * q.coords).norm() < 1e-15 && (gr * q.coords).norm() < 1e-15);
    assert!((gl * gl.transpose() - Mat3::identity()).norm() < 1e-15);
    assert!((rotation_matrix(&q) * v - rotate(&q, &v)).norm() < 1e-15);
    let by_product = (q * Quat::from_imag(v) * q.conjugate()).imag();
    assert!((by_product - rotate(&q, &v)).norm() < 1e-15);
}

#[test]
fn exp_and_log_are_inverse_at_every_size() {
    let (q, v) = sample();
    for scale in [0.0, 1e-12, 1e-9, 1e-5, 0.009, 0.011, 0.7, 1.2] {
        let u = v.normalize() * scale;
        assert!((log(&exp(&u)) - u).norm() <= 1e-15 * (1.0 + scale), "{scale}");
        let theta = u * 2.0;
        assert!((rotation_between(&q, &turn(&q, &theta)) - theta).norm() < 1e-15 * 4.0, "{scale}");
    }
}
