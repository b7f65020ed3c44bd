use bdem_core::geometry::{Pose, Vec3, rotation};

const P: Vec3 = Vec3::new(0.3, -0.2, 0.5);

fn poses() -> [Pose; 2] {
    let turn = |x: f64| rotation::exp(&Vec3::new(x, 0.4, -0.1));
    [Pose::about(&Vec3::new(1.0, 2.0, -3.0), turn(0.2)), Pose { turn: turn(-0.9), shift: Vec3::new(0.1, 0.0, 4.0) }]
}

#[test]
fn a_point_that_is_turned_about_stays() {
    let point = Vec3::new(1.0, 2.0, -3.0);
    assert!((poses()[0].apply(&point) - point).norm() < 1e-15);
    assert!((poses()[0].apply(&P) - P).norm() > 0.1);
    assert_eq!(Pose::default().apply(&P), P);
}

#[test]
fn undo_takes_back() {
    assert!(poses().iter().all(|pose| (pose.undo(&pose.apply(&P)) - P).norm() < 1e-15));
}

#[test]
fn a_pose_after_another_leads_from_one_to_the_other() {
    let [a, b] = poses();
    assert!((b.after(&a).apply(&a.apply(&P)) - b.apply(&P)).norm() < 1e-14);
    assert!((b.after(&b).apply(&P) - P).norm() < 1e-14);
}
