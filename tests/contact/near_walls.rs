//! Walls that move: which particles are near them is found now and then, and nothing that touches is missed.

use bdem_core::geometry::Vec3;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Key, Keyframes, Motion, State, Wall, World};

use crate::common::system::{block, material, noise};

const RADIUS: f64 = 0.01;

/// Duration (s) and number of steps: each carries nothing farther than a tenth of a radius.
const STEPS: [f64; 2] = [1e-4, 400.0];

fn wall(shape: Shape, motion: Motion) -> Wall {
    let mut wall = Wall::new(shape);
    wall.motion = motion;
    wall
}

/// A press, a stirrer, a plate that turns and falls, and a turning drum that holds everything.
fn moving_walls() -> Vec<Wall> {
    let key = |time: f64, [x, y, z]: [f64; 3], turn: f64| Key {
        time,
        position: Vec3::new(x, y, z),
        turn: Vec3::new(0.3 * turn, turn, 0.0),
        ease: None,
    };
    let keys = vec![key(0.0, [0.0; 3], 0.0), key(0.02, [0.02, 0.0, -0.05], 0.5), key(0.05, [0.0; 3], 1.5)];
    let screw = |rate: f64| Motion::Screw { point: Vec3::zeros(), axis: Vec3::y(), rate, velocity: 0.1 };
    let drum = Shape::Complement(Box::new(Shape::Cylinder { radius: 0.115, height: 1.0 }));
    vec![
        wall(
            Shape::HalfSpace(HalfSpace { normal: -Vec3::z(), offset: -0.09 }),
            Motion::Velocity(Vec3::new(0.0, 0.0, -2.0)),
        ),
        wall(Shape::Box { size: [0.02, 0.3, 0.25] }, screw(10.0)),
        wall(Shape::Box { size: [0.1, 0.1, 0.02] }, Motion::Keyframes(Keyframes { pivot: Vec3::z() * 0.05, keys })),
        wall(drum, screw(3.0)),
    ]
}

/// Each particle goes its own way at up to 1 m/s.
fn at(start: &State, time: f64) -> State {
    let p = start.p.iter().enumerate().map(|(i, p)| p + noise(7, i) * (time / 3f64.sqrt())).collect();
    State { p, time, ..start.clone() }
}

/// How many times a particle touched a wall, and was known not to be near one.
fn touched_and_spared(world: &World, start: &State) -> [usize; 2] {
    let mut contacts = Contacts::new(world, start);
    let [dt, steps] = STEPS;
    let [mut touched, mut spared] = [0; 2];
    for step in 1..=steps as u32 {
        let state = at(start, f64::from(step) * dt);
        contacts.update_after(&vec![dt; contacts.chunks().len()], dt, world, &state);
        let walls = world.walls_at(state.time);
        for (i, p) in state.p.iter().enumerate() {
            let may = contacts.near_walls().may_touch(i);
            let touches = walls.iter().any(|wall| wall.touch(p, RADIUS).is_some());
            assert!(may || !touches, "step {step}: {i} touches {:?}", world.walls);
            touched += usize::from(touches);
            spared += usize::from(!may);
        }
    }
    [touched, spared]
}

#[test]
fn no_particle_that_touches_a_moving_wall_is_missed() {
    let (mut world, start) = block(material(1e7, 4e6, 2600.0), [0.2, 0.12, 0.12], RADIUS);
    let single = moving_walls().into_iter().map(|wall| vec![wall]);
    for walls in single.chain([moving_walls()]) {
        world.walls = walls;
        let [touched, spared] = touched_and_spared(&world, &start);
        assert!(touched > 0 && spared > 0, "{touched} {spared} {:?}", world.walls);
    }
}
