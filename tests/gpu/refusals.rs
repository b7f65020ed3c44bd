//! Worlds without steps on a card.

use bdem_core::model::{BondModel, Constraint, DriveLaw, Driven, Motion, Ramp};
use bdem_core::prelude::*;
use bdem_gpu::block::Card;
use bdem_gpu::refuse::Refusal;

use crate::{beam, device, ends};

fn refusal(world: &World) -> Refusal {
    Card::new(&device(), world).err().expect("a world that a card does not have")
}

#[test]
fn worlds_without_a_shader_are_refused() {
    let printed =
        Material { bond: BondModel::PRINTED_PARTICLE_BINDER, ..Material::elastic("binder", 1000.0, 1e7, 0.25) };
    let (world, _) = beam(printed, [None, None]);
    let why = refusal(&world);
    assert!(matches!(why, Refusal::Law(_)) && why.to_string().contains("processor"), "{why}");
}

#[test]
fn parts_that_a_card_does_not_have_are_refused() {
    let (mut world, start) = beam(crate::stone(), [None, None]);
    let drive = Driven::new(Motion::Fixed, Vec3::x(), Ramp::constant(1.0), DriveLaw::Mass(1.0));
    world.constraints.push(Constraint::moved(ends(&start.p, 1.0), Motion::Driven(Box::new(drive))));
    assert!(matches!(refusal(&world), Refusal::Driven(0)));
}
