//! A scene file, and a function that is called at every frame: `cargo run --release --example scene_with_callback`.

use std::path::Path;

use bdem_run::run::advance_with;
use bdem_run::scene::Scene;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/slab.toml")))?;
    advance_with(&scene, 3, true, |simulation| {
        let lowest = simulation.state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        println!("{:.4} s: {:.3} J, lowest particle at {lowest:.4} m", simulation.state.time, simulation.energy());
    })?;
    Ok(())
}
