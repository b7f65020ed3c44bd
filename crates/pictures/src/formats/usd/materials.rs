use std::collections::BTreeSet;
use std::io;

use bdem_run::scene::Look;

use super::names::Names;
use super::text::Text;
use crate::clip::Clip;

/// Writes the materials of all bodies with pieces or yarns: that of the outside, and of cracks.
pub(super) fn write(text: &mut Text, clip: &Clip, names: &Names) -> io::Result<()> {
    text.line("def Scope \"materials\"")?;
    text.block(|text| {
        let in_yarns = clip.yarns().iter().map(|yarn| clip.motion.body[yarn[0] as usize]);
        let has_outside: BTreeSet<u16> =
            clip.motion.pieces.pieces.iter().map(|piece| piece.body).chain(in_yarns).collect();
        for body in has_outside {
            let look = &clip.looks[usize::from(body)];
            material(text, &names.material(body, "outside"), look.outside, look.roughness)?;
            material(text, &names.material(body, "inside"), look.inside, Look::INSIDE_ROUGHNESS)?;
        }
        Ok(())
    })
}

/// Writes the material at `path`.
fn material(text: &mut Text, path: &str, colour: [f64; 3], roughness: f64) -> io::Result<()> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let [r, g, b] = colour;
    text.line(&format!("def Material \"{name}\""))?;
    text.block(|text| {
        text.line(&format!("token outputs:surface.connect = <{path}/surface.outputs:surface>"))?;
        text.line("def Shader \"surface\"")?;
        text.block(|text| {
            text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
            text.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
            text.line(&format!("float inputs:roughness = {roughness}"))?;
            text.line("token outputs:surface")
        })
    })
}
