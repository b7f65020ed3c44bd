use std::io::Cursor;

use bdem_core::geometry::Vec3;
use ply_rs::parser::{Parser, Reader};
use ply_rs::ply::{Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType};

use super::ply_text::plain;
use super::{MeshFileError, Triangles, colours, malformed, polygon};

/// Element of a PLY file: the position and colour of a vertex, or the corners of a face.
struct Element {
    place: Vec3,
    colour: [f64; 3],
    corners: Vec<u32>,
}

/// Triangles of a PLY file, from its elements `vertex` and `face`, and the colours of its vertices as [`colours::finish`] leaves them.
pub(super) fn read(bytes: &[u8]) -> Result<(Triangles, Vec<[f64; 3]>), MeshFileError> {
    let bytes = &*plain(bytes);
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = parser.read_header(&mut reader).map_err(malformed)?;
    check(&header, bytes.len())?;
    let mut payload = parser.read_payload(&mut reader, &header).map_err(malformed)?;
    let mut take = |name: &str| payload.shift_remove(name).unwrap_or_default();
    let (corners, mut all): (Vec<Vec3>, Vec<_>) =
        take("vertex").into_iter().map(|vertex| (vertex.place, vertex.colour)).unzip();
    let white = match header.elements["vertex"].properties.get("red").map(|red| &red.data_type) {
        Some(PropertyType::Scalar(ScalarType::UChar)) => Some(255.0),
        Some(PropertyType::Scalar(ScalarType::UShort)) => Some(65535.0),
        _ => None,
    };
    colours::finish(&mut all, white);
    let faces = take("face").iter().flat_map(|face| polygon::triangles(&corners, &face.corners)).collect();
    Ok(((corners, faces), all))
}

/// Scalar property `name` of each vertex of a PLY file, in the order of the file.
///
/// # Errors
/// When the file is malformed, or its vertices have no such property.
pub(crate) fn vertex_scalars(bytes: &[u8], name: &str) -> Result<Vec<f64>, MeshFileError> {
    let bytes = &*plain(bytes);
    let parser = Parser::<Value>::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    let mut header = parser.read_header(&mut reader).map_err(malformed)?;
    check_counts(&header, bytes.len())?;
    let missing = || MeshFileError::Malformed("it has no element vertex".to_owned());
    let vertex = header.elements.get_mut("vertex").ok_or_else(missing)?;
    let properties = std::mem::take(&mut vertex.properties);
    let scalars = properties.iter().filter(|(_, property)| matches!(property.data_type, PropertyType::Scalar(_)));
    let scalars: Vec<&str> = scalars.map(|(key, _)| key.as_str()).collect();
    if !scalars.contains(&name) {
        return Err(MeshFileError::NoProperty { name: name.to_owned(), known: scalars.join(", ") });
    }
    let renamed = |(key, property)| (if key == name { Value::NAME.to_owned() } else { key }, property);
    vertex.properties = properties.into_iter().map(renamed).collect();
    let mut payload = parser.read_payload(&mut reader, &header).map_err(malformed)?;
    Ok(payload.shift_remove("vertex").unwrap_or_default().into_iter().map(|Value(value)| value).collect())
}

/// One property of an element.
struct Value(f64);

impl Value {
    /// Its name while it is read: no property of a file has none.
    const NAME: &str = "";
}

impl PropertyAccess for Value {
    fn new() -> Self {
        Self(f64::NAN)
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match number(&property) {
            _ if name != Self::NAME => PropertyAccessResult::Ignored,
            None => PropertyAccessResult::UnsupportedType,
            Some(value) => {
                self.0 = value;
                PropertyAccessResult::Set
            }
        }
    }
}

/// Checks that the elements fit in the file and have positions and corners.
fn check(header: &Header, bytes: usize) -> Result<(), MeshFileError> {
    check_counts(header, bytes)?;
    let has = |element: &str, names: &[&str]| {
        header.elements.get(element).is_some_and(|e| names.iter().any(|&name| e.properties.contains_key(name)))
    };
    if ["x", "y", "z"].iter().all(|axis| has("vertex", &[axis])) && has("face", &CORNERS) {
        return Ok(());
    }
    Err(MeshFileError::Malformed("it has no faces with vertex_indices, or no vertices with x, y and z".to_owned()))
}

/// Checks that the elements fit in the file.
fn check_counts(header: &Header, bytes: usize) -> Result<(), MeshFileError> {
    for element in header.elements.values() {
        if element.properties.is_empty() || element.count > bytes {
            let why = format!(
                "its header declares {} times {:?}, but the file is too short for them",
                element.count, element.name
            );
            return Err(MeshFileError::Malformed(why));
        }
    }
    Ok(())
}

/// Names of the corner lists of faces.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

impl PropertyAccess for Element {
    fn new() -> Self {
        Self { place: Vec3::zeros(), colour: colours::NONE, corners: Vec::new() }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = ["x", "y", "z"].iter().position(|&axis| axis == name);
        match (axis, number(&property)) {
            (Some(axis), Some(number)) => self.place[axis] = number,
            (Some(_), None) => return PropertyAccessResult::UnsupportedType,
            (None, _) if CORNERS.contains(&name) => match indices(property) {
                Some(corners) => self.corners = corners,
                None => return PropertyAccessResult::UnsupportedType,
            },
            (None, number) => match (["red", "green", "blue"].iter().position(|&part| part == name), number) {
                (Some(part), Some(number)) => self.colour[part] = number,
                _ => return PropertyAccessResult::Ignored,
            },
        }
        PropertyAccessResult::Set
    }
}

/// A scalar of any type.
pub(crate) fn number(property: &Property) -> Option<f64> {
    match *property {
        Property::Double(x) => Some(x),
        Property::Int(n) => Some(f64::from(n)),
        Property::UInt(n) => Some(f64::from(n)),
        ref other => other.to_f32_lossy().map(f64::from),
    }
}

/// Corner indices; negative ones become invalid.
fn indices(property: Property) -> Option<Vec<u32>> {
    let signed = |n: i32| u32::try_from(n).unwrap_or(u32::MAX);
    Some(match property {
        Property::ListUInt(list) => list,
        Property::ListInt(list) => list.into_iter().map(signed).collect(),
        Property::ListUShort(list) => list.into_iter().map(u32::from).collect(),
        Property::ListShort(list) => list.into_iter().map(|n| signed(n.into())).collect(),
        Property::ListUChar(list) => list.into_iter().map(u32::from).collect(),
        Property::ListChar(list) => list.into_iter().map(|n| signed(n.into())).collect(),
        _ => return None,
    })
}
