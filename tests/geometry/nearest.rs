use bdem_core::geometry::{Vec3, nearest};
use proptest::prelude::*;

fn points() -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(prop::array::uniform3(-2.0..2.0).prop_map(Vec3::from), 1..150)
}

proptest! {
    #[test]
    fn is_what_trying_all_pairs_finds(a in points(), b in points(), apart in 0.0..6.0) {
        let b: Vec<Vec3> = b.iter().map(|p| p + Vec3::x() * apart).collect();
        let all = a.iter().flat_map(|p| b.iter().map(move |q| (p - q).norm()));
        prop_assert_eq!(nearest::distance([&a, &b]), all.fold(f64::INFINITY, f64::min));
    }
}

#[test]
fn nothing_is_infinitely_far() {
    assert_eq!(nearest::distance([&[], &[Vec3::zeros()]]), f64::INFINITY);
}
