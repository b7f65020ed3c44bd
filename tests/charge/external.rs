use bdem_core::charge::{ExternalField, FieldError};
use bdem_core::geometry::Vec3;

#[test]
fn fields_are_as_printed_or_mended() {
    let (x, centre) = (Vec3::new(1.0, 4.0, 2.0), Vec3::new(0.0, 1.0, 0.0));
    let uniform = ExternalField::Uniform { field: Vec3::new(1.0, 2.0, 3.0) };
    assert_eq!(uniform.at(&x), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(uniform.potential(&x), Some(-15.0));
    let saddle = ExternalField::Saddle { strength: 2.0, centre };
    assert_eq!(saddle.at(&x), Vec3::new(3.0, 1.0, 0.0));
    let vortex = ExternalField::Vortex { strength: 2.0, centre };
    assert_eq!(vortex.at(&x), Vec3::new(3.0, -1.0, 0.0));
    assert_eq!(vortex.potential(&x), None);
}

/// Sum over a square of charges about the axis: the vortex turns it clockwise, the printed saddle not at all.
#[test]
fn only_the_vortex_turns() {
    let square = [Vec3::x(), Vec3::y(), -Vec3::x(), -Vec3::y()].map(|x| x + Vec3::z());
    let torque = |field: &ExternalField| square.iter().map(|x| x.cross(&field.at(x)).z).sum::<f64>();
    let centre = Vec3::zeros();
    assert_eq!(torque(&ExternalField::Saddle { strength: 1.0, centre }), 0.0);
    assert_eq!(torque(&ExternalField::Vortex { strength: 1.0, centre }), -4.0);
}

#[test]
fn a_point_in_the_plane_of_the_centre_is_named() {
    let vortex = ExternalField::Vortex { strength: 1.0, centre: Vec3::z() };
    let points = [Vec3::zeros(), Vec3::new(1.0, 2.0, 1.0)];
    let error = vortex.add(&points, &mut [Vec3::zeros(); 2]).expect_err("no value there");
    assert_eq!(error, FieldError::External { index: 1, position: points[1] });
    assert!(error.to_string().contains("point 1, (1, 2, 1) m: move"), "{error}");
}
