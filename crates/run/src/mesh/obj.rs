use std::collections::{BTreeSet, HashMap};

use bdem_core::geometry::Vec3;

use super::text::{joined_lines, text};
use super::{MeshFileError, PolygonCorner, Polygons, colours, malformed};

/// Name after a keyword, and the index of the first face below.
pub(super) struct Mark {
    pub keyword: &'static str,
    pub line: usize,
    pub face: usize,
    pub name: String,
}

/// Texture coordinates of a corner without any, before the mesh is finished.
const NO_UV: [f64; 2] = [f64::NAN; 2];

/// Polygons of an OBJ file, with its points in their order. Attributes that are malformed are left out.
pub(super) fn read(bytes: &[u8]) -> Result<Polygons, MeshFileError> {
    let (mut mesh, _) = read_marked(bytes, &[])?;
    finish(&mut mesh);
    Ok(mesh)
}

/// Finishes a mesh: it has texture coordinates where all its corners have them.
pub(super) fn finish(mesh: &mut Polygons) {
    mesh.has_uv = !mesh.corners.is_empty() && mesh.corners.iter().all(|corner| is_finite(&corner.uv));
    mesh.corners.iter_mut().filter(|corner| !is_finite(&corner.uv)).for_each(|corner| corner.uv = [0.0; 2]);
}

/// Triangles of the faces of an OBJ file whose object, group or material has this name. All such names go to `known`.
pub(crate) fn named_faces(
    bytes: &[u8],
    name: &str,
    known: &mut BTreeSet<String>,
) -> Result<Vec<[Vec3; 3]>, MeshFileError> {
    let (mesh, marks) = read_marked(bytes, &["o", "g"])?;
    let mut is_named: Vec<bool> =
        mesh.slots.iter().map(|&slot| slot > 0 && mesh.slot_names[usize::from(slot) - 1] == name).collect();
    for (k, mark) in marks.iter().enumerate() {
        let end =
            marks[k + 1..].iter().find(|next| next.keyword == mark.keyword).map_or(is_named.len(), |next| next.face);
        // a face may have several groups
        let groups = mark.name.split(' ').filter(|_| mark.keyword == "g");
        known.extend(groups.clone().chain([&*mark.name]).filter(|name| !name.is_empty()).map(str::to_owned));
        if mark.name == name || groups.clone().any(|group| group == name) {
            is_named[mark.face..end].fill(true);
        }
    }
    known.extend(mesh.slot_names.iter().cloned());
    let point = |corner: &PolygonCorner| mesh.points[corner.point as usize];
    let faces = mesh.faces().zip(&is_named).filter(|(_, is_named)| **is_named);
    let triangles =
        faces.flat_map(|(face, _)| face.windows(2).skip(1).map(|pair| [&face[0], &pair[0], &pair[1]].map(point)));
    Ok(triangles.collect())
}

/// Mesh to be finished, and the names after the `keywords`.
pub(super) fn read_marked(bytes: &[u8], keywords: &[&'static str]) -> Result<(Polygons, Vec<Mark>), MeshFileError> {
    let text = text(bytes);
    let (mut mesh, mut uv, mut normals) = (Polygons::default(), Vec::new(), Vec::new());
    let (mut slots, mut slot, mut marks) = (HashMap::new(), 0, Vec::new());
    for (number, line) in (1..).zip(joined_lines(&text)) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let kind = words.next().unwrap_or_default();
        let wrong = || malformed(format!("line {number}: {}", line.trim()));
        let beyond = || malformed(format!("line {number}: face vertex index out of bounds: {}", line.trim()));
        match kind {
            "v" => {
                mesh.points.push(Vec3::from(numbers(words.clone()).ok_or_else(wrong)?));
                let all: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                mesh.colours.push(match all[..] {
                    [_, _, _, r, g, b] | [_, _, _, _, r, g, b] => [r, g, b],
                    _ => colours::NONE,
                });
            }
            "vt" => {
                let read = numbers(words).filter(is_finite);
                if read.is_none() {
                    mesh.wrong_uv.get_or_insert_with(|| format!("line {number}: {}", line.trim()));
                }
                uv.push(read.unwrap_or_default());
            }
            "vn" => normals.push(Vec3::from(numbers(words).filter(is_finite).unwrap_or_default())),
            "f" => {
                let numbered =
                    words.clone().all(|word| word.split('/').next().is_some_and(|k| k.parse::<i64>().is_ok()));
                let face: Vec<PolygonCorner> = words
                    .map(|word| corner(word, mesh.points.len(), &uv, &normals))
                    .collect::<Option<_>>()
                    .ok_or_else(|| if numbered { beyond() } else { wrong() })?;
                if face.len() > 2 {
                    mesh.push_in(slot, face);
                }
            }
            "usemtl" => {
                let name = rest(words);
                let next = u16::try_from(slots.len() + 1).map_err(|_| malformed("it has more than 65535 materials"))?;
                slot = *slots.entry(name).or_insert_with_key(|name| {
                    mesh.slot_names.push(name.clone());
                    next
                });
            }
            _ => {
                let mark = |&keyword| Mark { keyword, line: number, face: mesh.sizes.len(), name: rest(words) };
                marks.extend(keywords.iter().find(|&&keyword| keyword == kind).map(mark));
            }
        }
    }
    colours::finish(&mut mesh.colours, None);
    Ok((mesh, marks))
}

/// Words that follow, as one name.
fn rest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn is_finite<const N: usize>(numbers: &[f64; N]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}

/// The first numbers of a line.
fn numbers<'a, const N: usize>(words: impl Iterator<Item = &'a str>) -> Option<[f64; N]> {
    let numbers: Vec<f64> = words.take(N).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// Corner of a face, such as `7/3/5`.
fn corner(word: &str, points: usize, uvs: &[[f64; 2]], normals: &[Vec3]) -> Option<PolygonCorner> {
    let mut parts = word.split('/');
    let mut index = |count: usize| index(parts.next()?, count);
    let point = index(points)? as u32;
    let uv = index(uvs.len()).map(|k| uvs[k]);
    let normal = index(normals.len()).and_then(|k| normals[k].try_normalize(0.0));
    Some(PolygonCorner { point, uv: uv.unwrap_or(NO_UV), normal: normal.unwrap_or_default() })
}

/// Index from 0 of an index from 1, or, if it is negative, from the end of the list.
fn index(word: &str, count: usize) -> Option<usize> {
    let number: i64 = word.parse().ok()?;
    let index = if number < 0 { number + count as i64 } else { number - 1 };
    usize::try_from(index).ok().filter(|&index| index < count)
}
