use std::io;

use bdem_run::scene::Look;

use super::text::{Text, identifier};
use crate::clip::Clip;

/// Writes the materials of all bodies with a mesh, each with one for the outside and one for cracks.
pub(super) fn write(text: &mut Text, clip: &Clip, root: &str) -> io::Result<()> {
    text.line("def Scope \"materials\"")?;
    text.block(|text| {
        for (body, look) in clip.motion.pieces.bodies.iter().zip(&clip.looks) {
            let Some(body) = body else { continue };
            let name = identifier(&body.name);
            material(text, root, &format!("{name}_outside"), look.outside, look.roughness)?;
            material(text, root, &format!("{name}_inside"), look.inside, Look::INSIDE_ROUGHNESS)?;
        }
        Ok(())
    })
}

fn material(text: &mut Text, root: &str, name: &str, colour: [f64; 3], roughness: f64) -> io::Result<()> {
    let shader = format!("/{root}/materials/{name}/surface");
    let [r, g, b] = colour;
    text.line(&format!("def Material \"{name}\""))?;
    text.block(|text| {
        text.line(&format!("token outputs:surface.connect = <{shader}.outputs:surface>"))?;
        text.line("def Shader \"surface\"")?;
        text.block(|text| {
            text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
            text.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
            text.line(&format!("float inputs:roughness = {roughness}"))?;
            text.line("token outputs:surface")
        })
    })
}
