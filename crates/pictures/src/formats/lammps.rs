//! Data files of LAMMPS, <https://docs.lammps.org/read_data.html>, in its SI units, with the atom style bpm/sphere.

use std::f64::consts::PI;
use std::io::{self, Write};

use bdem_core::geometry::Vec3;
use bdem_run::console::printable;
use bdem_run::output::ply::Frame;

use crate::pieces::BuiltRun;

/// Writes a frame of a run. Atoms are the particles, from 1, of the type of their body, with the molecule of their piece, and the density
/// that gives a sphere the particle's mass. Bonds are those that are whole, of the type of their body; those between two bodies
/// have the last type.
///
/// # Errors
/// Those of `out`.
pub fn write_lammps(out: &mut dyn Write, run: &BuiltRun, frame: &Frame) -> io::Result<()> {
    let (particles, bonds) = (&run.world.particles, run.whole_bonds(frame));
    let origin = Vec3::from(run.scene.output.origin.unwrap_or_default());
    let bodies = run.scene.bodies.len();
    let body = |i: u32| usize::from(particles.body[i as usize]);
    let bond_type = |[i, j]: [u32; 2]| if body(i) == body(j) { body(i) + 1 } else { bodies + 1 };
    let joins = bonds.iter().any(|&ends| bond_type(ends) > bodies);
    let places: Vec<Vec3> = frame.vertices.iter().map(|particle| particle.place() + origin).collect();

    let name = printable(run.scene.name());
    let time = frame.time().map(|time| format!(", at {time} s")).unwrap_or_default();
    writeln!(out, "# {name}{time}, by bdem: units si, atom_style bpm/sphere, a type for each body\n")?;
    writeln!(out, "{} atoms\n{} bonds", places.len(), bonds.len())?;
    writeln!(out, "{bodies} atom types\n{} bond types\n", bodies + usize::from(joins))?;
    let reach = particles.radius.iter().copied().fold(0.0, f64::max);
    let low = places.iter().fold(Vec3::repeat(f64::INFINITY), |low, p| low.inf(p)) - Vec3::repeat(2.0 * reach);
    let high = places.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, p| high.sup(p)) + Vec3::repeat(2.0 * reach);
    for (axis, (low, high)) in ["x", "y", "z"].iter().zip(low.iter().zip(high.iter())) {
        writeln!(out, "{low:?} {high:?} {axis}lo {axis}hi")?;
    }
    writeln!(out, "\nAtoms # bpm/sphere\n")?;
    for (i, (p, particle)) in places.iter().zip(&frame.vertices).enumerate() {
        let (radius, mass) = (particles.radius[i], particles.mass[i]);
        let density = mass / (4.0 / 3.0 * PI * radius.powi(3));
        let (molecule, kind) = (particle.piece + 1, particles.body[i] + 1);
        let [x, y, z]: [f64; 3] = (*p).into();
        writeln!(out, "{} {molecule} {kind} {:?} {density:?} {x:?} {y:?} {z:?}", i + 1, 2.0 * radius)?;
    }
    writeln!(out, "\nVelocities\n")?;
    for (i, particle) in frame.vertices.iter().enumerate() {
        let velocities = [particle.vx, particle.vy, particle.vz, particle.wx, particle.wy, particle.wz];
        let [vx, vy, vz, wx, wy, wz] = velocities.map(f64::from);
        writeln!(out, "{} {vx:?} {vy:?} {vz:?} {wx:?} {wy:?} {wz:?}", i + 1)?;
    }
    if !bonds.is_empty() {
        writeln!(out, "\nBonds\n")?;
    }
    for (k, &[i, j]) in bonds.iter().enumerate() {
        writeln!(out, "{} {} {} {}", k + 1, bond_type([i, j]), i + 1, j + 1)?;
    }
    Ok(())
}
