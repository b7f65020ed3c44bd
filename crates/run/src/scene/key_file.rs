//! Keys of motions from CSV files.

use bdem_core::geometry::{Quat, Vec3, rotation};

use super::csv_file::CsvFile;
use super::{AxisAngle, SceneKey};

/// Keys in the `bytes` of a CSV file, in the order of its rows.
///
/// # Errors
/// A message, when the file has no such numbers.
pub(super) fn keys(bytes: &[u8]) -> Result<Vec<SceneKey>, String> {
    let table = CsvFile::parse(bytes)?;
    if table.len() == 0 {
        return Err("it has no rows below its header".to_owned());
    }
    let place = |name: &str| table.place(name);
    let needed = |name: &str| place(name).ok_or_else(|| format!("it has no column {name}, but {}", table.names()));
    let (time, position) = (needed("time")?, [needed("x")?, needed("y")?, needed("z")?]);
    let quaternion = all(["qw", "qx", "qy", "qz"].map(place));
    let angles = all(["rx", "ry", "rz"].map(place));
    if let (Some(_), Some(_)) = (quaternion, angles) {
        return Err("it has both a quaternion (qw, qx, qy, qz) and angles (rx, ry, rz): keep one of them".to_owned());
    }
    let known =
        [time].into_iter().chain(position).chain(quaternion.into_iter().flatten()).chain(angles.into_iter().flatten());
    let known: Vec<usize> = known.collect();
    let partly = ["qw", "qx", "qy", "qz", "rx", "ry", "rz"]
        .into_iter()
        .find(|name| place(name).is_some_and(|at| !known.contains(&at)));
    if let Some(name) = partly {
        return Err(format!("it has a column {name}, but not all of qw, qx, qy, qz or of rx, ry, rz"));
    }
    let number = |row: usize, column: usize| -> Result<f64, String> {
        let wrong = |cell: &str| format!("line {}: {cell:?} is no number", table.line(row));
        let number = table.number(row, column).map_err(wrong)?;
        number.is_finite().then_some(number).ok_or_else(|| wrong(&number.to_string()))
    };
    let mut turn = Vec3::zeros();
    let mut keys = Vec::with_capacity(table.len());
    for row in 0..table.len() {
        let mut position_at = [0.0; 3];
        for (to, column) in position_at.iter_mut().zip(position) {
            *to = number(row, column)?;
        }
        let orientation = match (quaternion, angles) {
            (Some([w, x, y, z]), _) => {
                let q = Quat::new(number(row, w)?, number(row, x)?, number(row, y)?, number(row, z)?);
                let length = q.norm();
                if !length.is_normal() {
                    return Err(format!("line {}: the quaternion is zero", table.line(row)));
                }
                q / length
            }
            (None, Some([x, y, z])) => by_angles([number(row, x)?, number(row, y)?, number(row, z)?]),
            (None, None) => Quat::identity(),
        };
        turn = nearest_turn(&orientation, &turn);
        keys.push(SceneKey {
            time: number(row, time)?,
            position: position_at,
            rotation: axis_angle(&turn),
            ease: None,
        });
    }
    Ok(keys)
}

fn all<const N: usize>(places: [Option<usize>; N]) -> Option<[usize; N]> {
    places.iter().all(Option::is_some).then(|| places.map(Option::unwrap_or_default))
}

/// Rotation about the fixed axes x, then y, then z, by these angles in degrees.
fn by_angles(degrees: [f64; 3]) -> Quat {
    let about = |axis: Vec3, degrees: f64| rotation::exp(&(axis * (0.5 * degrees.to_radians())));
    about(Vec3::z(), degrees[2]) * about(Vec3::y(), degrees[1]) * about(Vec3::x(), degrees[0])
}

/// Rotation vector (rad) of an orientation that differs least from that of the key before.
fn nearest_turn(orientation: &Quat, before: &Vec3) -> Vec3 {
    let from = rotation::exp(&(before * 0.5));
    // q and -q are the same rotation
    let orientation = if orientation.dot(&from) < 0.0 { -orientation } else { *orientation };
    rotation::with_whole_turns(rotation::log(&orientation) * 2.0, before)
}

fn axis_angle(turn: &Vec3) -> AxisAngle {
    let angle = turn.norm();
    if angle == 0.0 {
        return AxisAngle::default();
    }
    AxisAngle { axis: (turn / angle).into(), degrees: angle.to_degrees() }
}
