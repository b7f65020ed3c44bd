//! Linear system of a step in Matrix Market form, for other solvers: `cargo bench --bench export -- SCENE`.

mod first_system;
mod matrix_market;

use std::error::Error;
use std::path::{Path, PathBuf};

use bdem_run::output::{OutputError, make_folder};
use bdem_run::run::advance_to;
use bdem_run::scene::Scene;
use clap::Parser;

use first_system::FirstSystem;

/// Writes the linear system of a step in Matrix Market form
///
/// It is the system of the first Newton iteration of the next implicit Euler step. hessian.mtx has the matrix, rhs.mtx the
/// right-hand side, rigid_modes.mtx the six rigid modes. The step size is the scene's; held particles have no unknowns.
#[derive(Debug, Parser)]
struct Arguments {
    /// Scene file (TOML)
    scene: PathBuf,
    /// Value of a scene key, such as time.step=1e-5; may be repeated
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// Frame at which the step begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: u32,
    /// Leave out inertia and damping, as in a step of infinite length
    #[arg(long = "static")]
    is_static: bool,
    /// Folder of the files [default: out/SCENE_NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Cargo says this to benches
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let scene = Scene::load_with(&arguments.scene, &arguments.set)?;
    let folder = arguments.output.unwrap_or_else(|| Path::new("out").join(scene.name()));
    let simulation = advance_to(&scene, arguments.frame, false)?;
    let dt = if arguments.is_static { f64::INFINITY } else { simulation.plan.step };
    let comments = comments(&scene, arguments.frame, dt, simulation.world.period());
    let system = FirstSystem::new(simulation, dt);
    write(&folder, &comments, &system)?;
    let (rows, entries) = (system.hessian.rows(), system.hessian.nnz());
    println!("{}: {rows} unknowns, {entries} entries, zeros of blocks included", folder.display());
    Ok(())
}

fn write(folder: &Path, comments: &[String], system: &FirstSystem) -> Result<(), OutputError> {
    make_folder(folder)?;
    let headed = |what: &str| [&[what.to_owned()], comments].concat();
    let FirstSystem { hessian, rhs, rigid_modes, .. } = system;
    matrix_market::write_symmetric(&folder.join("hessian.mtx"), &headed("Hessian of the step, N/m"), hessian)?;
    matrix_market::write_columns(&folder.join("rhs.mtx"), &headed("negative gradient, N"), std::slice::from_ref(rhs))?;
    let what =
        headed("rigid modes: translations along x, y, z; rotations about x, y, z through the mean of the centres");
    matrix_market::write_columns(&folder.join("rigid_modes.mtx"), &what, rigid_modes)
}

/// Origin of the system, as comments of the three files.
fn comments(scene: &Scene, frame: u32, dt: f64, period: f64) -> Vec<String> {
    let step =
        if dt.is_finite() { format!("{dt:e} s = {} T, T = {period:e} s", dt / period) } else { "static".to_owned() };
    vec![
        format!("written by bdem {}; SI units", env!("CARGO_PKG_VERSION")),
        format!("scene: {}", scene.name()),
        format!("scene digest: {}", scene.digest()),
        format!("frame: {frame}"),
        format!("step: {step}"),
        "unknowns: six a particle, in the order of the particles that are not held:".to_owned(),
        "  displacement x y z (m), radius times world rotation vector x y z (m)".to_owned(),
    ]
}
