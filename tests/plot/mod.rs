//! Tests of `crates/pictures/src/plot`.

use bdem_core::energy::{Energies, Energy};
use bdem_pictures::plot::{AxisScale, Drawing, RunCurves, all_charts, charts, comparison_chart, png, svg};
use bdem_run::output::{Columns, Metrics};
use bdem_run::run::LoadCurve;
use bdem_run::run::compare::{Comparison, RunRow};
use bdem_run::scene::{MaterialTest, Specimen};

/// A run of eleven frames in which half of a joule goes from motion to bonds, and one bond breaks a frame.
fn run(title: &str) -> RunCurves {
    let row = |frame: u32| Metrics {
        frame,
        time: 0.1 * f64::from(frame),
        energies: Energies::from([
            (Energy::KineticLinear, 1.0 - 0.05 * f64::from(frame)),
            (Energy::Stretch, 0.05 * f64::from(frame)),
            (Energy::Contact, 0.2),
        ]),
        total: 1.2,
        bonds_broken: frame as usize,
        steps: 5 * u64::from(frame.min(1)),
        ..Metrics::default()
    };
    RunCurves {
        title: title.to_owned(),
        metrics: (0..11).map(row).collect(),
        piece_sizes: vec![1, 1, 1, 4, 40],
        ..RunCurves::default()
    }
}

#[test]
fn lines_are_what_the_tables_say() {
    let [energy, breakage, _, step, pieces] = charts(&[run("a"), run("b")]);
    assert_eq!(energy.panels.len(), 2);
    let line = |label: &str| energy.panels[1].lines.iter().find(|line| line.label == label).expect("a line");
    assert_eq!(line("kinetic").points[10], (1.0, 0.5));
    assert_eq!(line("bonds").points[10], (1.0, 0.5));
    assert_eq!(breakage.panels[0].lines[0].points[7].1, 7.0);
    let steps = &step.panels[0].lines[0].points;
    assert_eq!(steps.len(), 10, "the initial state has no step");
    assert!(steps.iter().all(|(_, step)| (step - 0.02).abs() < 1e-15));
    assert_eq!(pieces.panels[0].lines[0].points, [(1.0, 5.0), (4.0, 2.0), (40.0, 1.0)]);
    assert_eq!(pieces.scale, AxisScale::Both);
}

#[test]
fn svg_has_titles_and_legends() {
    for chart in charts(&[run("plate one"), run("plate two")]) {
        let text = svg(&chart).expect("it can be drawn");
        let all = ["plate one", "plate two", chart.x_label, chart.y_label, &chart.panels[0].lines[0].label];
        all.iter().for_each(|word| assert!(text.contains(word), "{}: no {word}", chart.name));
    }
}

/// Lines in the first three colours, on white, and as large as it says.
#[test]
fn png_shows_the_lines() {
    let [energy, ..] = charts(&[run("plate")]);
    let file = png(&energy).expect("it can be drawn");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.width, info.height), energy.size());
    let count = |colour: [u8; 3]| pixels.as_chunks::<3>().0.iter().filter(|pixel| **pixel == colour).count();
    assert!(count([255; 3]) > pixels.len() / 6, "mostly white");
    for colour in [[0, 114, 178], [213, 94, 0], [0, 158, 115]] {
        assert!(count(colour) > 500, "{} of {colour:?}", count(colour));
    }
}

#[test]
fn a_comparison_has_its_runs_beside_each_other() {
    let run = |name: &str, seconds: f64, energy: Option<f64>| RunRow {
        name: name.to_owned(),
        frames: 2.0,
        steps: 10,
        seconds_per_frame: Some(seconds),
        bonds_broken: 70,
        energy,
        ..RunRow::default()
    };
    let runs = vec![run("implicit", 3.0, Some(-2.0)), run("explicit", 12.0, None)];
    let chart = comparison_chart(&Comparison { scene: "plate".to_owned(), runs, ..Comparison::default() });
    let values = |title: &str| {
        let panel = chart.panels.iter().find(|(name, _)| name.starts_with(title)).expect("a panel");
        panel.1.iter().map(|(_, value)| *value).collect::<Vec<_>>()
    };
    assert_eq!(values("wall-clock"), [Some(3.0), Some(12.0)]);
    assert_eq!(values("steps"), [Some(5.0); 2]);
    assert_eq!(values("bonds broken"), [Some(70.0); 2]);
    assert_eq!(values("energy"), [Some(-2.0), None]);
    let text = svg(&chart).expect("it can be drawn");
    let words = ["plate: ", "implicit, 2 frames", "explicit, 2 frames", "not known", "-2"];
    words.iter().for_each(|word| assert!(text.contains(word), "no {word}"));
    // the second bar is four times as long as the first
    let widths = bars(&text);
    assert!((widths[1] / widths[0] - 4.0).abs() < 0.05, "{widths:?}");
    assert!(png(&chart).is_ok());
}

/// Widths of the filled rectangles of a chart but for the page itself.
fn bars(svg: &str) -> Vec<f64> {
    let width = |rectangle: &str| rectangle.split_once("width=\"")?.1.split_once('"')?.0.parse().ok();
    svg.split("<rect ").skip(2).filter_map(width).collect()
}

#[test]
fn a_run_without_frames_or_numbers_is_drawn_empty() {
    let energies = Energies::from([(Energy::KineticLinear, f64::INFINITY)]);
    let broken = Metrics { total: f64::NAN, energies, ..Metrics::default() };
    for run in [RunCurves::default(), RunCurves { metrics: vec![broken; 3], ..RunCurves::default() }] {
        for chart in charts(std::slice::from_ref(&run)) {
            svg(&chart).expect("it can be drawn");
            png(&chart).expect("it can be drawn");
        }
    }
}

/// A run with forces has a chart of them, and one with a specimen its load curve, whose caption has the formulas.
#[test]
fn forces_and_load_curves_are_drawn() {
    let axes = |what: &str| ["x", "y", "z"].map(|axis| format!("grip.{what}_{axis}"));
    let names = ["frame", "time"].map(str::to_owned).into_iter().chain(axes("force")).chain(axes("displacement"));
    let row = |k: u32| {
        vec![
            f64::from(k),
            0.1 * f64::from(k),
            0.0,
            -3.0 * f64::from(k),
            4.0 * f64::from(k),
            0.0,
            0.0,
            1e-6 * f64::from(k),
        ]
    };
    let forces = Columns { names: names.collect(), rows: (0..11).map(row).collect() };
    let test = MaterialTest::Tension { area: 1e-4, length: Some(0.1) };
    let specimen = Specimen { load: "grip".to_owned(), gauge: None, lateral: None, body: None, test };
    let load = LoadCurve::new(&specimen, &forces).ok();
    assert_eq!(all_charts(&[run("none")]).len(), 5);
    let charts = all_charts(&[run("none"), RunCurves { forces, load, ..run("tension") }]);
    let names: Vec<_> = charts.iter().map(|chart| chart.name).collect();
    assert_eq!(names[5..], ["forces", "load"]);
    assert_eq!(charts[5].panels[1].lines[0].points[10], (1.0, 50.0));
    let load = &charts[6].panels[0];
    let (moved, force) = load.lines[0].points[10];
    assert!(charts[6].panels.len() == 1 && (moved - 1e-5).abs() < 1e-15 && force == 50.0, "{load:?}");
    let text = svg(&charts[6]).expect("it can be drawn");
    for word in ["strength F/A = 5.000e5 Pa", "modulus (F/A)/strain = 5.000e9 Pa", "deformation, m", "load, N"] {
        assert!(text.contains(word), "no {word}");
    }
}
