//! Bodies as heavy, stiff and strong as typed: the fast rows of `bdem study material`.

use bdem_studies::material::{Property, bars, compressions, measures};

fn assert_right(properties: &[Property]) {
    for property in properties {
        println!("{} of {}: {:.3}", property.name, property.of, property.ratio);
    }
    let wrong: Vec<&Property> = properties.iter().filter(|property| !property.is_right()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn bodies_weigh_and_measure_what_is_typed() {
    assert_right(&measures().expect("scenes"));
}

#[test]
fn bars_are_as_stiff_and_strong_as_typed() {
    assert_right(&bars(0.003, Some(100.0)).expect("it breaks"));
}

/// The first bonds that break start the crack, so that the bonds are stronger.
#[test]
fn brittle_bars_are_as_strong_as_typed() {
    assert_right(&bars(0.003, None).expect("it breaks")[1..]);
}

#[test]
fn rocks_are_stronger_in_compression() {
    assert_right(&compressions().expect("it breaks"));
}
