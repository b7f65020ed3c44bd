use std::collections::HashMap;
use std::hash::Hash;
use std::io;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::mesh::{PolygonCorner, Polygons};

use super::names::{Names, unique};
use super::text::{Text, quoted, single, vector};
use crate::clip::{Clip, extent};
use crate::formats::materials::{Materials, Part};
use crate::pieces::{BentShape, Piece, Skin, principal_moments};

/// Writes the piece at index `k`, if it is shown in some frame.
pub(super) fn write(text: &mut Text, clip: &Clip, materials: &Materials, names: &Names, k: usize) -> io::Result<()> {
    let shown = clip.shown(k);
    if !shown.is_empty() && !shown.contains(&true) {
        return Ok(());
    }
    let bent = clip.bent_piece(k);
    let piece = bent.as_ref().map_or(clip.piece(k), |(skin, _)| skin.piece());
    text.line(&format!("def Mesh \"{}\" (", names.piece(piece)))?;
    text.line("    prepend apiSchemas = [\"PhysicsMassAPI\"]")?;
    text.line(")")?;
    text.block(|text| {
        faces(text, &piece.mesh)?;
        texture_coordinates(text, &piece.mesh)?;
        match bent {
            None => still(text, &piece.mesh, &piece.centre)?,
            Some((skin, shapes)) => bending(text, clip, skin, &shapes)?,
        }
        mass(text, clip, piece)?;
        properties(text, clip, piece, k)?;
        let poses: Vec<(f64, Pose)> =
            clip.samples().iter().map(|sample| (clip.code(sample), clip.pose(sample, k))).collect();
        text.motion(&poses, &shown)?;
        subsets(text, names, &materials.bodies[&piece.body].parts(&piece.mesh, piece.outside))
    })
}

/// Writes the faces of a mesh.
pub(super) fn faces(text: &mut Text, mesh: &Polygons) -> io::Result<()> {
    text.line("uniform token subdivisionScheme = \"none\"")?;
    text.line("uniform token orientation = \"rightHanded\"")?;
    text.list("int[] faceVertexCounts", mesh.sizes.iter())?;
    text.list("int[] faceVertexIndices", mesh.corners.iter().map(|corner| corner.point))
}

/// Writes the texture coordinates of a mesh. On cracks there are always some.
pub(super) fn texture_coordinates(text: &mut Text, mesh: &Polygons) -> io::Result<()> {
    let uv = |corner: &PolygonCorner| corner.uv.map(|x| (x as f32).to_bits());
    let as_text = |uv: &[u32; 2]| {
        let [u, v] = uv.map(f32::from_bits);
        format!("({u},{v})")
    };
    indexed(text, "texCoord2f[] primvars:st", mesh, uv, as_text)
}

/// Writes the points of a mesh that does not bend, about `centre` (m), its extent and its normals.
pub(super) fn still(text: &mut Text, mesh: &Polygons, centre: &Vec3) -> io::Result<()> {
    let [low, high] = extent(mesh.points.iter());
    text.line(&format!("float3[] extent = [{}, {}]", single(&(low - centre)), single(&(high - centre))))?;
    text.list("point3f[] points", mesh.points.iter().map(|point| single(&(point - centre))))?;
    let normal = |corner: &PolygonCorner| [corner.normal.x, corner.normal.y, corner.normal.z].map(ten_thousandths);
    indexed(text, "normal3f[] primvars:normals", mesh, normal, |n| unit(*n))
}

/// Writes the same of a mesh that deforms, at each time code.
pub(super) fn deforming(text: &mut Text, shapes: &[(f64, Polygons)]) -> io::Result<()> {
    let box_of = |mesh: &Polygons| {
        let [low, high] = extent(mesh.points.iter());
        format!("[{}, {}]", single(&low), single(&high))
    };
    text.samples("float3[] extent", shapes.iter().map(|(code, mesh)| (*code, box_of(mesh))))?;
    text.list_samples("point3f[] points", shapes.iter().map(|(code, mesh)| (*code, mesh.points.iter().map(single))))?;
    text.line("normal3f[] primvars:normals (interpolation = \"faceVarying\")")?;
    let normal =
        |corner: &PolygonCorner| unit([corner.normal.x, corner.normal.y, corner.normal.z].map(ten_thousandths));
    let normals = shapes.iter().map(|(code, mesh)| (*code, mesh.corners.iter().map(normal)));
    text.list_samples("normal3f[] primvars:normals", normals)
}

/// Writes the same of a piece that bends, in each frame in which its form changes.
fn bending(text: &mut Text, clip: &Clip, skin: &Skin, shapes: &[&BentShape]) -> io::Result<()> {
    let is_key =
        |k: usize| k == 0 || shapes[k] != shapes[k - 1] || shapes.get(k + 1).is_some_and(|next| *next != shapes[k]);
    let each = clip.samples().iter().map(|sample| clip.code(sample)).zip(shapes).enumerate();
    let keys: Vec<(f64, &BentShape)> =
        each.filter(|(k, _)| is_key(*k)).map(|(_, (code, shape))| (code, *shape)).collect();
    let codes = || keys.iter().copied();
    let extent = |shape: &BentShape| {
        let points: Vec<Vec3> = shape.points.iter().map(|point| Vec3::from(point.map(f64::from))).collect();
        let [low, high] = extent(points.iter());
        format!("[{}, {}]", single(&low), single(&high))
    };
    text.samples("float3[] extent", codes().map(|(code, shape)| (code, extent(shape))))?;
    // a thousandth of a radius: every frame has all points
    let radius = clip.motion.radii[usize::from(skin.piece().body)];
    let digits = (3.0 - libm::log10(radius)).ceil().max(0.0) as usize;
    let point = |[x, y, z]: &[f32; 3]| format!("({x:.digits$},{y:.digits$},{z:.digits$})");
    text.list_samples("point3f[] points", codes().map(|(code, shape)| (code, shape.points.iter().map(point))))?;
    text.line("normal3f[] primvars:normals (interpolation = \"faceVarying\")")?;
    let normal = |n: &[f32; 3]| unit(n.map(|x| ten_thousandths(x.into())));
    let normals = codes().map(|(code, shape)| (code, shape.normals.iter().map(normal)));
    text.list_samples("normal3f[] primvars:normals", normals)?;
    text.list("int[] primvars:normals:indices", skin.normal_of().iter())
}

/// Part of a normal in units of 1e-4: finer than eight bits a channel, and many corners share one.
fn ten_thousandths(x: f64) -> i32 {
    (x * 1e4).round() as i32
}

/// Unit vector of such parts.
fn unit(n: [i32; 3]) -> String {
    let [x, y, z] = n.map(|x| f64::from(x) / 1e4);
    format!("({x},{y},{z})")
}

/// Writes an attribute of corners as a list without repetitions, and indices into it.
fn indexed<T: Copy + Eq + Hash>(
    text: &mut Text,
    attribute: &str,
    mesh: &Polygons,
    value: impl Fn(&PolygonCorner) -> T,
    as_text: impl Fn(&T) -> String,
) -> io::Result<()> {
    let (mut values, mut known) = (Vec::new(), HashMap::new());
    let mut index = |corner: &PolygonCorner| {
        let value = value(corner);
        *known.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() - 1
        })
    };
    let indices: Vec<usize> = mesh.corners.iter().map(&mut index).collect();
    text.varying(attribute, "faceVarying", values.iter().map(as_text))?;
    let name = attribute.split(' ').nth(1).expect("an attribute has a type and a name");
    text.list(&format!("int[] {name}:indices"), indices.iter())
}

/// Writes the mass of a piece about its centroid, for solvers of rigid bodies.
fn mass(text: &mut Text, clip: &Clip, piece: &Piece) -> io::Result<()> {
    let mass = clip.mass(piece);
    let (moments, axes) = principal_moments(&(piece.inertia * (mass / piece.volume)));
    let [w, i, j, k] = [axes.w, axes.i, axes.j, axes.k].map(|x| x as f32);
    text.line(&format!("float physics:mass = {}", mass as f32))?;
    text.line("point3f physics:centerOfMass = (0, 0, 0)")?;
    text.line(&format!("float3 physics:diagonalInertia = {}", single(&moments)))?;
    text.line(&format!("quatf physics:principalAxes = ({w}, {i}, {j}, {k})"))
}

/// Writes what else is known of a piece, which Blender shows as custom properties.
fn properties(text: &mut Text, clip: &Clip, piece: &Piece, k: usize) -> io::Result<()> {
    let mass = clip.mass(piece);
    let body = &clip.bodies[usize::from(piece.body)];
    text.line(&format!("custom string userProperties:body = {}", quoted(body)))?;
    text.line(&format!("custom int userProperties:piece = {}", piece.number))?;
    text.line(&format!("custom int userProperties:particles = {}", piece.particles.len()))?;
    text.line(&format!("custom double userProperties:volume = {}", piece.volume))?;
    text.line(&format!("custom double userProperties:mass = {mass}"))?;
    let freed = clip.freed(k).map_or(-1, i64::from);
    text.line(&format!("custom int userProperties:freed_at = {freed}"))?;
    // per second of playback, as velocities are in USD
    let speed = clip.timing.speed;
    let each = |of: fn(&crate::pieces::PieceMotion) -> bdem_core::geometry::Vec3| {
        clip.samples().iter().map(move |sample| (clip.code(sample), vector(&(of(&sample.motions[k]) * speed))))
    };
    // older readers want custom properties declared before their samples
    for name in ["velocity", "angularVelocity"] {
        text.line(&format!("custom double3 userProperties:{name}"))?;
    }
    text.samples("double3 userProperties:velocity", each(|motion| motion.velocity))?;
    text.samples("double3 userProperties:angularVelocity", each(|motion| motion.spin))
}

/// Writes the parts of a mesh, with their materials.
pub(super) fn subsets(text: &mut Text, names: &Names, parts: &[Part]) -> io::Result<()> {
    text.line("uniform token subsetFamily:materialBind:familyType = \"partition\"")?;
    // that of cracks, the last, first: a slot may be called so too
    let mut both = unique(parts.iter().rev().map(|part| part.name)).into_iter().rev().zip(parts);
    both.try_for_each(|(name, part)| subset(text, &name, &part.faces, &names.material(part.material)))
}

fn subset(text: &mut Text, name: &str, faces: &[usize], material: &str) -> io::Result<()> {
    text.line(&format!("def GeomSubset \"{name}\" ("))?;
    text.line("    prepend apiSchemas = [\"MaterialBindingAPI\"]")?;
    text.line(")")?;
    text.block(|text| {
        text.line("uniform token elementType = \"face\"")?;
        text.line("uniform token familyName = \"materialBind\"")?;
        text.list("int[] indices", faces.iter())?;
        text.line(&format!("rel material:binding = <{material}>"))
    })
}
