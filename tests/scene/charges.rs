//! Charges and fields of scenes: what is built, and errors that point at their values.

use bdem_core::charge::{Adjacency, DdefSettings, ExternalField, Method};
use bdem_core::geometry::Vec3;
use bdem_core::model::World;

use crate::scene::{PLATE, parse};

/// The plate with what is charged.
fn charged(text: &str) -> String {
    format!("{PLATE}\n{text}")
}

fn world(text: &str) -> World {
    parse(&charged(text)).and_then(|scene| scene.build()).unwrap_or_else(|error| panic!("{error}")).0
}

/// Charges of the world's charged particles at a time.
fn charges_at(world: &World, time: f64) -> Vec<f64> {
    let mut charges = Vec::new();
    world.electrostatics.charges_at(time, &mut charges);
    charges
}

#[test]
fn particles_are_charged_each_evenly_or_over_time() {
    let each = world("[[charges]]\nbody = \"ball\"\ncharge = -2e-6");
    let count = each.particles.body.iter().filter(|body| **body == 1).count();
    assert!(count > 10 && charges_at(&each, 3.0) == vec![-2e-6; count]);

    let total = world("[[charges]]\nbody = \"ball\"\ntotal = 1e-3");
    assert!((charges_at(&total, 0.0).iter().sum::<f64>() - 1e-3).abs() < 1e-15);

    let keyed =
        world("[[charges]]\nbody = \"ball\"\nkeyframes = [{ time = 1, charge = 0 }, { time = 3, charge = 4e-6 }]");
    for (time, charge) in [(0.0, 0.0), (1.5, 1e-6), (9.0, 4e-6)] {
        assert_eq!(charges_at(&keyed, time), vec![charge; count]);
    }
    let near = world("[[charges]]\nregion = { nearest = { point = [0.0, 0.0, 0.3] } }\ncharge = 1e-6");
    assert_eq!((near.electrostatics.particles().len(), charges_at(&near, 0.0)), (1, vec![1e-6]));
}

#[test]
fn charges_and_fields_from_outside_are_built() {
    let world = world(
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n\
         [[external_charges]]\ncharge = 3e-6\nposition = [1.0, 0.0, 0.0]\nmotion = { velocity = [0.0, 2.0, 0.0] }\n\
         [[external_charges]]\nposition = [1.0, 0.0, 0.0]\nkeyframes = [{ time = 1, charge = 0 }, { time = 3, charge = 4e-6 }]\n\
         [[external_fields]]\nfield = { uniform = [1e5, 0.0, 0.0] }\nstart = 0.5\nrelease = 1.5\n\
         [[external_fields]]\nfield = { vortex = { strength = 2.0 } }\nkeyframes = [{ time = 1, factor = 2 }, { time = 2, factor = -1 }]\n\
         [[external_fields]]\nfield = { saddle = { strength = 3.0, centre = [0.0, 0.0, -1.0] } }\n\
         [field]\nmethod = \"tree\"\ntolerance = 1e-5\nsoftening = 0.01",
    );
    let electrostatics = &world.electrostatics;
    assert_eq!(electrostatics.external_charges[0].position_at(2.0), Vec3::new(1.0, 4.0, 0.0));
    let charges = electrostatics.external_charges.iter().map(|external| external.charge.at(1.5));
    assert_eq!(charges.collect::<Vec<_>>(), [3e-6, 1e-6]);
    let fields = &electrostatics.external_fields;
    let vortex = |time: f64| fields[1].at(time, &[Vec3::new(3.0, 4.0, 1.0)]).next();
    assert_eq!([vortex(0.0), vortex(1.5)], [Some(Vec3::new(16.0, -12.0, 0.0)), Some(Vec3::new(4.0, -3.0, 0.0))]);
    assert_eq!([0.0, 0.5, 1.0, 1.5].map(|time| fields[0].acts(time)), [false, true, true, false]);
    assert_eq!(fields[1].field, ExternalField::Vortex { strength: 2.0, centre: Vec3::zeros() });
    assert_eq!(fields[2].field, ExternalField::Saddle { strength: 3.0, centre: -Vec3::z() });
    assert_eq!((electrostatics.method, electrostatics.softening), (Method::Tree { tolerance: 1e-5 }, 0.01));
    let ddef = parse(&charged("[field]\nmethod = \"ddef\"\npoints = 50")).expect("a scene");
    let method = ddef.build().expect("a world").0.electrostatics.method;
    assert_eq!(method, Method::Ddef(DdefSettings { points: 50, adjacency: Adjacency::Vertex }));
    let faces = parse(&charged("[field]\nmethod = \"ddef\"\nadjacency = \"face\"")).expect("a scene");
    let method = faces.build().expect("a world").0.electrostatics.method;
    assert_eq!(method, Method::Ddef(DdefSettings { points: 100, adjacency: Adjacency::Face }));
}

/// What is added to the scene, the text that the error must underline, and a part of its message.
const WRONG: &[(&str, &str, &str)] = &[
    ("[[charges]]\ncharge = 1e-6", "[[charges]]\n", "missing region or body: the charge chooses no particles"),
    ("[[charges]]\nbody = \"bal\"\ncharge = 1e-6", "\"bal\"", "there is no body \"bal\""),
    ("[[charges]]\nbody = \"ball\"", "[[charges]]\n", "given in one way: charge, total, keyframes, or attribute"),
    ("[[charges]]\nbody = \"ball\"\ncharge = 1.0\ntotal = 1.0", "[[charges]]\n", "given in one way"),
    ("[[charges]]\nbody = \"ball\"\ncharge = inf", "inf", "charge is inf, but must be a finite number"),
    ("[[charges]]\nbody = \"ball\"\ntotal = nan", "nan", "total is NaN, but must be a finite number"),
    ("[[charges]]\nbody = \"ball\"\ntotal = 1e12", "1e12", "a number from -1000000000.0 to 1000000000.0 C"),
    ("[[charges]]\nbody = \"ball\"\nkeyframes = []", "[]", "keyframes is 0, but must be a list of at least one key"),
    (
        "[[charges]]\nbody = \"ball\"\nkeyframes = [{ time = 1.5, charge = 0 }, { time = 1.25, charge = 1e-6 }]",
        "1.25",
        "time is 1.25, but must be later than the key before, 1.5 s",
    ),
    (
        "[[charges]]\nbody = \"ball\"\nattribute = \"q\"",
        "\"q\"",
        "the particles of \"ball\" have no attributes: no file",
    ),
    (
        "[[charges]]\nregion = { nearest = { point = [0, 0, 0] } }\nattribute = \"q\"",
        "\"q\"",
        "missing key `body`: the file is that of its packing",
    ),
    ("[[external_charges]]\ncharge = 1e-6\nposition = [0, 0, 1]", "[[external_charges]]\n", "it acts on nothing"),
    ("[[external_fields]]\nfield = { uniform = [0, 0, 1] }", "[[external_fields]]\n", "it acts on nothing"),
    ("[field]\nsoftening = -0.5", "-0.5", "softening is -0.5, but must be a number of at least 0"),
    ("[field]\ntolerance = 0.5", "0.5", "tolerance is 0.5, but must be from 1e-12 to 0.1; without an error, method"),
    ("[field]\npoints = 0", "0", "points is 0, but must be from 1 to 100000"),
    ("[field]\npoints = 200000", "200000", "points is 200000, but must be from 1 to 100000"),
    ("[field]\nadjacency = \"edge\"", "\"edge\"", "expected `face` or `vertex`"),
    ("[field]\nmethod = \"pppm\"", "\"pppm\"", "expected one of `auto`, `exact`, `tree`, `ddef`"),
    (
        "[[charges]]\nregion = { sphere = { centre = [0.0, 0.0, 9.0], radius = 0.1 } }\ncharge = 1e-6",
        "{ centre = [0.0, 0.0, 9.0], radius = 0.1 }",
        "no particle's centre lies in this region: there is nothing to charge",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n\
         [[charges]]\nregion = { box = { min = [-1, -1, -1], max = [1, 1, 1.5] } }\ncharge = 2e-6",
        "{ min = [-1, -1, -1], max = [1, 1, 1.5] }",
        "of body \"ball\" has charge 0 of [[charges]] already",
    ),
    (
        "[[charges]]\nregion = { nearest = { point = [0, 0, 0] } }\ncharge = 1e-6\n\
         [[external_fields]]\nfield = { vortex = { strength = 1.0, centre = [0, 0, HEIGHT] } }",
        "{ vortex",
        "the external field has no value at point",
    ),
    (
        "[[charges]]\nregion = { nearest = { point = [0, 0, 0] } }\ncharge = 1e-6\n\
         [[external_charges]]\ncharge = 1e-6\nposition = [X, Y, HEIGHT]",
        "[",
        "is where charge 0 is",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_charges]]\ncharge = nan\nposition = [0, 0, 1]",
        "nan",
        "finite",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_charges]]\nposition = [0, 0, 1]",
        "[[external_charges]]",
        "the charge must be given in one way: charge, or keyframes",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_charges]]\nposition = [0, 0, 1]\n\
         keyframes = [{ time = 1.5, charge = 0 }, { time = 1.25, charge = 1e-6 }]",
        "1.25",
        "time is 1.25, but must be later than the key before, 1.5 s",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_fields]]\nfield = { uniform = [0, 0, 1] }\n\
         keyframes = [{ time = 1.5, factor = 0 }, { time = 1.5, factor = 1 }]",
        "1.5",
        "time is 1.5, but must be later than the key before, 1.5 s",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_fields]]\nfield = { uniform = [0, 0, 1] }\n\
         keyframes = [{ time = 1.5, factor = -1e12 }]",
        "-1e12",
        "factor is -1000000000000.0, but must be a number from -1000000000.0 to 1000000000.0",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_fields]]\nfield = { uniform = [0, 0, 1e30] }",
        "[0, 0, 1e30]",
        "a vector of at most 1e18 V/m",
    ),
    (
        "[[charges]]\nbody = \"ball\"\ncharge = 1e-6\n[[external_fields]]\nfield = { uniform = [0, 0, 1] }\nstart = 2.0\nrelease = 1.75",
        "1.75",
        "release is 1.75, but must be a number of seconds above start, 2.0",
    ),
];

#[test]
fn errors_point_at_what_is_wrong() {
    // the particle nearest to the origin, for fields that are singular there
    let (_, state) = parse(PLATE).and_then(|scene| scene.build()).expect("a scene");
    let nearest = state.p.iter().min_by(|a, b| a.norm().total_cmp(&b.norm())).expect("particles");
    let [x, y, z] = [nearest.x, nearest.y, nearest.z].map(|x| format!("{x:?}"));
    for (added, mark, message) in WRONG {
        let text = charged(&added.replace("HEIGHT", &z).replace('X', &x).replace('Y', &y));
        let error = parse(&text).and_then(|scene| scene.build()).expect_err(message).to_string();
        assert!(error.contains(message), "{message}: {error}");
        let line = error.lines().nth(2).unwrap_or_else(|| panic!("{error}"));
        assert!(line.contains(mark.trim_end()), "{mark}: {error}");
        // it is in what was added
        let number: usize = error.split(':').nth(1).and_then(|n| n.parse().ok()).expect("a line");
        assert!(number > PLATE.lines().count(), "{error}");
    }
}

/// A microcoulomb is no coulomb.
#[test]
fn large_charges_are_warned_of() {
    let scene = parse(&charged("[[charges]]\nbody = \"ball\"\ncharge = 6.0")).expect("a scene");
    let warnings = scene.warnings().join("\n");
    assert!(warnings.contains("charge is 6 C") && warnings.contains("6e-6 for microcoulombs?"), "{warnings}");
}
