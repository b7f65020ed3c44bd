//! Moving pieces as one binary file of glTF 2.0: a node a piece, with an animation of its translation and rotation.
//!
//! ```text
//! data         the binary part, and its views and accessors
//! node         nodes of pieces and of colliders
//! ```

mod data;
mod node;

use std::io::{self, Write};

use serde_json::{Value, json};

use super::materials::{Material, Materials};
use crate::clip::Clip;
use data::Data;
use node::Nodes;

/// Extensions of transparent materials.
const TRANSPARENCY: [&str; 2] = ["KHR_materials_transmission", "KHR_materials_ior"];

/// Writes a clip as binary glTF (`.glb`). Particles without a piece are left out.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::FileTooLarge`] beyond the format's 4 GiB.
pub fn write_glb(out: &mut dyn Write, clip: &Clip) -> io::Result<()> {
    let mut data = Data::default();
    let times: Vec<f64> =
        clip.samples().iter().map(|sample| (clip.code(sample) - clip.timing.start) / clip.timing.fps).collect();
    let materials = Materials::of(clip);
    let nodes = Nodes::of(clip, &materials, &times, &mut data);
    let mut file = json!({
        "asset": { "version": "2.0", "generator": "bdem", "extras": { "origin": clip.comments } },
        "scene": 0,
        "scenes": [{ "name": clip.name, "nodes": [0] }],
        "nodes": nodes.nodes,
        "meshes": nodes.meshes,
        "materials": materials.all.iter().map(material).collect::<Vec<_>>(),
        "buffers": [{ "byteLength": data.bytes.len() }],
        "bufferViews": data.views,
        "accessors": data.accessors,
    });
    if materials.all.iter().any(|material| material.transmission > 0.0) {
        file["extensionsUsed"] = json!(TRANSPARENCY);
    }
    if !nodes.channels.is_empty() {
        let animation = json!({ "name": clip.name, "channels": nodes.channels, "samplers": nodes.samplers });
        file["animations"] = json!([animation]);
    }
    write_chunks(out, &file, &data.bytes)
}

fn material(material: &Material) -> Value {
    let ([r, g, b], roughness) = (material.colour, material.roughness);
    let surface = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness });
    let mut all = json!({ "name": material.name, "pbrMetallicRoughness": surface });
    if material.transmission > 0.0 {
        let [transmission, ior] = TRANSPARENCY;
        all["extensions"] = json!({
            transmission: { "transmissionFactor": material.transmission },
            ior: { "ior": material.ior },
        });
    }
    all
}

/// Writes the header and the two chunks, each filled up to four bytes.
fn write_chunks(out: &mut dyn Write, file: &Value, bytes: &[u8]) -> io::Result<()> {
    let mut text = serde_json::to_vec(file)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let filled = bytes.len().next_multiple_of(4);
    let length = 12 + 8 + text.len() + 8 + filled;
    let length = u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
    for word in [0x4654_6C67, 2, length, text.len() as u32, 0x4E4F_534A] {
        out.write_all(&u32::to_le_bytes(word))?;
    }
    out.write_all(&text)?;
    for word in [filled as u32, 0x004E_4942] {
        out.write_all(&u32::to_le_bytes(word))?;
    }
    out.write_all(bytes)?;
    out.write_all(&[0; 3][..filled - bytes.len()])
}
