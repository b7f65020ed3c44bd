use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Motion, Wall};
use bdem_pictures::render::Floor;

fn wall(normal: Vec3, offset: f64) -> Wall {
    Wall::new(Shape::HalfSpace(HalfSpace { normal, offset }))
}

#[test]
fn the_highest_level_wall_at_rest_is_the_floor() {
    let mut moving = wall(Vec3::z(), 3.0);
    moving.motion = Motion::Velocity(Vec3::x());
    let ball = Wall::new(Shape::Sphere { radius: 1.0 });
    let walls =
        [wall(Vec3::x(), 9.0), wall(-Vec3::z(), 8.0), wall(Vec3::z(), 0.5), wall(Vec3::z(), -0.5), moving, ball];
    assert_eq!(Floor::among(&walls, &Vec3::z()), Some(Floor { normal: Vec3::z(), offset: 0.5 }));
    assert_eq!(Floor::among(&walls[..2], &Vec3::z()), None);
}

#[test]
fn a_floor_that_was_moved_is_found_where_it_is() {
    let plane = Shape::HalfSpace(HalfSpace { normal: Vec3::x(), offset: 0.1 });
    // x turned to z
    let turned = Quat::new(0.5_f64.sqrt(), 0.0, -(0.5_f64.sqrt()), 0.0);
    let moved = Shape::Placed { shape: Box::new(plane), position: Vec3::new(5.0, 6.0, 2.0), rotation: turned };
    let floor = Floor::among(&[Wall::new(moved)], &Vec3::z()).expect("it is level");
    assert!((floor.normal - Vec3::z()).norm() < 1e-12, "{floor:?}");
    assert!((floor.offset - 2.1).abs() < 1e-12, "{floor:?}");
}
