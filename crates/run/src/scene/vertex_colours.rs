//! Colours of the vertices of mesh files.

use std::path::Path;

use crate::mesh::{text, vertex_scalars};

/// Brightness of each vertex in the `bytes` of the file called `file`, from 0 to 1: the mean of red, green and blue.
///
/// # Errors
/// A message, when the file has no such numbers.
pub(super) fn brightness(file: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let ending = Path::new(file).extension().unwrap_or_default().to_ascii_lowercase();
    let colours = match ending.to_str() {
        Some("ply") => {
            let read = |name: &str| vertex_scalars(bytes, name).map_err(|error| error.to_string());
            let [red, green, blue] = [read("red")?, read("green")?, read("blue")?];
            red.into_iter().zip(green).zip(blue).map(|((r, g), b)| [r, g, b]).collect()
        }
        Some("obj") => of_obj(&text::text(bytes))?,
        _ => return Err("only OBJ and PLY files have colours of vertices".to_owned()),
    };
    // colours of bytes go to 255
    let most = colours.iter().flatten().copied().fold(0.0, f64::max);
    let white = if most > 1.0 { 255.0 } else { 1.0 };
    Ok(colours.iter().map(|colour| colour.iter().sum::<f64>() / (3.0 * white)).collect())
}

/// Colours `v x y z r g b` of an OBJ file.
fn of_obj(text: &str) -> Result<Vec<[f64; 3]>, String> {
    let mut colours = Vec::new();
    for line in text::joined_lines(text) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        if words.next() != Some("v") {
            continue;
        }
        let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        let colour = match numbers[..] {
            [_, _, _, r, g, b] | [_, _, _, _, r, g, b] => [r, g, b],
            _ => return Err(format!("a vertex has no colour: {}", line.trim())),
        };
        if !colour.iter().all(|part| part.is_finite()) {
            return Err(format!("a colour is no number: {}", line.trim()));
        }
        colours.push(colour);
    }
    Ok(colours)
}
