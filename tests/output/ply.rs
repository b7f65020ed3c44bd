use bdem_core::energy::bond;
use bdem_core::fracture::BondLoad;
use bdem_core::geometry::{Mat3, Vec3};
use bdem_run::output::ply::{BondGroups, Frame, FrameView};

use crate::output::parser::Ply;
use crate::output::sample::{Sample, bytes};

const PROPERTIES: &str = "float x, float y, float z, float vx, float vy, float vz, float wx, float wy, float wz, \
    float orient_x, float orient_y, float orient_z, float orient_w, float pscale, int id, int piece, \
    float damage, float stress";

#[test]
fn properties_stand_in_the_order_that_is_promised() {
    let ply = Ply::parse(&bytes(&Sample::new(3).view()));
    let properties: Vec<String> = ply.elements[0].properties.iter().map(|p| format!("{} {}", p.0, p.1)).collect();
    assert_eq!(properties.join(", "), PROPERTIES);
    assert_eq!(ply.elements.len(), 1, "bonds only on request");
}

#[test]
fn every_value_reads_back() {
    let sample = Sample::new(50);
    let ply = Ply::parse(&bytes(&sample.view()));
    let vertex = &ply.elements[0];
    assert_eq!((vertex.name.as_str(), vertex.count), ("vertex", 50));

    let vectors = [("x y z", &sample.state.p), ("vx vy vz", &sample.state.v), ("wx wy wz", &sample.state.w)];
    for (names, expected) in vectors {
        for (axis, name) in names.split(' ').enumerate() {
            assert_eq!(vertex.floats(name), singles(expected.iter().map(|v| v[axis])), "{name}");
        }
    }
    for (axis, name) in ["orient_x", "orient_y", "orient_z", "orient_w"].into_iter().enumerate() {
        assert_eq!(vertex.floats(name), singles(sample.state.q.iter().map(|q| q.coords[axis])), "{name}");
    }
    assert_eq!(vertex.floats("pscale"), singles(sample.particles.radius.iter().copied()));
    assert_eq!(vertex.floats("damage"), sample.damage);
    assert_eq!(vertex.floats("stress"), sample.stress);
    assert_eq!(vertex.ints("id"), (0..50).collect::<Vec<i32>>());
    assert_eq!(vertex.ints("piece"), (0..50).map(|i| i / 2).collect::<Vec<i32>>());
}

fn singles(values: impl Iterator<Item = f64>) -> Vec<f32> {
    values.map(|x| x as f32).collect()
}

#[test]
fn bonds_are_edges() {
    let sample = Sample::new(10);
    let ply = Ply::parse(&bytes(&FrameView { bonds: Some(&sample.bonds), ..sample.view() }));
    let edge = &ply.elements[1];
    assert_eq!((edge.name.as_str(), edge.count), ("edge", 9));
    assert_eq!(edge.ints("vertex1"), (0..9).collect::<Vec<i32>>());
    assert_eq!(edge.ints("vertex2"), (1..10).collect::<Vec<i32>>());
}

/// Properties on request stand after those that are always there.
#[test]
fn groups_of_properties_read_back() {
    let sample = Sample::new(10);
    let start: Vec<Vec3> = sample.state.p.iter().map(|p| p - Vec3::new(0.5, 0.25, p.x)).collect();
    let tensor: Vec<Mat3> =
        (0..10).map(|i| Mat3::new(1.0, 6.0, 5.0, 6.0, 2.0, 4.0, 5.0, 4.0, 3.0) * f64::from(i)).collect();
    let all = BondGroups { id: true, force: true, moment: true, stress: true };
    let groups = [all, BondGroups { id: true, stress: true, ..BondGroups::default() }];
    for bond_groups in groups {
        let view = FrameView {
            start: Some(&start),
            tensor: Some(&tensor),
            bonds: Some(&sample.bonds),
            bond_groups,
            ..sample.view()
        };
        let written = bytes(&view);
        let frame = Frame::read(std::io::Cursor::new(&written)).expect("a frame");
        assert_eq!((frame.has_displacement, frame.has_stress_tensor, frame.bond_groups), (true, true, bond_groups));
        let edges = frame.edges.expect("edges");
        let vertex = frame.vertices[3];
        assert_eq!([vertex.dx, vertex.dy, vertex.dz], [0.5, 0.25, sample.state.p[3].x as f32]);
        let stress = [
            vertex.stress_xx,
            vertex.stress_yy,
            vertex.stress_zz,
            vertex.stress_yz,
            vertex.stress_xz,
            vertex.stress_xy,
        ];
        assert_eq!(stress, [3.0, 6.0, 9.0, 12.0, 15.0, 18.0]);
        let bond = &sample.bonds[3];
        let (load, on) = (BondLoad::of(bond, &sample.state), bond::wrench(bond, &sample.state));
        assert_eq!((edges[3].id, edges[3].tau), (21, load.tau(bond) as f32));
        let moment = if bond_groups == all { on.torque.y as f32 } else { 0.0 };
        assert_eq!(edges[3].moment_y, moment);
        let ply = Ply::parse(&written);
        let last = ply.elements[0].properties.iter().map(|p| p.1.as_str()).skip(18).collect::<Vec<_>>().join(" ");
        assert_eq!(last, "dx dy dz stress_xx stress_yy stress_zz stress_yz stress_xz stress_xy");
    }
}

#[test]
fn no_particles_and_no_bonds_are_a_frame_too() {
    let sample = Sample::new(0);
    let ply = Ply::parse(&bytes(&FrameView { bonds: Some(&[]), ..sample.view() }));
    assert_eq!(ply.elements.iter().map(|e| e.count).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn the_header_says_what_the_numbers_mean() {
    let ply = Ply::parse(&bytes(&Sample::new(1).view()));
    let version = concat!("written by: bdem ", env!("CARGO_PKG_VERSION"));
    let expected = [
        version,
        "units: m, kg, s, rad, Pa",
        "up axis: z",
        "time: 0.03333333333333333 s",
        "frame: 16",
        "frame rate: 480 1/s",
        "scene digest: 0123abcd",
    ];
    assert_eq!(ply.comments, expected);
}

#[test]
fn up_is_against_gravity() {
    let sample = Sample::new(1);
    let directions =
        [([0.0, 0.0, 0.0], "z"), ([0.0, -9.8, 0.0], "y"), ([1.0, 9.8, 2.0], "-y"), ([-9.8, 0.0, -1.0], "x")];
    for (gravity, up) in directions {
        let ply = Ply::parse(&bytes(&FrameView { gravity: Vec3::from(gravity), ..sample.view() }));
        assert!(ply.comments.contains(&format!("up axis: {up}")), "{gravity:?}: {:?}", ply.comments);
    }
}

#[test]
#[should_panic(expected = "an entry a particle")]
fn arrays_of_different_lengths_are_a_mistake_of_the_program() {
    let sample = Sample::new(3);
    bytes(&FrameView { damage: &[], ..sample.view() });
}

/// Seconds for a frame of 219,000 particles: `cargo test --release --test output -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn a_large_frame_is_written_in_a_blink() {
    let (sample, folder) = (Sample::new(219_000), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("large.ply");
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let mut out = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
        bdem_run::output::ply::write_frame(&mut out, &sample.view()).expect("space");
        drop(out);
        let written = start.elapsed();
        bdem_run::output::write_whole(&path, |out| bdem_run::output::ply::write_frame(out, &sample.view()))
            .expect("space");
        let whole = start.elapsed() - written;
        let start = std::time::Instant::now();
        let frame = bdem_run::output::ply::read_frame(&path).expect("a frame");
        println!("{written:?}; with fsync {whole:?}; {} read in {:?}", frame.vertices.len(), start.elapsed());
    }
}
