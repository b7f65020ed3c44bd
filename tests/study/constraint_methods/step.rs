use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_studies::constraint_methods::{EulerStep, Method};

use crate::common::system::assert_close;
use crate::study::constraint_methods::cases::{beam, colliding, spinning_chain, strict, until};

/// A step by the nullspace's way is one of the implicit integrator.
#[test]
fn is_a_step_of_runs() {
    for case in [spinning_chain(), beam(), colliding()] {
        let mut contacts = Contacts::new(&case.world, &case.state);
        let step = EulerStep::new(&case.world, &case.state, case.dt);
        let series = Method::Nullspace.minimise(&step.problem(&contacts), &until(1e-10, 50));
        let got = step.end(&series.end);
        let mut want = case.state.clone();
        let mut euler = Implicit::new(TimeRule::Euler, &case.world, &strict());
        euler.step(&case.world, &mut contacts, &mut want, case.dt).expect("a step");
        assert_eq!(got.time, want.time);
        assert_close(case.name, &got, &want, 1e-6);
    }
}
