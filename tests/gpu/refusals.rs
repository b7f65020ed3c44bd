//! Worlds without steps on a card.

use bdem_core::model::{BondModel, Constraint, DriveLaw, Driven, Motion, Ramp};
use bdem_core::prelude::*;
use bdem_gpu::block::Card;
use bdem_gpu::refuse::Refusal;

use crate::{RADIUS, beam, device, ends, on_card, steps};

fn refusal(world: &World) -> Refusal {
    Card::new(&device(), world).err().expect("a world that a card does not have")
}

#[test]
fn worlds_without_a_shader_are_refused() {
    let printed =
        Material { bond: BondModel::PRINTED_PARTICLE_BINDER, ..Material::elastic("binder", 1000.0, 1e7, 0.25) };
    let (world, _) = beam(printed, [None, None]);
    let why = refusal(&world);
    assert!(why.part.is_none() && why.to_string().contains("law") && why.to_string().contains("processor"), "{why}");
}

#[test]
fn parts_that_a_card_does_not_have_are_refused() {
    let (mut world, start) = beam(crate::stone(), [None, None]);
    let drive = Driven::new(Motion::Fixed, Vec3::x(), Ramp::constant(1.0), DriveLaw::Mass(1.0));
    world.constraints.push(Constraint::moved(ends(&start.p, 1.0), Motion::Driven(Box::new(drive))));
    let why = refusal(&world);
    assert!(why.part == Some(("constraint", 0)) && why.to_string().contains("under a load"), "{why}");
}

/// A large sphere among many small ones needs longer lists than a card of little memory holds.
#[test]
fn too_little_memory_is_an_error() {
    let device = device();
    let (large, count) = (6.0 * RADIUS, 33);
    let mut builder = World::builder();
    let grain = builder.material(Material::elastic("grain", 2500.0, 1e7, 0.25));
    let place = |k: i32| f64::from(k - count / 2) * 2.1 * RADIUS;
    for (x, y, z) in (0..count).flat_map(|x| (0..count).flat_map(move |y| (0..count).map(move |z| (x, y, z)))) {
        let p = Vec3::new(place(x), place(y), place(z));
        if p.norm() > large + RADIUS {
            builder.particle(p, RADIUS, grain);
        }
    }
    builder.particle(Vec3::zeros(), large, grain);
    let (world, state) = builder.build().expect("a world");
    let needed = 16 * 250 * state.len() as u64;
    if device.largest_buffer() > needed {
        println!("skipped: this device has memory enough");
        return;
    }
    let why = steps(&mut on_card(world, state), 1, 1).expect_err("too little memory").to_string();
    assert!(why.contains("the device failed: ") && why.contains("--device cpu"), "{why}");
}
