use bdem_core::charge::{Charges, DdefSettings, FieldError, Method, field, field_at};
use bdem_core::geometry::Vec3;

use super::cloud;

#[test]
fn invalid_charges_are_named() {
    let (x, q) = cloud(3, 1, false);
    let told = |x: &[Vec3], q: &[f64], softening| Charges::new(x, q, softening).expect_err("refused").to_string();
    assert!(told(&x, &q, -0.5).contains("softening length is -0.5 m"));
    assert!(told(&x, &q, f64::NAN).contains("NaN m: give"));
    assert!(told(&x, &[1.0, f64::INFINITY, 0.0], 0.0).contains("charge 1 is inf C"));
    let mut wrong = x.clone();
    wrong[2].y = f64::NAN;
    assert!(told(&wrong, &q, 0.0).contains("position of point 2 is ("));
    let charges = Charges::new(&x, &q, 0.0).expect("charges");
    assert!(matches!(field_at(&charges, &wrong, &Method::Exact), Err(FieldError::Position { index: 2, .. })));
}

#[test]
fn charges_at_the_same_place_are_named_by_every_method() {
    let (mut x, q) = cloud(900, 2, false);
    x[700] = x[20];
    let methods = [Method::Exact, Method::Ddef(DdefSettings::default()), Method::Tree { tolerance: 1e-3 }];
    for method in methods {
        let charges = Charges::new(&x, &q, 0.0).expect("charges");
        let error = field(&charges, &method).expect_err("infinite");
        assert_eq!(error, FieldError::Singular { index: 20, charge: 700, position: x[20] }, "{method:?}");
        assert!(error.to_string().contains("give a softening length above 0"), "{error}");
        let softened = Charges::new(&x, &q, 1e-3).expect("charges");
        assert!(field(&softened, &method).is_ok(), "{method:?}");
    }
}

#[test]
fn a_point_at_a_charge_is_named() {
    let (x, q) = cloud(50, 3, false);
    let charges = Charges::new(&x, &q, 0.0).expect("charges");
    let points = [Vec3::zeros(), x[30]];
    for method in [Method::Exact, Method::Tree { tolerance: 1e-3 }] {
        let error = field_at(&charges, &points, &method).expect_err("infinite");
        assert_eq!(error, FieldError::Singular { index: 1, charge: 30, position: x[30] });
    }
}

#[test]
fn tolerances_out_of_range_are_refused() {
    let (x, q) = cloud(10, 4, false);
    let charges = Charges::new(&x, &q, 0.0).expect("charges");
    for tolerance in [0.0, -1.0, 0.5, 1e-15, f64::NAN] {
        for method in [Method::Tree { tolerance }, Method::Auto { tolerance }] {
            assert!(matches!(field(&charges, &method), Err(FieldError::Tolerance { .. })), "{tolerance}");
        }
    }
}
