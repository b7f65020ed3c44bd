use std::io;

use super::names::Names;
use super::text::Text;
use crate::formats::materials::{Material, Materials};

/// Writes the materials of a clip.
pub(super) fn write(text: &mut Text, materials: &Materials, names: &Names) -> io::Result<()> {
    text.line("def Scope \"materials\"")?;
    text.block(|text| {
        let mut all = materials.all.iter().enumerate();
        all.try_for_each(|(index, material)| write_one(text, &names.material(index), material))
    })
}

/// Writes the material at `path`.
fn write_one(text: &mut Text, path: &str, material: &Material) -> io::Result<()> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let [r, g, b] = material.colour;
    text.line(&format!("def Material \"{name}\""))?;
    text.block(|text| {
        text.line(&format!("token outputs:surface.connect = <{path}/surface.outputs:surface>"))?;
        text.line("def Shader \"surface\"")?;
        text.block(|text| {
            text.line("uniform token info:id = \"UsdPreviewSurface\"")?;
            text.line(&format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
            text.line(&format!("float inputs:roughness = {}", material.roughness))?;
            if material.transmission > 0.0 {
                text.line(&format!("float inputs:opacity = {}", (1.0 - material.transmission) as f32))?;
                text.line(&format!("float inputs:ior = {}", material.ior))?;
            }
            text.line("token outputs:surface")
        })
    })
}
