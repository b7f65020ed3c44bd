use std::io::{self, Write};

use bdem_run::output::ply::Frame;

/// Writes a frame as extended XYZ: the number of particles, a line that names the columns, and a line for each particle.
///
/// # Errors
/// Those of `out`.
pub fn write_xyz(out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
    writeln!(out, "{}", frame.vertices.len())?;
    let properties = "id:I:1:pos:R:3:radius:R:1:velo:R:3:orientation:R:4:piece:I:1:damage:R:1:stress:R:1";
    let time = frame.comment("time").and_then(|time| time.split_whitespace().next()).unwrap_or("0");
    writeln!(out, "Properties={properties} Time={time}")?;
    for v in &frame.vertices {
        write!(out, "{} {} {} {} {} {} {} {} ", v.id, v.x, v.y, v.z, v.pscale, v.vx, v.vy, v.vz)?;
        write!(out, "{} {} {} {} ", v.orient_x, v.orient_y, v.orient_z, v.orient_w)?;
        writeln!(out, "{} {} {}", v.piece, v.damage, v.stress)?;
    }
    Ok(())
}
