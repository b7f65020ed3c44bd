use std::sync::OnceLock;

use bdem_core::geometry::{Quat, Vec3};
use bdem_core::simulate::FractureEvent;
use bdem_pictures::clip::{Clip, Timing};
use bdem_pictures::formats::{write_glb, write_usd};
use bdem_pictures::pieces::{Motion, Skin};
use bdem_pictures::surface::SurfaceMesh;
use bdem_pictures::view::{Moment, RestPieces, RigidPiece, Scope, Shown, write_page};
use bdem_run::output::ply::{Frame, Vertex};
use serde_json::Value;

use crate::pieces::RADIUS;
use crate::pieces::motion::{halves, of_halves, particle};
use crate::render::colliders;
use crate::view::unpacked;

/// Bytes of a clip of two frames, in which the halves of a box part, by `write`.
fn clip(write: fn(&mut dyn std::io::Write, &Clip) -> std::io::Result<()>) -> Vec<u8> {
    clip_with(|_| {}, |_| {}, write)
}

/// The same, changed before and after its frames are added.
fn clip_with(
    before: impl Fn(&mut Clip),
    after: impl Fn(&mut Clip),
    write: fn(&mut dyn std::io::Write, &Clip) -> std::io::Result<()>,
) -> Vec<u8> {
    let (pieces, places) = halves();
    let (mass, radii, radius) = (vec![1.0; places.len()], [RADIUS], vec![RADIUS; places.len()]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let timing = Timing { start: 1001.0, fps: 24.0, speed: 0.1 };
    let mut clip = Clip::new("a-b", motion, &radius, timing);
    before(&mut clip);
    for (frame, shift) in [(0, 0.0), (1, 0.05)] {
        let at = |p: &Vec3| {
            let side = i32::from(p.x > 0.0);
            particle(&(p + Vec3::x() * (shift * f64::from(side))), &Vec3::x(), side * frame as i32)
        };
        let particles: Vec<Vertex> = places.iter().map(at).collect();
        clip.add(frame, 0.01 * f64::from(frame), &particles);
    }
    after(&mut clip);
    let mut bytes = Vec::new();
    write(&mut bytes, &clip).expect("memory takes all");
    bytes
}

#[test]
fn usd_has_yarns_as_curves_and_fractures_with_times() {
    let event = FractureEvent {
        time: 0.005,
        x: 0.3,
        normal_z: 1.0,
        velocity_x: 2.0,
        area: std::f64::consts::PI * 1e-4,
        energy: 0.25,
        ..FractureEvent::default()
    };
    let late = FractureEvent { time: 1.0, ..event };
    let bytes = clip_with(
        |clip| clip.set_yarns(vec![vec![0, 1, 2], vec![3, 4]]),
        |clip| clip.set_fractures(&[event, late], &Vec3::new(0.1, 0.0, 0.0)),
        write_usd,
    );
    let text = String::from_utf8(bytes).expect("text");
    let prim = |start: &str| text.split(start).nth(1).and_then(|rest| rest.split("def ").next()).expect("a prim");
    let yarns = prim("def BasisCurves \"a_yarns\"");
    let colour = bdem_run::scene::Look::default().outside.map(|part| part.to_string()).join(",");
    for look in [
        format!("primvars:displayColor = [({colour})] (interpolation = \"constant\")"),
        "material:binding = </a_b/materials/a_outside>".to_owned(),
    ] {
        assert!(yarns.contains(&look), "no {look} in {yarns:.600}");
    }
    assert_eq!(lists(yarns, "curveVertexCounts"), [["3", "2"]]);
    assert_eq!(lists(yarns, "widths")[0].len(), 5);
    let samples: Vec<&str> = yarns.lines().filter(|line| line.contains(": [(")).collect();
    assert!(samples.len() == 2 && samples.iter().all(|line| line.matches('(').count() == 5), "{samples:?}");
    let fractures = prim("def Points \"fractures\"");
    for line in [
        "points = [(0.2,0,0)]",
        "normals = [(0,0,1)]",
        // 0.1 s of the run per second of playback
        "velocities = [(0.2,0,0)]",
        "widths = [0.02]",
        "primvars:frame = [1002.2]",
        "primvars:energy = [0.25]",
    ] {
        assert!(fractures.contains(line), "no {line} in {fractures}");
    }
}

/// Values in brackets after `attribute`, for each prim that has it.
fn lists<'a>(text: &'a str, attribute: &str) -> Vec<Vec<&'a str>> {
    let start = format!("{attribute} = [");
    let after = text.split(start.as_str()).skip(1);
    after.map(|rest| rest.split(']').next().unwrap_or("").split(',').collect()).collect()
}

#[test]
fn usd_has_a_mesh_a_piece_with_faces_of_both_kinds() {
    let text = String::from_utf8(clip(write_usd)).expect("text");
    assert!(text.starts_with("#usda 1.0\n(\n    defaultPrim = \"a_b\""), "{:.200}", text);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert_eq!(text.matches("def Mesh \"a_00000").count(), 2);
    for word in ["startTimeCode = 1001", "endTimeCode = 1004", "upAxis = \"Z\"", "metersPerUnit = 1"] {
        assert!(text.contains(word), "{word}");
    }
    let numbers = |list: &[&str]| -> Vec<usize> { list.iter().map(|word| word.parse().expect("a number")).collect() };
    let (counts, indices) = (lists(&text, "faceVertexCounts"), lists(&text, "faceVertexIndices"));
    let (points, subsets) = (lists(&text, "point3f[] points"), lists(&text, "int[] indices"));
    assert_eq!((counts.len(), indices.len(), points.len(), subsets.len()), (2, 2, 2, 4));
    for k in 0..2 {
        let counts = numbers(&counts[k]);
        let indices = numbers(&indices[k]);
        assert_eq!(counts.iter().sum::<usize>(), indices.len());
        assert_eq!(indices.iter().max().map(|last| last + 1), Some(points[k].len() / 3));
        let faces: Vec<usize> = [2 * k, 2 * k + 1].iter().flat_map(|&s| numbers(&subsets[s])).collect();
        assert_eq!(faces, (0..counts.len()).collect::<Vec<_>>());
        for attribute in ["primvars:normals:indices", "primvars:st:indices"] {
            assert_eq!(numbers(&lists(&text, attribute)[k]).len(), indices.len());
        }
    }
}

/// Numbers in brackets of the lines with a time, after `attribute`.
fn samples(text: &str, attribute: &str) -> Vec<Vec<f64>> {
    let lines = text.split(&format!("{attribute}.timeSamples = {{")).nth(1).and_then(|rest| rest.split('}').next());
    let numbers = |line: &str| {
        let value = line.split_once(": ")?.1;
        Some(value.split(|c| "[](), ".contains(c)).filter_map(|word| word.parse().ok()).collect())
    };
    lines.unwrap_or_else(|| panic!("no samples of {attribute}")).lines().filter_map(numbers).collect()
}

#[test]
fn usd_has_extent_and_normals_of_each_frame_where_pieces_bend() {
    let bytes = clip_with(
        |_| {},
        |clip| {
            let (_, places) = halves();
            let bent = |p: &Vec3| particle(&(p + Vec3::z() * (4.0 * p.x * p.x)), &Vec3::zeros(), i32::from(p.x > 0.0));
            let bent: Vec<Vertex> = places.iter().map(bent).collect();
            clip.add(2, 0.02, &bent);
            clip.set_skins(Skin::of(&clip.motion, &[0, 1], Skin::EDGE));
            (0..3).for_each(|index| clip.bend(index, &bent));
        },
        write_usd,
    );
    let text = String::from_utf8(bytes).expect("text");
    let prim = text.split("def Mesh").nth(1).expect("a piece");
    let (points, extents) = (samples(prim, "point3f[] points"), samples(prim, "float3[] extent"));
    let normals = samples(prim, "normal3f[] primvars:normals");
    // the first frame, that before the change, and the bent one
    assert_eq!((points.len(), extents.len(), normals.len()), (3, 3, 3));
    assert_eq!(points[0], points[1]);
    for (points, extent) in points.iter().zip(&extents) {
        for axis in 0..3 {
            let along = || points.iter().skip(axis).step_by(3);
            assert!((along().copied().fold(f64::INFINITY, f64::min) - extent[axis]).abs() < 1e-5);
            assert!((along().copied().fold(f64::NEG_INFINITY, f64::max) - extent[3 + axis]).abs() < 1e-5);
        }
    }
    assert!(normals[1] != normals[2] && extents[1] != extents[2]);
}

/// Halves of a box whose ends are in slots of their own.
#[test]
fn slots_have_materials_and_bodies_of_one_material_share_them() {
    let prims = |text: &str, kind: &str| -> Vec<String> {
        let start = format!("def {kind} \"");
        let names = text.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next());
        names.map(str::to_owned).collect()
    };
    let usd = String::from_utf8(clip_with(|clip| clip.materials = vec!["clay.1".to_owned()], |_| {}, write_usd));
    let usd = usd.expect("text");
    assert_eq!(prims(&usd, "Material"), ["clay_1_outside", "clay_1_inside"]);
    assert_eq!(prims(&usd, "GeomSubset"), ["outside", "inside", "outside", "inside"]);
    let (mut pieces, places) = halves();
    let mut body = pieces.bodies[0].clone().expect("a mesh");
    body.mesh.slot_names = ["inside", "gold.1"].map(str::to_owned).into();
    body.mesh.slots.fill(1);
    body.mesh.slots[0] = 2;
    pieces.bodies.push(Some(body.clone()));
    pieces.bodies[0] = Some(body);
    for (piece, body) in pieces.pieces.iter_mut().zip(0..) {
        piece.body = body;
        let outside = piece.outside;
        piece.mesh.slots[..outside].fill(1);
        piece.mesh.slots[0] = 2;
    }
    let (mass, radii, radius) = (vec![1.0; places.len()], [RADIUS; 2], vec![RADIUS; places.len()]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &of_halves(&places),
    };
    let timing = Timing { start: 1.0, fps: 24.0, speed: 1.0 };
    let mut clip = Clip::new("a", motion, &radius, timing);
    clip.materials = vec!["clay".to_owned(); 2];
    let (mut usd, mut glb) = (Vec::new(), Vec::new());
    write_usd(&mut usd, &clip).expect("memory");
    let usd = String::from_utf8(usd).expect("text");
    assert_eq!(prims(&usd, "Material"), ["inside", "gold_1", "clay_inside"]);
    assert_eq!(prims(&usd, "GeomSubset"), ["inside_2", "gold_1", "inside", "inside_2", "gold_1", "inside"]);
    write_glb(&mut glb, &clip).expect("memory");
    let (json, _) = parts(&glb);
    let names = |k: usize| json["materials"][k]["name"].as_str().expect("a name").to_owned();
    for mesh in json["meshes"].as_array().expect("meshes") {
        let used = mesh["primitives"].as_array().expect("primitives").iter();
        let used: Vec<String> = used.map(|one| names(one["material"].as_u64().expect("an index") as usize)).collect();
        assert_eq!(used, ["inside", "gold.1", "clay_inside"]);
    }
}

#[test]
fn colliders_keep_their_names_under_one_parent() {
    let walls = colliders(
        "[[colliders]]\nname = 'a-vil'\nshape = { box = { size = [1, 1, 1] } }\n\
         [[colliders]]\nshape = { union = [{ sphere = { radius = 1 } }, { box = { size = [1, 1, 9] } }] }\n\
         [[colliders]]\nname = 'a_vil'\nshape = { sphere = { radius = 1 } }\nposition = [3, 0, 0]\n",
    );
    let usd = clip_with(|clip| clip.colliders = walls.clone(), |_| {}, write_usd);
    let usd = String::from_utf8(usd).expect("text");
    let scope = usd.split("def Xform \"colliders\"").nth(1).expect("colliders");
    let names: Vec<&str> = scope.split("def Mesh \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names, ["a_vil", "collider_001", "a_vil_2"]);
    assert_eq!(scope.matches("material:binding = </a_b/materials/collider>").count(), 3);
    // six quadrilaterals, and no texture coordinates
    assert_eq!(lists(scope, "faceVertexCounts")[0], ["4"; 6]);
    assert!(!scope.contains("primvars:st"));
    let glb = clip_with(|clip| clip.colliders = walls.clone(), |_| {}, write_glb);
    let nodes = parts(&glb).0["nodes"].clone();
    assert_eq!(
        (&nodes[0]["children"], &nodes[3]["children"]),
        (&serde_json::json!([1, 2, 3]), &serde_json::json!([4, 5, 6]))
    );
    assert_eq!((&nodes[3]["name"], &nodes[4]["name"]), (&"colliders".into(), &"a-vil".into()));
}

/// Half a box of 0.12, 0.16 and 0.08 m.
#[test]
fn usd_has_the_mass_of_rigid_bodies() {
    let text = String::from_utf8(clip(write_usd)).expect("text");
    let value = |key: &str| -> Vec<f64> {
        let start = format!("physics:{key} = ");
        let rest = text.split(start.as_str()).nth(1).and_then(|rest| rest.lines().next()).expect(key);
        rest.split(|c| "(), ".contains(c)).filter_map(|word| word.parse().ok()).collect()
    };
    let mass = value("mass")[0];
    assert!(mass > 1.0 && text.contains("kilogramsPerUnit = 1") && text.contains("[\"PhysicsMassAPI\"]"));
    assert_eq!(value("centerOfMass"), [0.0; 3]);
    let [x, y, z] = [0.12, 0.16, 0.08].map(|side: f64| side * side * mass / 12.0);
    for (moment, expected) in value("diagonalInertia").iter().zip([y + z, z + x, x + y]) {
        assert!((moment / expected - 1.0).abs() < 0.01, "{moment} {expected}");
    }
    assert!((value("principalAxes")[0] - 1.0).abs() < 1e-3, "{:?}", value("principalAxes"));
}

#[test]
fn glass_is_transparent_and_others_are_not() {
    use bdem_run::scene::{Look, LookPreset};
    let of = |look: Look| {
        let usd = clip_with(|clip| clip.looks = vec![look], |_| {}, write_usd);
        let glb = clip_with(|clip| clip.looks = vec![look], |_| {}, write_glb);
        (String::from_utf8(usd).expect("text"), parts(&glb).0)
    };
    let (usd, glb) = of(LookPreset::Glass.look());
    assert_eq!((usd.matches("inputs:opacity = 0.1\n").count(), usd.matches("inputs:ior = 1.52\n").count()), (2, 2));
    assert_eq!(glb["extensionsUsed"], serde_json::json!(["KHR_materials_transmission", "KHR_materials_ior"]));
    let extensions = &glb["materials"][0]["extensions"];
    assert_eq!(extensions["KHR_materials_transmission"]["transmissionFactor"], 0.9);
    assert_eq!(extensions["KHR_materials_ior"]["ior"], 1.52);
    let (usd, glb) = of(LookPreset::Clay.look());
    assert!(!usd.contains("opacity") && !usd.contains("ior"));
    assert!(glb["extensionsUsed"].is_null() && glb["materials"][0]["extensions"].is_null());
}

#[test]
fn usd_moves_pieces_in_slow_motion() {
    let text = String::from_utf8(clip(write_usd)).expect("text");
    // 0.01 s at a tenth of the speed are 2.4 frames at 24 a second
    let samples: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("1003.4:")).collect();
    let shifts: Vec<f64> = text
        .split("xformOp:translate")
        .filter_map(|part| part.split("1003.4: (").nth(1)?.split(',').next()?.parse().ok())
        .collect();
    assert!(!samples.is_empty());
    // the other half stays: its translation is written once
    assert!(shifts.iter().any(|x| (x - 0.11).abs() < 1e-3), "{shifts:?}");
    // m per second of playback
    assert!(text.contains("1001: (0.1, 0, 0)"), "velocities");
    let freed: Vec<&str> = text.lines().filter_map(|line| line.split("freed_at = ").nth(1)).collect();
    assert_eq!(freed, ["1", "1"]);
}

/// JSON and binary part of a GLB file.
fn parts(file: &[u8]) -> (Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
    let length = word(12);
    assert_eq!((&file[16..20], length % 4), (&b"JSON"[..], 0));
    let json = serde_json::from_slice(&file[20..20 + length]).expect("JSON");
    assert_eq!(&file[24 + length..28 + length], b"BIN\0");
    assert_eq!(word(20 + length), file.len() - 28 - length);
    (json, &file[28 + length..])
}

#[test]
fn glb_is_sound() {
    let file = clip(write_glb);
    let (json, bytes) = parts(&file);
    let list = |name: &str| json[name].as_array().unwrap_or_else(|| panic!("{name}")).clone();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let (views, accessors) = (list("bufferViews"), list("accessors"));
    assert!(number(&json["buffers"][0]["byteLength"]) <= bytes.len());
    for view in &views {
        assert!(number(&view["byteOffset"]) % 4 == 0);
        assert!(number(&view["byteOffset"]) + number(&view["byteLength"]) <= bytes.len());
    }
    for accessor in &accessors {
        let width =
            ["SCALAR", "VEC2", "VEC3", "VEC4"].iter().position(|kind| accessor["type"] == *kind).expect("a type");
        let view = &views[number(&accessor["bufferView"])];
        assert_eq!(number(&accessor["count"]) * 4 * (width + 1), number(&view["byteLength"]));
    }
    for primitive in list("meshes").iter().flat_map(|mesh| mesh["primitives"].as_array().expect("primitives").clone()) {
        let view = &views[number(&accessors[number(&primitive["indices"])]["bufferView"])];
        let from = number(&view["byteOffset"]);
        let indices = bytes[from..from + number(&view["byteLength"])].as_chunks::<4>().0;
        let last = indices.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize).max().expect("indices");
        assert_eq!(last + 1, number(&accessors[number(&primitive["attributes"]["POSITION"])]["count"]));
    }
    assert_eq!(list("nodes").len(), 3);
    assert_eq!(list("nodes")[0]["children"], serde_json::json!([1, 2]));
    // only one half moves
    assert_eq!(json["animations"][0]["channels"].as_array().map(Vec::len), Some(2));
}

#[test]
fn pages_have_meshes_of_rigid_pieces_once_and_a_pose_a_frame() {
    let (pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let frame = |k: usize| {
        let at = |p: &Vec3| {
            let side = i32::from(p.x > 0.0);
            particle(&(p + Vec3::x() * (0.05 * k as f64 * f64::from(side))), &Vec3::y(), side * k as i32)
        };
        Frame { vertices: places.iter().map(at).collect(), ..Frame::default() }
    };
    let mut scope = Scope { surface: true, ..Scope::default() };
    for k in 0..2 {
        scope.add_frame(&frame(k), Moment { number: k as u32, time: 0.0 }).expect("as many particles");
    }
    scope.close();
    scope.rest = Some(RestPieces::of(&motion));
    let rigid = |k: usize| RigidPiece::all(&motion, &frame(k).vertices, 0.0);
    let mut page = Vec::new();
    write_page(&mut page, &scope, |k| Ok(Shown::Pieces(rigid(k), SurfaceMesh::default()))).expect("memory");
    let page = String::from_utf8(page).expect("text");
    let rest = unpacked(&page, "framerest");
    let corners = u32::from_le_bytes(rest[..4].try_into().expect("four bytes"));
    assert!(corners as usize >= pieces.pieces.iter().map(|piece| piece.mesh.points.len()).sum(), "{corners}");
    let numbers = |k: usize| {
        let bytes = unpacked(&page, &format!("frame{k}"));
        assert_eq!((bytes.len(), &bytes[..4]), (4 + 2 * 64, &[2, 0, 0, 0][..]));
        bytes[4..].as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect::<Vec<f32>>()
    };
    let (before, after) = (numbers(0), numbers(1));
    for (k, piece) in pieces.pieces.iter().enumerate() {
        let (side, row) = (f32::from(piece.centre.x > 0.0), 16 * k);
        assert_eq!((before[row..row + 4].to_vec(), before[row + 7]), (vec![0.0, 0.0, 0.0, 1.0], 0.0));
        assert!((after[row + 4] - before[row + 4] - 0.05 * side).abs() < 1e-6 && after[row + 7] == side);
        assert!((after[row + 9] - 1.0).abs() < 1e-6, "{}", after[row + 9]);
    }
    // what bends is a surface of its own
    let bent: Vec<Vertex> = places.iter().map(|p| particle(&(p + Vec3::z() * p.x.abs()), &Vec3::y(), 0)).collect();
    let mut page = Vec::new();
    let surface = || motion.posed(&bent, 0.0, &[OnceLock::new(), OnceLock::new()]);
    let shown = || Shown::Pieces(RigidPiece::all(&motion, &bent, 0.0), surface());
    write_page(&mut page, &scope, |_| Ok(shown())).expect("memory");
    let bytes = unpacked(&String::from_utf8(page).expect("text"), "frame0");
    assert_eq!(bytes[4 + 28..4 + 32], (-1.0_f32).to_le_bytes());
    assert_eq!(bytes[4 + 2 * 64..][..4], (surface().corners.len() as u32).to_le_bytes());
}
