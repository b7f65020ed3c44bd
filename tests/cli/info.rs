use std::fs;

use crate::cli::{Workplace, rows};

#[test]
fn a_run_is_described() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let record = place.record("run");
    let folder = place.run(&["info", "run"]);
    folder.expect(0);
    for line in ["scene         plate", "state         done", "integrator    auto"] {
        assert!(folder.out.lines().any(|l| l == line), "no {line:?} in:\n{}", folder.out);
    }
    assert!(folder.out.contains(&format!("{} whole, {} broken", record.bonds, record.bonds_broken)), "{}", folder.out);
    assert_eq!(place.run(&["info", "run/run.json"]).out, folder.out);
}

#[test]
fn a_frame_is_described() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let record = place.record("run");
    let frame = place.run(&["info", "run/ply/plate.0001.ply"]);
    frame.expect(0);
    for (key, value) in [
        ("frame ", "1"),
        ("up axis", "z"),
        ("particles", &record.particles.to_string()),
        ("pieces", &record.pieces.to_string()),
        ("bonds", "not in the file"),
        ("radius", "0.003 to 0.003 m"),
    ] {
        let line = frame.out.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("no {key}"));
        assert_eq!(line[key.len()..].trim(), value, "{key}");
    }
}

#[test]
fn what_is_neither_is_refused() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let whole = fs::read(place.path("run/ply/plate.0001.ply")).expect("a frame");
    let files: [(&str, &[u8], &str); 5] = [
        ("empty.ply", b"", "not a PLY"),
        ("noise.ply", &[0xff, 0, 7, 0x80], "not a PLY"),
        ("cut.ply", &whole[..whole.len() - 1], "which declares"),
        ("foreign.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "not a frame"),
        ("noise.json", b"{", "record of a run"),
    ];
    for (name, bytes, fragment) in files {
        fs::write(place.path(name), bytes).expect("space");
        let ended = place.run(&["info", name]);
        ended.expect(5);
        ended.expect_error(&[name, fragment]);
    }
    place.run(&["info", "nothing.ply"]).expect(5);
    fs::create_dir(place.path("empty")).expect("space");
    place.run(&["info", "empty"]).expect(5);
}

/// A run of a specimen has its strength and modulus, and the charts that show them.
#[test]
fn a_material_test_is_described_and_drawn() {
    let place = Workplace::new();
    place.run(&["new", "tension"]).expect(0);
    place.run(&["simulate", "tension.toml", "-o", "run", "-q", "--set", "bodies.bar.particle_radius=0.005"]).expect(0);
    let info = place.run(&["info", "run"]);
    info.expect(0);
    for words in ["ended         the load of grip fell", "test          tension", "(F/A)", "((F/A)/strain)"] {
        assert!(info.out.contains(words), "no {words:?} in:\n{}", info.out);
    }
    let record = place.record("run");
    let results = record.specimen.as_ref().expect("it has ended");
    let csv = place.run(&["info", "run", "--format", "csv"]);
    assert!(
        csv.out.lines().next().is_some_and(|head| head
            .ends_with("error,test,peak_load,displacement_at_peak,strength,modulus,poisson_ratio,fracture_energy")),
        "{}",
        csv.out
    );
    let row = &rows(&csv.out)[0];
    let cells = row[row.len() - 7..].iter().map(|cell| cell.parse().ok()).collect::<Vec<Option<f64>>>();
    let bits = [results.peak_load, results.displacement_at_peak, results.strength, results.modulus];
    assert_eq!((&cells[1..5], &row[row.len() - 7..][0]), (&bits[..], &"tension".to_owned()));
    let json = place.run(&["info", "run", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("a list");
    assert_eq!(json[0]["specimen"], serde_json::to_value(results).expect("numbers"));
    assert_eq!(place.run(&["info", "run", "--format", "text"]).out, info.out);
    assert_eq!(place.run(&["info", "run", "run", "--format", "text"]).out, format!("{0}\n{0}", info.out));
    place.run(&["plot", "run", "-q"]).expect(0);
    assert!(place.read("run/plot/load.svg").contains("tension: strength F/A = "));
    assert!(place.read("run/plot/forces.svg").contains("grip"));
}
