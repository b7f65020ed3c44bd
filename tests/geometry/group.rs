use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::{Group, HalfSpace, Shape};
use proptest::prelude::*;

fn moved(shape: Shape, [x, y, z]: [f64; 3]) -> Shape {
    let rotation = bdem_core::geometry::Quat::identity();
    Shape::Placed { shape: Box::new(shape), position: Vec3::new(x, y, z), rotation }
}

fn place() -> impl Strategy<Value = [f64; 3]> {
    proptest::array::uniform3(-2.0..2.0f64)
}

fn member() -> impl Strategy<Value = Shape> {
    (place(), 0.1..0.8f64, any::<bool>()).prop_map(|(at, size, is_ball)| {
        moved(if is_ball { Shape::Sphere { radius: size } } else { Shape::Box { size: [size, 2.0 * size, size] } }, at)
    })
}

proptest! {
    #[test]
    fn a_group_is_the_union_of_its_members(
        members in proptest::collection::vec(member(), 1..40),
        points in proptest::collection::vec(place(), 40),
        radius in 0.05..0.5f64,
    ) {
        let group = Shape::Group(std::sync::Arc::new(Group::new(members.clone())));
        let union = Shape::Union(members);
        prop_assert_eq!(group.bounds(), union.bounds());
        for p in points.into_iter().map(Vec3::from) {
            prop_assert_eq!(group.distance(&p), union.distance(&p), "{}", p);
            prop_assert_eq!(group.contains(&p), union.contains(&p), "{}", p);
            prop_assert_eq!(group.holds(&p, radius), union.holds(&p, radius), "{}", p);
            prop_assert_eq!(group.normal(&p), union.normal(&p), "{}", p);
            let cut = |from: &Shape| Shape::difference(Shape::Box { size: [6.0; 3] }, [from.clone()]).holds(&p, radius);
            prop_assert_eq!(cut(&group), cut(&union), "{}", p);
        }
    }
}

#[test]
fn members_without_end_are_found_everywhere() {
    let below = Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 });
    let balls = (0..20).map(|k| moved(Shape::Sphere { radius: 0.1 }, [f64::from(k), 0.0, 0.0]));
    let Shape::Group(group) = Shape::union(balls.chain([below]).collect()) else { panic!("few members") };
    let shape = Shape::Group(group);
    assert!(shape.contains(&Vec3::new(50.0, -70.0, -1e-3)) && !shape.contains(&Vec3::new(50.0, -70.0, 1e-3)));
    assert_eq!(shape.distance(&Vec3::new(50.0, 0.0, -3.0)), -3.0);
    assert_eq!(shape.volume(), f64::INFINITY);
}
