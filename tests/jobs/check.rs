use std::path::Path;

use bdem_core::interrupt::Interrupt;
use bdem_jobs::check::{CheckOptions, check, tune};
use bdem_jobs::error::JobError;
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::BALL;

fn scene(settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Scene::parse(Path::new("ball.toml"), BALL, &settings).expect("a good scene")
}

#[test]
fn a_report_has_the_numbers_that_it_prints() {
    let report = check(&scene(&[]), &CheckOptions::default()).expect("a report");
    let text = report.to_string();
    for line in [
        "scene          ball (1 frames of 1/100 s, auto)\n".to_owned(),
        format!("particles      {}\n", report.particles),
        format!("bonds          {}\n", report.bonds),
        format!("pieces         ball: {} piece; ", report.pieces[0].wholeness.pieces),
        format!("period T       {:.4e} s\n", report.period),
        format!("memory         about {:.0} MB\n", report.memory as f64 * 1e-6),
    ] {
        assert!(text.contains(&line), "no {line:?} in:\n{text}");
    }
    assert!(report.estimate.is_some() && report.failure.is_none() && report.impacts.is_empty());
    assert_eq!(report.moduli[0].body, "ball");
}

#[test]
fn a_check_stops_when_it_is_asked_to() {
    let interrupt = Interrupt::default();
    interrupt.request(2);
    let options = CheckOptions { interrupt, ..CheckOptions::default() };
    let breakable = scene(&["materials.rubber.tensile_strength=1e6", "materials.rubber.shear_strength=1e6"]);
    let errors = [check(&breakable, &options).err(), tune(&breakable, 3, &options).err()];
    for error in errors {
        assert!(matches!(error, Some(JobError::Run(RunError::Interrupted(2)))), "{error:?}");
    }
}

#[test]
fn kinds_of_errors_say_who_can_help() {
    let options = CheckOptions { max_memory: Some(1), ..CheckOptions::default() };
    let error = check(&scene(&[]), &options).expect_err("a byte is not enough");
    assert!(matches!(error, JobError::TooLarge(_)), "{error:?}");
    let error = tune(&scene(&[]), 3, &CheckOptions::default()).expect_err("nothing breaks");
    assert!(matches!(error, JobError::Usage(_)), "{error:?}");
}
