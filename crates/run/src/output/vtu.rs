//! Frames for ParaView: VTU files (unstructured grids) with all properties of particles, and a `.pvd` file that joins
//! them to a series. ParaView's PLY reader takes positions alone.
//!
//! The format is described in "VTK File Formats", docs.vtk.org. Arrays lie behind the XML, each after its length in bytes, all
//! little-endian.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::ply::{BondGroups, Edge, Frame, Vertex};
use crate::console::printable;

/// VTK's types of cells with one point and with two.
const POINT: u8 = 1;
const LINE: u8 = 3;

/// Array of numbers, with `components` in each tuple.
pub struct Array {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl Array {
    /// Array with a tuple of `N` 32-bit numbers for each vertex.
    pub fn floats<T, const N: usize>(name: &'static str, vertices: &[T], of: impl Fn(&T) -> [f32; N]) -> Self {
        let bytes = vertices.iter().flat_map(of).flat_map(f32::to_le_bytes).collect();
        Self { name, kind: "Float32", components: N, bytes }
    }

    /// Array with a 32-bit integer for each vertex.
    pub fn ints<T>(name: &'static str, vertices: &[T], of: impl Fn(&T) -> i32) -> Self {
        let bytes = vertices.iter().map(of).flat_map(i32::to_le_bytes).collect();
        Self { name, kind: "Int32", components: 1, bytes }
    }

    /// Array of 64-bit integers, such as the connectivity of cells.
    pub fn indices(name: &'static str, values: impl Iterator<Item = i64>) -> Self {
        Self { name, kind: "Int64", components: 1, bytes: values.flat_map(i64::to_le_bytes).collect() }
    }

    fn bytes(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, kind: "UInt8", components: 1, bytes }
    }
}

/// Write a frame as VTU: a point and a cell for each particle, and a line for each bond of the frame. Optional properties of bonds
/// are data of the cells; the cells of particles have zeros there, and the id -1.
///
/// # Errors
/// When the file cannot be written.
pub fn write_vtu(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    let edges = frame.edges.as_deref().unwrap_or_default();
    let sections = [
        ("PointData", of_points(frame)),
        ("CellData", of_cells(frame, edges)),
        ("Points", vec![Array::floats("Points", &frame.vertices, |v| [v.x, v.y, v.z])]),
        ("Cells", cells(frame.vertices.len(), edges)),
    ];
    let (points, cells) = (frame.vertices.len(), frame.vertices.len() + edges.len());
    let counts = format!("NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\"");
    write_vtk(out, "UnstructuredGrid", &frame.comments, &counts, &sections)
}

/// Write a file of this kind with one piece: its numbers of points and cells, and its sections of arrays.
pub fn write_vtk(
    out: &mut dyn Write,
    kind: &str,
    comments: &[String],
    counts: &str,
    sections: &[(&str, Vec<Array>)],
) -> io::Result<()> {
    let mut xml = String::from("<?xml version=\"1.0\"?>\n");
    for comment in comments {
        // two hyphens would end the comment
        writeln!(xml, "<!-- {} -->", printable(&comment.replace("--", "- -"))).map_err(io::Error::other)?;
    }
    xml += &format!("<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
    xml += &format!("<{kind}>\n<Piece {counts}>\n");
    let mut offset = 0;
    for (section, arrays) in sections.iter().filter(|(_, arrays)| !arrays.is_empty()) {
        xml += &format!("<{section}>\n");
        for Array { name, kind, components, bytes } in arrays {
            xml += &format!("<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" ");
            xml += &format!("format=\"appended\" offset=\"{offset}\"/>\n");
            offset += size_of::<u64>() + bytes.len();
        }
        xml += &format!("</{section}>\n");
    }
    xml += &format!("</Piece>\n</{kind}>\n<AppendedData encoding=\"raw\">\n_");
    out.write_all(xml.as_bytes())?;
    for Array { bytes, .. } in sections.iter().flat_map(|(_, arrays)| arrays) {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
    }
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

/// Every property but the position, named as in frames, with vectors joined.
fn of_points(
    Frame { vertices, has_softening, has_charge, has_displacement, has_stress_tensor, .. }: &Frame,
) -> Vec<Array> {
    let displacement = has_displacement.then(|| Array::floats("displacement", vertices, |v| [v.dx, v.dy, v.dz]));
    // in VTK's order
    let tensor = has_stress_tensor.then(|| {
        let components = |v: &Vertex| [v.stress_xx, v.stress_yy, v.stress_zz, v.stress_xy, v.stress_yz, v.stress_xz];
        Array::floats("stress_tensor", vertices, components)
    });
    let charge = has_charge.then(|| Array::floats("charge", vertices, |v| [v.charge]));
    let softening = has_softening.then(|| Array::floats("softening", vertices, |v| [v.softening]));
    let properties = vec![
        Array::ints("id", vertices, |v| v.id),
        Array::ints("piece", vertices, |v| v.piece),
        Array::floats("radius", vertices, |v| [v.pscale]),
        Array::floats("velocity", vertices, |v| [v.vx, v.vy, v.vz]),
        Array::floats("angular_velocity", vertices, |v| [v.wx, v.wy, v.wz]),
        Array::floats("orientation", vertices, |v| [v.orient_x, v.orient_y, v.orient_z, v.orient_w]),
        Array::floats("damage", vertices, |v| [v.damage]),
        Array::floats("stress", vertices, |v| [v.stress]),
    ];
    properties.into_iter().chain(softening).chain(charge).chain(displacement).chain(tensor).collect()
}

/// Optional properties of bonds, after those of the particles' cells.
fn of_cells(Frame { vertices, bond_groups, .. }: &Frame, edges: &[Edge]) -> Vec<Array> {
    let BondGroups { id, force, moment, stress } = *bond_groups;
    if bond_groups == &BondGroups::default() {
        return Vec::new();
    }
    let cells = [vec![Edge { id: -1, ..Edge::default() }; vertices.len()], edges.to_vec()].concat();
    let arrays = [
        id.then(|| Array::ints("bond", &cells, |e| e.id)),
        force.then(|| Array::floats("force", &cells, |e| [e.force_x, e.force_y, e.force_z])),
        moment.then(|| Array::floats("moment", &cells, |e| [e.moment_x, e.moment_y, e.moment_z])),
        stress.then(|| Array::floats("sigma", &cells, |e| [e.sigma])),
        stress.then(|| Array::floats("tau", &cells, |e| [e.tau])),
    ];
    arrays.into_iter().flatten().collect()
}

fn cells(points: usize, edges: &[Edge]) -> Vec<Array> {
    let (points, lines) = (points as i64, edges.len() as i64);
    let ends = edges.iter().flat_map(|edge| [edge.vertex1, edge.vertex2]).map(i64::from);
    let types = [vec![POINT; points as usize], vec![LINE; edges.len()]].concat();
    vec![
        Array::indices("connectivity", (0..points).chain(ends)),
        Array::indices("offsets", (1..=points).chain((1..=lines).map(|line| points + 2 * line))),
        Array::bytes("types", types),
    ]
}

/// Text as the value of an attribute in XML, without control characters, which XML does not allow.
fn escaped(text: &str) -> String {
    let entity = |letter: char| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&apos;".to_owned(),
        other => other.to_string(),
    };
    printable(text).chars().map(entity).collect()
}

/// Write a series: for each time (s) the name of its file.
///
/// # Errors
/// When the file cannot be written.
pub fn write_pvd(out: &mut dyn Write, files: &[(f64, String)]) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">"
    )?;
    writeln!(out, "<Collection>")?;
    for (time, name) in files {
        writeln!(out, "<DataSet timestep=\"{time}\" file=\"{}\"/>", escaped(name))?;
    }
    writeln!(out, "</Collection>\n</VTKFile>")
}
