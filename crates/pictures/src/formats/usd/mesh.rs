use std::collections::HashMap;
use std::hash::Hash;
use std::io;

use bdem_core::geometry::Pose;
use bdem_run::mesh::{PolygonCorner, Polygons};

use super::text::{Text, identifier, single, vector};
use crate::clip::{Clip, extent};
use crate::pieces::Piece;

/// Writes the piece at index `k`.
pub(super) fn write(text: &mut Text, clip: &Clip, root: &str, k: usize) -> io::Result<()> {
    let (piece, bent) =
        clip.bent_piece(k).map_or((&clip.motion.pieces.pieces[k], None), |(piece, points)| (piece, Some(points)));
    text.line(&format!("def Mesh \"{}\"", identifier(&clip.piece_name(piece))))?;
    text.block(|text| {
        geometry(text, piece)?;
        points(text, clip, piece, bent)?;
        properties(text, clip, piece, k)?;
        let poses: Vec<(f64, Pose)> =
            clip.samples().iter().map(|sample| (clip.code(sample), clip.pose(sample, k))).collect();
        text.motion(&poses)?;
        let body = clip.motion.pieces.bodies[usize::from(piece.body)].as_ref().expect("pieces have a mesh");
        let material = |side: &str| format!("/{root}/materials/{}_{side}", identifier(&body.name));
        text.line("uniform token subsetFamily:materialBind:familyType = \"partition\"")?;
        subset(text, "outside", 0..piece.outside, &material("outside"))?;
        subset(text, "inside", piece.outside..piece.mesh.sizes.len(), &material("inside"))
    })
}

fn geometry(text: &mut Text, piece: &Piece) -> io::Result<()> {
    let Piece { mesh, centre, .. } = piece;
    let [low, high] = extent(mesh.points.iter());
    text.line("uniform token subdivisionScheme = \"none\"")?;
    text.line("uniform token orientation = \"rightHanded\"")?;
    text.line(&format!("float3[] extent = [{}, {}]", single(&(low - centre)), single(&(high - centre))))?;
    text.list("int[] faceVertexCounts", mesh.sizes.iter())?;
    text.list("int[] faceVertexIndices", mesh.corners.iter().map(|corner| corner.point))?;
    // four digits are finer than eight bits a channel, and many corners share one
    let normal =
        |corner: &PolygonCorner| [corner.normal.x, corner.normal.y, corner.normal.z].map(|x| (x * 1e4).round() as i32);
    let as_text = |n: &[i32; 3]| {
        let [x, y, z] = n.map(|x| f64::from(x) / 1e4);
        format!("({x},{y},{z})")
    };
    indexed(text, "normal3f[] primvars:normals", mesh, normal, as_text)?;
    let uv = |corner: &PolygonCorner| corner.uv.map(|x| (x as f32).to_bits());
    let as_text = |uv: &[u32; 2]| {
        let [u, v] = uv.map(f32::from_bits);
        format!("({u},{v})")
    };
    indexed(text, "texCoord2f[] primvars:st", mesh, uv, as_text)
}

/// Writes the points of a piece: once, or in each frame where it bends.
fn points(text: &mut Text, clip: &Clip, piece: &Piece, bent: Option<Vec<&[[f32; 3]]>>) -> io::Result<()> {
    let Piece { mesh, centre, .. } = piece;
    let Some(bent) = bent else {
        return text.list("point3f[] points", mesh.points.iter().map(|point| single(&(point - centre))));
    };
    // a thousandth of a radius: every frame has all points
    let digits = (3.0 - libm::log10(clip.motion.radii[usize::from(piece.body)])).ceil().max(0.0) as usize;
    let point = |[x, y, z]: &[f32; 3]| format!("({x:.digits$},{y:.digits$},{z:.digits$})");
    let samples = clip.samples().iter().zip(bent).map(|(sample, points)| (clip.code(sample), points.iter().map(point)));
    text.list_samples("point3f[] points", samples)
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

/// Writes what else is known of a piece, which Blender shows as custom properties.
fn properties(text: &mut Text, clip: &Clip, piece: &Piece, k: usize) -> io::Result<()> {
    let mass = clip.mass(piece);
    let inertia = piece.inertia * (mass / piece.volume);
    let [xx, yy, zz] = [0, 1, 2].map(|axis| inertia[(axis, axis)]);
    let [xy, yz, zx] = [inertia[(0, 1)], inertia[(1, 2)], inertia[(2, 0)]];
    text.line(&format!("custom int userProperties:piece = {}", piece.number))?;
    text.line(&format!("custom int userProperties:particles = {}", piece.particles.len()))?;
    text.line(&format!("custom double userProperties:volume = {}", piece.volume))?;
    text.line(&format!("custom double userProperties:mass = {mass}"))?;
    text.line(&format!("custom double[] userProperties:inertia = [{xx}, {yy}, {zz}, {xy}, {yz}, {zx}]"))?;
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

fn subset(text: &mut Text, name: &str, faces: std::ops::Range<usize>, material: &str) -> io::Result<()> {
    if faces.is_empty() {
        return Ok(());
    }
    text.line(&format!("def GeomSubset \"{name}\" ("))?;
    text.line("    prepend apiSchemas = [\"MaterialBindingAPI\"]")?;
    text.line(")")?;
    text.block(|text| {
        text.line("uniform token elementType = \"face\"")?;
        text.line("uniform token familyName = \"materialBind\"")?;
        text.list("int[] indices", faces)?;
        text.line(&format!("rel material:binding = <{material}>"))
    })
}
