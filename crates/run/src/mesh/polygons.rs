use bdem_core::geometry::Vec3;
use serde::{Deserialize, Serialize};

use super::text::{joined_lines, text};
use super::{MeshFileError, malformed, read};

/// Polygon mesh, with texture coordinates and normals of its corners.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Polygons {
    /// Positions of the points, m.
    pub points: Vec<Vec3>,
    /// Number of corners of each face.
    pub sizes: Vec<u32>,
    /// Corners of all faces, one face after the other, counterclockwise as seen from outside.
    pub corners: Vec<PolygonCorner>,
    /// Whether the corners have texture coordinates.
    pub has_uv: bool,
}

/// Corner of a polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolygonCorner {
    /// Index of its point.
    pub point: u32,
    /// Texture coordinates; zero without any.
    pub uv: [f64; 2],
    /// Unit normal; zero where the mesh has none.
    pub normal: Vec3,
}

impl Polygons {
    /// Mesh of triangles, without attributes.
    pub fn of_triangles(points: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let corner = |&point: &u32| PolygonCorner { point, ..PolygonCorner::default() };
        let corners = triangles.iter().flatten().map(corner).collect();
        Self { points, sizes: vec![3; triangles.len()], corners, has_uv: false }
    }

    /// Corners of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[PolygonCorner]> {
        self.sizes.iter().scan(0, |first, &size| {
            let start = *first;
            *first += size as usize;
            Some(&self.corners[start..*first])
        })
    }

    /// Adds a face.
    pub fn push(&mut self, face: impl IntoIterator<Item = PolygonCorner>) {
        let before = self.corners.len();
        self.corners.extend(face);
        self.sizes.push((self.corners.len() - before) as u32);
    }
}

/// Polygons from the bytes of a file with the extension `ending`: "obj", "stl" or "ply". Those of OBJ keep their points in
/// the order of the file, their texture coordinates and normals. Attributes that are malformed are left out.
///
/// # Errors
/// As of [`read`].
pub fn read_polygons(ending: &str, bytes: Vec<u8>) -> Result<Polygons, MeshFileError> {
    if ending.eq_ignore_ascii_case("obj") {
        return obj(&text(&bytes));
    }
    let (points, triangles) = read(ending, bytes)?;
    let last = points.len() as u32;
    match triangles.iter().flatten().find(|&&corner| corner >= last) {
        Some(corner) => Err(MeshFileError::Malformed(format!("a face has vertex {corner}, but there are {last}"))),
        None => Ok(Polygons::of_triangles(points, &triangles)),
    }
}

/// Lists of an OBJ file.
#[derive(Default)]
struct Lists {
    uv: Vec<[f64; 2]>,
    normals: Vec<Vec3>,
}

fn obj(text: &str) -> Result<Polygons, MeshFileError> {
    let (mut mesh, mut lists) = (Polygons::default(), Lists::default());
    let (mut with_uv, mut without) = (false, false);
    for (number, line) in (1..).zip(joined_lines(text)) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let kind = words.next().unwrap_or_default();
        let wrong = || malformed(format!("line {number}: {}", line.trim()));
        match kind {
            "v" => mesh.points.push(Vec3::from(numbers(words).ok_or_else(wrong)?)),
            "vt" => lists.uv.push(numbers(words).unwrap_or_default()),
            "vn" => lists.normals.push(Vec3::from(numbers(words).unwrap_or_default())),
            "f" => {
                let face: Vec<(PolygonCorner, bool)> = words
                    .map(|word| corner(word, mesh.points.len(), &lists))
                    .collect::<Option<_>>()
                    .ok_or_else(wrong)?;
                face.iter().for_each(|(_, has_uv)| *(if *has_uv { &mut with_uv } else { &mut without }) = true);
                if face.len() > 2 {
                    mesh.push(face.into_iter().map(|(corner, _)| corner));
                }
            }
            _ => {}
        }
    }
    mesh.has_uv = with_uv && !without;
    Ok(mesh)
}

/// The first numbers of a line.
fn numbers<'a, const N: usize>(words: impl Iterator<Item = &'a str>) -> Option<[f64; N]> {
    let numbers: Vec<f64> = words.take(N).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// Corner of a face, such as `7/3/5`, and whether it has texture coordinates.
fn corner(word: &str, points: usize, lists: &Lists) -> Option<(PolygonCorner, bool)> {
    let mut parts = word.split('/');
    let mut index = |count: usize| index(parts.next()?, count);
    let point = index(points)? as u32;
    let uv = index(lists.uv.len()).map(|k| lists.uv[k]);
    let normal = index(lists.normals.len()).and_then(|k| lists.normals[k].try_normalize(0.0));
    Some((PolygonCorner { point, uv: uv.unwrap_or_default(), normal: normal.unwrap_or_default() }, uv.is_some()))
}

/// Index from 0 of an index from 1, or, if it is negative, from the end of the list.
fn index(word: &str, count: usize) -> Option<usize> {
    let number: i64 = word.parse().ok()?;
    let index = if number < 0 { number + count as i64 } else { number - 1 };
    usize::try_from(index).ok().filter(|&index| index < count)
}
