use bdem::fracture::weibull;
use bdem::geometry::{Vec3, rotation};
use bdem::model::{AxialRule, Motion};

use crate::{PLATE, parse, parse_with};

#[test]
fn bodies_are_turned_moved_and_pushed_about_their_origins() {
    let scene = parse_with(&["bodies.plate.angular_velocity=[0, 0, 3]", "bodies.plate.velocity=[1, 0, 0]"]).unwrap();
    let (world, state) = scene.build().unwrap();
    let plate: Vec<usize> = (0..state.len()).filter(|&i| world.particles.body[i] == 0).collect();
    let q = scene.bodies[0].rotation.quaternion();
    let origin = Vec3::new(0.0, 0.0, 0.05);
    let mean: Vec3 = plate.iter().map(|&i| state.p[i]).sum::<Vec3>() / plate.len() as f64;
    assert!((mean - origin).norm() < 0.005);
    for &i in plate.iter().filter(|&&i| state.p[i].y.abs() < 0.05) {
        assert_eq!(state.q[i], q);
        let spin = Vec3::new(0.0, 0.0, 3.0);
        assert!((state.v[i] - Vec3::x() - spin.cross(&(state.p[i] - origin))).norm() < 1e-12);
        assert_eq!(state.w[i], spin);
    }
}

#[test]
fn bonds_are_at_rest_as_built() {
    let (world, state) = parse(PLATE).unwrap().build().unwrap();
    assert!(world.bonds().len() > 2 * state.len());
    for (id, bond) in world.bonds().iter().enumerate() {
        let (i, j) = (bond.i as usize, bond.j as usize);
        assert_eq!(bond.id as usize, id);
        assert_eq!(world.particles.body[i], world.particles.body[j]);
        let rest = rotation::rotate(&state.q[i], &bond.d0) * bond.l0;
        assert!((state.p[j] - state.p[i] - rest).norm() < 1e-12);
        let share = weibull::quantile_over_mean(weibull::uniform(0, bond.id), 10.0);
        assert_eq!(bond.strength, [5e6 * share, f64::INFINITY]);
    }
}

#[test]
fn the_world_is_as_the_scene_says() {
    let overrides = [
        "fracture.axial=tension",
        "contact.stiffness=0.5",
        "colliders.0.friction=0.2",
        "materials.ceramic.static_friction=0.7",
    ];
    let (world, state) = parse_with(&overrides).unwrap().build().unwrap();
    assert_eq!((world.axial, world.contact_stiffness, world.gravity.z), (AxialRule::Tension, 0.5, -9.81));
    assert_eq!((world.colliders[0].shape.normal, world.colliders[0].shape.offset), (Vec3::z(), -0.02));
    assert_eq!((world.colliders[0].friction, world.colliders[0].static_friction), (Some(0.2), Some(0.2)));
    assert_eq!((world.materials[0].friction, world.materials[0].static_friction), (0.5, 0.7));
    assert!((world.materials[0].shear_modulus - 0.4e9).abs() < 1e-3);
    assert!(state.is_finite() && state.len() == world.particles.len());
}

#[test]
fn held_particles_start_as_they_will_move() {
    let (world, state) = parse(PLATE).unwrap().build().unwrap();
    let [fixed, turning] = &world.constraints[..] else { panic!("two constraints") };
    assert!(fixed.particles.iter().all(|&i| state.p[i as usize].y <= -0.05 && state.v[i as usize] == Vec3::zeros()));
    assert!(matches!(turning.motion, Motion::Screw { axis, .. } if axis == Vec3::y()));
    for &i in &turning.particles {
        let expected = Vec3::new(0.0, 3.0, 0.0).cross(&state.p[i as usize]);
        assert!((state.v[i as usize] - expected).norm() < 1e-15);
    }
}

#[test]
fn building_twice_gives_the_same_bits() {
    let [a, b] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| parse(PLATE).unwrap().build().unwrap())
    });
    assert_eq!(a.1, b.1);
    assert_eq!(format!("{:?}", a.0.bonds()), format!("{:?}", b.0.bonds()));
}
