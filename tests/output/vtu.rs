use bdem_run::output::ply::{BondGroups, Edge, Frame, Vertex};
use bdem_run::output::{write_pvd, write_vtu};

fn frame() -> Frame {
    let vertex = |id: i32| Vertex {
        x: id as f32,
        vy: 2.0 * id as f32,
        orient_w: 1.0,
        pscale: 0.5,
        id,
        piece: id / 2,
        stress: 1e6 + id as f32,
        ..Vertex::default()
    };
    let edge = |vertex1, vertex2| Edge { vertex1, vertex2, ..Edge::default() };
    let edges = vec![edge(0, 1), edge(1, 2)];
    Frame {
        comments: vec!["time: 0.5 s -- <&".to_owned()],
        vertices: (0..3).map(vertex).collect(),
        edges: Some(edges),
        ..Frame::default()
    }
}

/// The bytes of the array of this name, which lie where the XML says.
fn array<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
    const MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n_";
    let start = file.windows(MARK.len()).position(|bytes| bytes == MARK).expect("the mark") + MARK.len();
    let xml = std::str::from_utf8(&file[..start]).expect("XML before it");
    let line =
        xml.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap_or_else(|| panic!("no {name}"));
    let (_, offset) = line.rsplit_once("offset=\"").expect("an offset");
    let at = start + offset.split('"').next().expect("a number").parse::<usize>().expect("a number");
    let length = u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize;
    &file[at + 8..at + 8 + length]
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

fn longs(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks().0.iter().map(|eight| i64::from_le_bytes(*eight)).collect()
}

#[test]
fn arrays_lie_where_the_file_says() {
    let mut file = Vec::new();
    write_vtu(&mut file, &frame()).expect("memory");
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("<Piece NumberOfPoints=\"3\" NumberOfCells=\"5\">"), "{text}");
    assert!(text.contains("<!-- time: 0.5 s - - <& -->") && text.ends_with("</AppendedData>\n</VTKFile>\n"));
    assert_eq!(floats(array(&file, "Points")), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!(floats(array(&file, "velocity")), [0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 4.0, 0.0]);
    assert_eq!(floats(array(&file, "orientation"))[..4], [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(array(&file, "stress")), [1e6, 1_000_001.0, 1_000_002.0]);
    assert_eq!(array(&file, "piece"), [0i32, 0, 1].map(i32::to_le_bytes).concat());
    assert_eq!(longs(array(&file, "connectivity")), [0, 1, 2, 0, 1, 1, 2]);
    assert_eq!(longs(array(&file, "offsets")), [1, 2, 3, 5, 7]);
    assert_eq!(array(&file, "types"), [1, 1, 1, 3, 3]);
}

#[test]
fn a_series_names_its_files_by_time() {
    let mut text = Vec::new();
    write_pvd(&mut text, &[(0.0, "a.0000.vtu".to_owned()), (0.25, "a.0001.vtu".to_owned())]).expect("memory");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("<DataSet timestep=\"0.25\" file=\"a.0001.vtu\"/>"), "{text}");
}

/// Names of frames may be those of files of any origin.
#[test]
fn names_and_comments_are_no_markup() {
    let mut text = Vec::new();
    write_pvd(&mut text, &[(0.0, "a\"/><b c='&\u{1b}'.vtu".to_owned())]).expect("memory");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("file=\"a&quot;/&gt;&lt;b c=&apos;&amp;\\u001b&apos;.vtu\"/>"), "{text}");
    let mut vtu = Vec::new();
    let comments = vec!["--> \u{1b}[31m".to_owned()];
    write_vtu(&mut vtu, &Frame { comments, ..frame() }).expect("memory");
    assert!(String::from_utf8_lossy(&vtu).contains("<!-- - -> \\u001b[31m -->"));
}

/// Bonds come after the cells of particles.
#[test]
fn properties_of_bonds_are_data_of_cells() {
    let mut loaded = frame();
    loaded.has_displacement = true;
    loaded.vertices[1].dy = 0.5;
    loaded.bond_groups = BondGroups { id: true, force: true, stress: true, ..BondGroups::default() };
    for (k, edge) in loaded.edges.iter_mut().flatten().enumerate() {
        (edge.id, edge.force_y, edge.sigma) = (7 + k as i32, 2.0, 1e6 + k as f32);
    }
    let mut file = Vec::new();
    write_vtu(&mut file, &loaded).expect("memory");
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("<CellData>") && !text.contains("\"moment\""), "{text}");
    assert_eq!(array(&file, "bond"), [-1i32, -1, -1, 7, 8].map(i32::to_le_bytes).concat());
    assert_eq!(floats(array(&file, "force"))[9..], [0.0, 2.0, 0.0, 0.0, 2.0, 0.0]);
    assert_eq!(floats(array(&file, "sigma")), [0.0, 0.0, 0.0, 1e6, 1_000_001.0]);
    assert_eq!(floats(array(&file, "displacement"))[3..6], [0.0, 0.5, 0.0]);
    let mut plain = Vec::new();
    write_vtu(&mut plain, &frame()).expect("memory");
    assert!(!String::from_utf8_lossy(&plain).contains("CellData"));
}

#[test]
fn charges_are_written_where_a_frame_has_them() {
    let mut charged = Frame { has_charge: true, ..frame() };
    charged.vertices[1].charge = -2e-6;
    let bytes = |frame: &Frame| {
        let mut out = Vec::new();
        write_vtu(&mut out, frame).expect("a vector takes everything");
        out
    };
    assert_eq!(floats(array(&bytes(&charged), "charge")), [0.0, -2e-6, 0.0]);
    assert!(!String::from_utf8_lossy(&bytes(&frame())).contains("charge"));
}
