//! Errors of a step name their particle.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::StepError;
use bdem_core::internals::contact::{Contacts, FrictionForce, SurfaceMotion};
use bdem_core::model::{Material, World};

/// Two pairs of spheres overlap, the second pair by twice as much.
#[test]
fn unsettled_contacts_name_the_particle_of_the_largest_change() {
    let mut builder = World::builder();
    let mut rubber = Material::elastic("rubber", 1100.0, 1e7, 0.25);
    (rubber.static_friction, rubber.friction) = (0.5, 0.5);
    let rubber = builder.material(rubber);
    for x in [0.0, 0.019, 1.0, 1.018] {
        builder.particle(Vec3::new(x, 0.0, 0.0), 0.01, rubber);
    }
    let (world, state) = builder.build().unwrap();
    let mut contacts = Contacts::new(&world, &state);
    let mut update = || contacts.update_friction_limits(&world, &state, SurfaceMotion::None, FrictionForce::Mean);
    let change = update();
    assert_eq!(change.particle(), Some(2));
    assert!((change.share() - 1.0).abs() < 1e-12);
    let error = StepError::ContactsUnsettled { rounds: 8, change };
    assert_eq!(error.particle(), Some(2));
    let want = "contacts do not settle in 8 rounds (friction's limits still change by 100.0 %, most at particle 2)";
    assert_eq!(error.to_string(), want);

    let change = update();
    assert_eq!((change.share(), change.particle()), (0.0, None));
    let want = "contacts do not settle in 8 rounds (friction's limits still change by 0.0 %)";
    assert_eq!(StepError::ContactsUnsettled { rounds: 8, change }.to_string(), want);
}
