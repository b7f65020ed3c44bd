//! Frames for other programs.

use bdem_run::output::ply::read_frame;
use bdem_run::scene::Scene;

use crate::cli::Workplace;

#[test]
fn frames_become_a_series_for_paraview() {
    let place = Workplace::new();
    place.simulate("run", &["--set", "output.bonds=true"]);
    place.run(&["convert", "run", "--frames", "0-1"]).expect(0);
    let series = |name: &str| place.read(&format!("run/vtu/{name}")).matches("<DataSet").count();
    assert_eq!(series("plate.pvd"), 2);
    let rest = place.run(&["convert", "run"]);
    rest.expect_error(&["2 of 4 frames written, the rest existed", "plate.pvd"]);
    assert_eq!(series("plate.pvd"), 4);
    assert!(place.read("run/vtu/plate.pvd").contains(&format!("timestep=\"{}\" file=\"plate.0002.vtu\"", 2.0 / 960.0)));

    let record = place.record("run");
    let last = std::fs::read(place.path("run/vtu/plate.0003.vtu")).expect("a file");
    let cells =
        format!("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", record.particles, record.particles + record.bonds);
    assert!(String::from_utf8_lossy(&last).contains(&cells), "no {cells}");
    place.run(&["convert", "run/ply/plate.0001.ply", "-o", "one", "--quiet"]).expect(0);
    assert_eq!(place.files("one"), ["plate.0001.vtu", "plate.pvd"].map(str::to_owned).into());
}

#[test]
fn what_is_no_run_is_refused() {
    let place = Workplace::new();
    place.run(&["convert", "nothing"]).expect(5);
    place.run(&["convert", "."]).expect(5);
    let ranges = place.run(&["convert", ".", "--frames", "3-1"]);
    ranges.expect(2);
    ranges.expect_error(&["1-100x2"]);
}

/// Particles, whole bonds and velocities of a frame are those of a body that is read from it.
#[test]
fn data_of_lammps_go_out_and_in() {
    let place = Workplace::new();
    place.simulate("run", &["--set", "output.bonds=true"]);
    let convert = ["convert", "run", "--to", "lammps", "--frames", "0-3x3"];
    place.run(&convert).expect_error(&["2 of 2 frames written", "lammps"]);
    place.run(&convert).expect_error(&["0 of 2 frames written, the rest existed"]);
    assert_eq!(place.files("run/lammps"), ["plate.0000.data", "plate.0003.data"].map(str::to_owned).into());

    let frame = read_frame(&place.path("run/ply/plate.0003.ply")).expect("a frame");
    // without the floor, which it has just struck
    let (head, _) = crate::cli::PLATE.split_once("particle_radius").expect("a body");
    let packing = "packing = { particles = { file = \"run/lammps/plate.0003.data\" } }\n";
    std::fs::write(place.path("again.toml"), format!("{head}{packing}")).expect("space");
    let scene = Scene::load(&place.path("again.toml")).unwrap_or_else(|error| panic!("{error}"));
    let (world, state) = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(state.len(), frame.vertices.len());
    // a body's particles are sorted by their places
    let mut order: Vec<usize> = (0..state.len()).collect();
    let place_of = |i: usize| frame.vertices[i].place();
    let axes = |i: usize| place_of(i).iter().copied().collect::<Vec<f64>>();
    order.sort_by(|&a, &b| {
        axes(a).iter().zip(axes(b)).map(|(a, b)| a.total_cmp(&b)).find(|o| o.is_ne()).unwrap_or(a.cmp(&b))
    });
    let mut row = vec![0; order.len()];
    for (k, &i) in order.iter().enumerate() {
        let vertex = &frame.vertices[i];
        assert_eq!((state.p[k], state.v[k]), (vertex.place(), vertex.velocity()));
        assert_eq!([state.w[k].x as f32, state.w[k].y as f32, state.w[k].z as f32], [vertex.wx, vertex.wy, vertex.wz]);
        assert_eq!(world.particles.radius[k], 0.003);
        row[i] = k as u32;
    }
    let pair = |a: i32, b: i32| [row[a as usize], row[b as usize]];
    let edges = frame.edges.as_ref().expect("bonds");
    let mut wanted: Vec<[u32; 2]> = edges.iter().map(|edge| pair(edge.vertex1, edge.vertex2)).collect();
    wanted.iter_mut().for_each(|ends| ends.sort_unstable());
    wanted.sort_unstable();
    assert!(wanted.len() > 100 && wanted.len() == place.record("run").bonds);
    assert_eq!(world.bonds().iter().map(|bond| [bond.i, bond.j]).collect::<Vec<_>>(), wanted);
}

/// Broken bonds are those of fractures.csv, where frames have none. Bodies are types.
#[test]
fn data_of_lammps_have_the_bonds_of_runs_whose_frames_have_none() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place.run(&["convert", "run/ply/plate.0003.ply", "--to", "lammps", "-q"]).expect(0);
    let data = place.read("run/lammps/plate.0003.data");
    let record = place.record("run");
    let (particles, broken) = (record.particles, place.read("run/fractures.csv").lines().count() - 1);
    assert!(broken > 10);
    let head = format!("{particles} atoms\n{} bonds\n1 atom types\n1 bond types\n", record.bonds);
    assert!(data.contains(&head), "{head}{broken}\n{}", &data[..300]);
    let mass: f64 = data
        .lines()
        .skip_while(|line| !line.starts_with("Atoms # bpm/sphere"))
        .skip(2)
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let words: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            words[4] * std::f64::consts::PI / 6.0 * words[3].powi(3)
        })
        .sum();
    let solid = 2600.0 * std::f64::consts::PI * 0.04f64.powi(2) * 0.016;
    assert!((mass / solid - 1.0).abs() < 1e-9, "{mass} {solid}");
    std::fs::remove_file(place.path("run/scene.resolved.toml")).expect("a file");
    place.run(&["convert", "run", "--to", "lammps", "--overwrite"]).expect_error(&["scene.resolved.toml"]);
}
