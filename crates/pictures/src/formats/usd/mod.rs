//! Moving pieces as one file of Universal Scene Description, in text.
//!
//! Each piece is a mesh with points about its centroid and a translation and a rotation a frame; no topology changes. Faces
//! are in a subset for each material slot outside, and in `inside`. UsdGeom and UsdShade are used, and of UsdPhysics the
//! masses.
//!
//! ```text
//! text         layout of text: indents, blocks, lists
//! names        names of prims
//! materials    looks
//! mesh         mesh of a piece
//! scene        colliders, camera, points, yarns, fractures
//! ```

mod materials;
mod mesh;
mod names;
mod scene;
mod text;

use std::io::{self, Write};

use super::materials::Materials;
use crate::clip::Clip;
use names::Names;
use text::{Text, number, quoted};

/// Writes a clip as text USD (`.usda`), piece by piece.
///
/// # Errors
/// Those of `out`.
pub fn write_usd(out: &mut dyn Write, clip: &Clip) -> io::Result<()> {
    let mut text = Text::new(out);
    let materials = Materials::of(clip);
    let names = Names::of(clip, &materials);
    header(&mut text, clip, &names.root)?;
    text.line(&format!("def Xform \"{}\" (", names.root))?;
    text.line("    kind = \"component\"")?;
    text.line(")")?;
    text.block(|text| {
        text.line(&format!("custom string userProperties:name = {}", quoted(&clip.name)))?;
        materials::write(text, &materials, &names)?;
        text.line("def Xform \"pieces\"")?;
        let mut pieces = 0..clip.motion.pieces.pieces.len();
        text.block(|text| {
            if clip.over.is_some() {
                visibility(text, clip, ["invisible", "inherited"])?;
            }
            pieces.try_for_each(|k| mesh::write(text, clip, &materials, &names, k))
        })?;
        scene::write_loose(text, clip)?;
        scene::write_yarns(text, clip, &materials, &names)?;
        scene::write_fractures(text, clip)?;
        scene::write_colliders(text, clip, &materials, &names)?;
        scene::write_camera(text, clip)
    })?;
    clip.over.iter().try_for_each(|over| hide(&mut text, clip, &over.prim))
}

/// Hides the prim of an asset, which the pieces replace as soon as one moves.
fn hide(text: &mut Text, clip: &Clip, prim: &str) -> io::Result<()> {
    let prim = prim.trim_start_matches('/');
    let (name, rest) = prim.split_once('/').unwrap_or((prim, ""));
    text.line(&format!("over \"{name}\""))?;
    text.block(|text| match rest {
        "" => visibility(text, clip, ["inherited", "invisible"]),
        rest => hide(text, clip, rest),
    })
}

/// Writes the visibility of a prim before and after a piece first moves.
fn visibility(text: &mut Text, clip: &Clip, [before, after]: [&str; 2]) -> io::Result<()> {
    let moves = clip.samples().iter().position(|sample| clip.has_moved(sample));
    match (moves, clip.samples().first()) {
        (Some(0), _) | (_, None) => text.line(&format!("token visibility = {}", quoted(after))),
        (None, _) => text.line(&format!("token visibility = {}", quoted(before))),
        (Some(k), Some(first)) => {
            let switch = [(first, before), (&clip.samples()[k], after)];
            text.samples("token visibility", switch.map(|(sample, word)| (clip.code(sample), quoted(word))).into_iter())
        }
    }
}

fn header(text: &mut Text, clip: &Clip, root: &str) -> io::Result<()> {
    let code = |sample: Option<&_>| sample.map_or(clip.timing.start, |sample| clip.code(sample));
    text.line("#usda 1.0")?;
    text.line("(")?;
    text.line(&format!("    defaultPrim = \"{root}\""))?;
    text.line(&format!("    doc = {}", quoted(&clip.comments.join("; "))))?;
    text.line(&format!("    startTimeCode = {}", number(code(clip.samples().first()).floor())))?;
    text.line(&format!("    endTimeCode = {}", number(code(clip.samples().last()).ceil())))?;
    text.line(&format!("    framesPerSecond = {}", number(clip.timing.fps)))?;
    text.line(&format!("    timeCodesPerSecond = {}", number(clip.timing.fps)))?;
    if let Some(over) = &clip.over {
        text.line(&format!("    subLayers = [@{}@]", over.layer))?;
    }
    text.line("    metersPerUnit = 1")?;
    text.line("    kilogramsPerUnit = 1")?;
    text.line(&format!("    upAxis = \"{}\"", if clip.y_up { "Y" } else { "Z" }))?;
    text.line(")")
}
