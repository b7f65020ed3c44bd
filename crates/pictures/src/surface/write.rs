//! Files of meshes. They have no normals, so that vertices of one point are one, and closed surfaces stay closed.

use std::io::{self, Write};

use bdem_run::output::vtu::{Array, write_vtk};

use super::{Corner, SurfaceMesh};

/// Write a mesh as PLY, binary little-endian, for Blender, MeshLab and Houdini. Every vertex has its properties. Faces are
/// lists, and have `fracture`. `comments` go into the header. Meshes of charged particles have `charge`, in C.
///
/// # Errors
/// Those of `out`, as with every function here.
pub fn write_ply(out: &mut impl Write, mesh: &SurfaceMesh, comments: &[String]) -> io::Result<()> {
    let mesh = &mesh.welded();
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    comments.iter().try_for_each(|comment| writeln!(out, "comment {comment}"))?;
    writeln!(out, "element vertex {}", mesh.corners.len())?;
    FLOATS.iter().try_for_each(|(name, _)| writeln!(out, "property float {name}"))?;
    writeln!(out, "property int piece")?;
    if mesh.has_charge {
        writeln!(out, "property float charge")?;
    }
    writeln!(
        out,
        "element face {}\nproperty list uchar int vertex_indices\nproperty int fracture\nend_header",
        mesh.triangles.len()
    )?;
    for corner in &mesh.corners {
        FLOATS.iter().try_for_each(|(_, of)| out.write_all(&of(corner).to_le_bytes()))?;
        out.write_all(&corner.piece.to_le_bytes())?;
        if mesh.has_charge {
            out.write_all(&corner.charge.to_le_bytes())?;
        }
    }
    mesh.triangles.iter().enumerate().try_for_each(|(k, triangle)| {
        out.write_all(&[3])?;
        triangle.iter().try_for_each(|corner| out.write_all(&corner.to_le_bytes()))?;
        out.write_all(&i32::from(mesh.face(k).is_crack).to_le_bytes())
    })
}

/// Name and value of a vertex's property.
type Property = (&'static str, fn(&Corner) -> f32);

const FLOATS: [Property; 7] = [
    ("x", |corner| corner.x),
    ("y", |corner| corner.y),
    ("z", |corner| corner.z),
    ("vx", |corner| corner.vx),
    ("vy", |corner| corner.vy),
    ("vz", |corner| corner.vz),
    ("damage", |corner| corner.damage),
];

/// Write a mesh as OBJ: vertices and faces, a group for each piece. It has no other properties.
///
/// # Errors
/// As above.
pub fn write_obj(out: &mut impl Write, mesh: &SurfaceMesh, comments: &[String]) -> io::Result<()> {
    let mesh = &mesh.welded();
    comments.iter().try_for_each(|comment| writeln!(out, "# {comment}"))?;
    mesh.corners.iter().try_for_each(|Corner { x, y, z, .. }| writeln!(out, "v {x} {y} {z}"))?;
    let piece = |triangle: &[u32; 3]| mesh.corners[triangle[0] as usize].piece;
    let mut triangles = mesh.triangles.clone();
    triangles.sort_by_key(piece);
    for group in triangles.chunk_by(|a, b| piece(a) == piece(b)) {
        writeln!(out, "g piece_{}", piece(&group[0]))?;
        group.iter().try_for_each(|[a, b, c]| writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1))?;
    }
    Ok(())
}

/// Write a mesh as VTP (poly data), for ParaView.
///
/// # Errors
/// As above.
pub fn write_vtp(out: &mut impl Write, mesh: &SurfaceMesh, comments: &[String]) -> io::Result<()> {
    let mesh = mesh.welded();
    let SurfaceMesh { corners, triangles, has_charge, .. } = mesh.as_ref();
    let mut of_corners = vec![
        Array::ints("piece", corners, |corner| corner.piece),
        Array::floats("velocity", corners, |corner| [corner.vx, corner.vy, corner.vz]),
        Array::floats("damage", corners, |corner| [corner.damage]),
    ];
    of_corners.extend(has_charge.then(|| Array::floats("charge", corners, |corner| [corner.charge])));
    let polys = vec![
        Array::indices("connectivity", triangles.iter().flatten().map(|&corner| corner.into())),
        Array::indices("offsets", (1..=triangles.len() as i64).map(|triangle| 3 * triangle)),
    ];
    let points = vec![Array::floats("Points", corners, |corner| [corner.x, corner.y, corner.z])];
    let cracks: Vec<bool> = (0..triangles.len()).map(|k| mesh.face(k).is_crack).collect();
    let of_faces = vec![Array::ints("fracture", &cracks, |&is_crack| i32::from(is_crack))];
    let sections = [("PointData", of_corners), ("CellData", of_faces), ("Points", points), ("Polys", polys)];
    let counts = format!("NumberOfPoints=\"{}\" NumberOfPolys=\"{}\"", corners.len(), triangles.len());
    write_vtk(out, "PolyData", comments, &counts, &sections)
}
