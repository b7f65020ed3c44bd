use bdem_core::fracture::weibull;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{self, Action, AxialStress, HeldParticles, Motion, State, World, Wrench};

use crate::scene::{PLATE, parse, parse_with};

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
    let (world, state) = parse_with(&["materials.ceramic.weibull_wavelength=0.0"]).unwrap().build().unwrap();
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
    assert_eq!((world.axial, world.contact_stiffness, world.gravity.z), (AxialStress::Tension, 0.5, -9.81));
    let floor = &world.walls[0];
    assert_eq!((floor.at(0.0).distance(&Vec3::zeros()), floor.at(9.0).distance(&Vec3::z())), (0.02, 1.02));
    assert_eq!((world.walls[0].friction, world.walls[0].static_friction), (Some(0.2), Some(0.2)));
    assert_eq!((world.materials[0].friction, world.materials[0].static_friction), (0.5, 0.7));
    assert!((world.materials[0].shear_modulus - 0.4e9).abs() < 1e-3);
    assert!(state.is_finite() && state.len() == world.particles.len());
}

#[test]
fn held_particles_start_as_they_will_move() {
    let (world, state) = parse(PLATE).unwrap().build().unwrap();
    let [fixed, turning] = &world.constraints[..] else { panic!("two constraints") };
    assert!(fixed.particles.iter().all(|&i| state.p[i as usize].y <= -0.05 && state.v[i as usize] == Vec3::zeros()));
    assert!(matches!(turning.action, Action::Motion(Motion::Screw { axis, .. }) if axis == Vec3::y()));
    for &i in &turning.particles {
        let expected = Vec3::new(0.0, 3.0, 0.0).cross(&state.p[i as usize]);
        assert!((state.v[i as usize] - expected).norm() < 1e-15);
    }
}

/// The scene with its first constraint's region and motion replaced, and what that constraint becomes.
fn first_constraint(region: &str, action: &str) -> (model::Constraint, World, State) {
    let text = crate::scene::edited("region = { box = { min = [-0.2, -0.2, -1.0], max = [0.2, -0.05, 1.0] } }", region);
    let (world, state) = parse(&text.replace("motion = \"fixed\"", action)).unwrap().build().unwrap();
    (world.constraints[0].clone(), world, state)
}

#[test]
fn regions_and_bodies_choose_particles() {
    let chosen = |region: &str| first_constraint(region, "motion = \"fixed\"");
    let is_ball = |world: &World, i: u32| world.particles.body[i as usize] == 1;
    let all_of = |world: &World, wanted: &dyn Fn(u32) -> bool| -> Vec<u32> {
        (0..world.particles.len() as u32).filter(|&i| wanted(i)).collect()
    };

    let (ball, world, _) = chosen("body = \"ball\"");
    assert_eq!(ball.particles, all_of(&world, &|i| is_ball(&world, i)));

    let centre = Vec3::new(0.0, 0.0, 0.21);
    let (near, world, state) = chosen("region = { sphere = { centre = [0, 0, 0.21], radius = 0.015 } }");
    assert_eq!(near.particles, all_of(&world, &|i| (state.p[i as usize] - centre).norm() <= 0.015));
    assert!(!near.particles.is_empty());

    // both: of the ball the lower half, though the plate lies in the box too
    let (both, world, state) = chosen("body = \"ball\"\nregion = { box = { min = [-1, -1, -1], max = [1, 1, 0.2] } }");
    assert_eq!(both.particles, all_of(&world, &|i| is_ball(&world, i) && state.p[i as usize].z <= 0.2));
}

#[test]
fn the_nearest_are_nearer_than_all_others() {
    let point = Vec3::new(0.01, 0.02, 0.23);
    let (nearest, _, state) =
        first_constraint("region = { nearest = { point = [0.01, 0.02, 0.23], count = 5 } }", "motion = \"fixed\"");
    let off = |i: u32| (state.p[i as usize] - point).norm();
    let furthest = nearest.particles.iter().map(|&i| off(i)).fold(0.0, f64::max);
    assert!(nearest.particles.len() == 5 && nearest.particles.is_sorted());
    let others = (0..state.len() as u32).filter(|i| !nearest.particles.contains(i));
    assert!(others.map(off).fold(f64::INFINITY, f64::min) >= furthest);
}

#[test]
fn loads_are_shared_evenly_for_as_long_as_they_act() {
    let (load, world, state) =
        first_constraint("body = \"ball\"", "force = [0, 0, 6]\ntorque = [1, 0, 0]\nstart = 0.1\nrelease = 0.3");
    let share = 1.0 / load.particles.len() as f64;
    let each = Wrench { force: Vec3::z() * 6.0 * share, torque: Vec3::x() * share };
    let Action::Load(wrench) = &load.action else { panic!("a load") };
    assert!((wrench.force - each.force).norm() < 1e-15 && (wrench.torque - each.torque).norm() < 1e-15);
    let loaded = |from: f64, to: f64| world.loads([from, to], &state, 0.0).count();
    assert_eq!(
        [loaded(0.0, 0.19), loaded(0.0, 0.21), loaded(0.2, 0.39), loaded(0.2, 0.41)],
        [0, load.particles.len(), load.particles.len(), 0]
    );
}

/// One after the other is no clash.
#[test]
fn what_is_released_may_be_held_again() {
    let first = "motion = \"fixed\"\nrelease = 0.1\n\n[[constraints]]\nbody = \"ball\"\nstart = 0.1\nmotion = { velocity = [0, 0, 1] }";
    let (_, world, state) = first_constraint("body = \"ball\"", first);
    let mut holding = HeldParticles::new(&world);
    assert!(holding.set(&world, 0.0, 0.01) && !holding.set(&world, 0.01, 0.02));
    assert!(holding.set(&world, 0.1, 0.11));
    let ball = world.constraints[0].particles[0] as usize;
    let carried = holding.transfer(ball).expect("held again").apply(&state.p[ball], &state.q[ball]);
    assert_eq!((carried.2, state.v[ball]), (Vec3::z(), Vec3::zeros()));
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
