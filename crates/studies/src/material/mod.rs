//! A body of a material: weight, size, moduli, strength and toughness, as typed and as measured.

mod pieces;
mod specimen;

use std::path::Path;

use bdem_run::run::RunError;
use bdem_run::scene::Scene;
use rayon::prelude::*;

use super::{Cell, Claim, Report, ReportTable, Setup, Study};

pub use pieces::Shards;
pub use specimen::{Tested, test};

pub(super) const STUDY: Study = Study {
    name: "material",
    about: "weight, size, stiffness, strength and toughness of bodies, over the typed ones",
    run,
};

/// Density (kg/m3), Young's modulus (Pa), tension (Pa) and energy of a crack (J/m2) of the material.
const DENSITY: f64 = 2400.0;
const YOUNG: f64 = 30e9;
const TENSION: f64 = 3e6;
const TOUGHNESS: f64 = 100.0;

/// Sides of a bar, m.
const WIDTH: f64 = 0.03;
const HEIGHT: f64 = 0.06;

/// Radii of three sizes, m.
const RADII: [f64; 3] = [0.003, 0.002, 0.0015];

/// Property of a body over the typed one.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// Packing and radius, or what else differs.
    pub of: String,
    /// Measured value over the typed one, or over that of one box.
    pub ratio: f64,
    /// Permitted distance from 1.
    pub within: f64,
}

impl Property {
    /// Whether it is as typed.
    pub fn is_right(&self) -> bool {
        (self.ratio - 1.0).abs() <= self.within
    }
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [("property", ""), ("of", ""), ("measured over typed", ""), ("within", ""), ("right", "")];
    let mut report = Report { table: ReportTable::new(&columns), ..Report::default() };
    let mut all = measures()?;
    for &radius in &RADII[..setup.choose(3, 1)] {
        setup.log.note(&format!("bars of particles of {radius} m"));
        all.extend(bars(radius, Some(TOUGHNESS))?);
        if !setup.quick {
            all.push(crack(radius)?);
        }
    }
    if !setup.quick {
        for toughness in [Some(0.1 * TOUGHNESS), None] {
            all.extend(bars(RADII[1], toughness)?);
        }
        setup.log.note("bars along six directions");
        all.extend(directions(RADII[2])?);
        setup.log.note("pieces of a block");
        all.extend(blocks()?);
        setup.log.note("compression");
        all.extend(compressions()?);
    }
    for property in &all {
        let cells: [Cell; 5] = [
            property.name.into(),
            property.of.as_str().into(),
            property.ratio.into(),
            property.within.into(),
            (if property.is_right() { "yes" } else { "no" }).into(),
        ];
        report.table.rows.push(cells.into());
    }
    let right = all.iter().filter(|property| property.is_right()).count();
    report.claims =
        vec![Claim::new("properties that are as typed", "closed forms", all.len().to_string(), right as f64)];
    Ok(report)
}

/// Scene of a body called `body` of these keys.
fn scene(keys: &str, set: &[String]) -> Result<Scene, RunError> {
    let text = format!(
        "[scene]\nname = \"material\"\ngravity = [0.0, 0.0, 0.0]\n\
         [time]\nframe_rate = 5000.0\nframes = 40\nintegrator = \"explicit-verlet\"\nstep = \"auto\"\n\
         [materials.m]\ndensity = {DENSITY:?}\nyoung_modulus = {YOUNG:?}\npoisson_ratio = 0.2\n\
         moduli = \"macroscopic\"\ndamping = 0.1\n[[bodies]]\nname = \"body\"\nmaterial = \"m\"\n{keys}"
    );
    Ok(Scene::parse(Path::new("material.toml"), &text, set)?)
}

/// Weights, and the length of a cylinder of five layers.
///
/// # Errors
/// When a scene is wrong.
pub fn measures() -> Result<Vec<Property>, RunError> {
    let mut all = Vec::new();
    for packing in ["\"hexagonal\"", "\"random\"", "{ shell = { fill = true } }"] {
        let keys = format!(
            "particle_radius = 0.003\npacking = {packing}\nshape = {{ box = {{ size = [0.03, 0.04, 0.05] }} }}\n"
        );
        let scene = scene(&keys, &["materials.m.moduli=bond".to_owned()])?;
        let (world, state) = scene.build()?;
        let density = scene.measures(&world, &state)[0].bulk_density.unwrap_or_default();
        all.push(Property { name: "density", of: packing.to_owned(), ratio: density / DENSITY, within: 1e-9 });
    }
    let keys = "particle_radius = 0.01\nshape = { cylinder = { radius = 0.05, height = 0.1 } }\n";
    let scene = scene(keys, &[])?;
    let (world, state) = scene.build()?;
    let size = scene.measures(&world, &state)[0].size;
    all.push(Property { name: "height", of: "cylinder of five layers".to_owned(), ratio: size.z / 0.1, within: 0.005 });
    Ok(all)
}

/// Settings of bonds with macroscopic strengths that take `toughness` (J/m2) to soften, or break at once.
fn breaking(toughness: Option<f64>) -> Vec<String> {
    let set = [
        "strengths=macroscopic".to_owned(),
        format!("tensile_strength={TENSION:?}"),
        format!("shear_strength={:?}", 3.0 * TENSION),
    ];
    let set = set.into_iter().chain(toughness.map(|toughness| format!("fracture_energy={toughness:?}")));
    set.map(|set| format!("materials.m.{set}")).collect()
}

/// Grips of a bar of this height (m), of which the upper moves up by twice `speed` (m/s) relative to the lower.
fn grips(height: f64, depth: f64, speed: f64) -> String {
    let inner = 0.5 * height - depth;
    format!(
        "[[constraints]]\nregion = {{ box = {{ min = [-1, -1, -1], max = [1, 1, -{inner:?}] }} }}\n\
         motion = {{ velocity = [0.0, 0.0, {:?}] }}\n\
         [[constraints]]\nregion = {{ box = {{ min = [-1, -1, {inner:?}], max = [1, 1, 1] }} }}\n\
         motion = {{ velocity = [0.0, 0.0, {speed:?}] }}\n",
        -speed
    )
}

/// Young's modulus and strength of bars of random packings of `radius` (m) with this toughness (J/m2): means over some
/// seeds.
///
/// # Errors
/// When the solver gives up.
pub fn bars(radius: f64, toughness: Option<f64>) -> Result<[Property; 2], RunError> {
    const SEEDS: u32 = 3;
    let keys = format!(
        "particle_radius = {radius:?}\npacking = \"random\"\n\
         shape = {{ box = {{ size = [{WIDTH:?}, {WIDTH:?}, {HEIGHT:?}] }} }}\n{}",
        grips(HEIGHT, 0.008, 0.02)
    );
    let pulled =
        |seed: u32| test(&scene(&keys, &[breaking(toughness), vec![format!("scene.seed={seed}")]].concat())?, 0.6);
    let bars = (0..SEEDS).into_par_iter().map(pulled).collect::<Result<Vec<_>, RunError>>()?;
    let mean = |of: fn(&Tested) -> f64| bars.iter().map(of).sum::<f64>() / f64::from(SEEDS) / (WIDTH * WIDTH);
    let tough = toughness.map_or("brittle".to_owned(), |toughness| format!("{toughness:.0} J/m2"));
    let ratio = |name, ratio, within| Property { name, of: format!("{}, {tough}", random(radius)), ratio, within };
    Ok([
        ratio("Young's modulus", mean(|bar| bar.stiffness) / YOUNG, 0.05),
        ratio("tensile strength", mean(|bar| bar.peak) / TENSION, 0.1),
    ])
}

/// Young's modulus and strength of bars cut along six directions from random packings of `radius` (m): means over some seeds,
/// over the mean of all directions.
///
/// # Errors
/// When the solver gives up.
pub fn directions(radius: f64) -> Result<Vec<Property>, RunError> {
    /// Directions, and the axes and angles (degrees) that turn z into them.
    const TURNS: [(&str, [f64; 3], f64); 6] = [
        ("z", [1.0, 0.0, 0.0], 0.0),
        ("y", [1.0, 0.0, 0.0], -90.0),
        ("x", [0.0, 1.0, 0.0], 90.0),
        ("y = z", [1.0, 0.0, 0.0], -45.0),
        ("x = z", [0.0, 1.0, 0.0], 45.0),
        ("x = y = z", [-1.0, 1.0, 0.0], 54.735_610_317_245_35),
    ];
    const SEEDS: usize = 6;
    let pulled = |run: usize| {
        let (_, axis, degrees) = TURNS[run / SEEDS];
        let keys = format!(
            "particle_radius = {radius:?}\npacking = \"random\"\n\
             rotation = {{ axis = {axis:?}, degrees = {:?} }}\n\
             shape = {{ moved = {{ shape = {{ box = {{ size = [{WIDTH:?}, {WIDTH:?}, {HEIGHT:?}] }} }}, \
             rotation = {{ axis = {axis:?}, degrees = {degrees:?} }} }} }}\n{}",
            -degrees,
            grips(HEIGHT, 0.008, 0.02)
        );
        test(&scene(&keys, &[breaking(None), vec![format!("scene.seed={}", run % SEEDS)]].concat())?, 0.6)
    };
    let bars: Vec<Tested> = (0..TURNS.len() * SEEDS).into_par_iter().map(pulled).collect::<Result<_, RunError>>()?;
    let rows = |name, within, of: fn(&Tested) -> f64| {
        let all = bars.iter().map(of).sum::<f64>() / TURNS.len() as f64;
        let row = move |(bars, (along, ..)): (&[Tested], &(&str, [f64; 3], f64))| {
            let ratio = bars.iter().map(of).sum::<f64>() / all;
            Property { name, of: format!("along {along}, {}, brittle", random(radius)), ratio, within }
        };
        bars.chunks(SEEDS).zip(&TURNS).map(row).collect::<Vec<_>>()
    };
    let [stiffness, strength] = [
        rows("Young's modulus over its mean", 0.03, |bar| bar.stiffness),
        rows("tensile strength over its mean", 0.1, |bar| bar.peak),
    ];
    Ok([stiffness, strength].concat())
}

/// Energy of a crack through the notched middle of a bar of a random packing of `radius` (m).
///
/// # Errors
/// When the solver gives up.
pub fn crack(radius: f64) -> Result<Property, RunError> {
    let [width, notch] = [2.0 * WIDTH, 0.02];
    let keys = format!(
        "particle_radius = {radius:?}\npacking = \"random\"\n\
         shape = {{ difference = [{{ box = {{ size = [{width:?}, {WIDTH:?}, {:?}] }} }}, \
         {{ moved = {{ shape = {{ box = {{ size = [{:?}, 1.0, 0.006] }} }}, position = [{:?}, 0.0, 0.0] }} }}] }}\n{}",
        2.0 * HEIGHT,
        2.0 * notch,
        0.5 * width,
        grips(2.0 * HEIGHT, 0.01, 0.02)
    );
    let pulled = test(&scene(&keys, &breaking(Some(TOUGHNESS)))?, 0.02)?;
    let ratio = pulled.dissipated / (WIDTH * (width - notch)) / TOUGHNESS;
    Ok(Property { name: "energy of a crack", of: random(radius), ratio, within: 0.1 })
}

/// Share of a block's particles that are in the same piece after it fell on an edge: at two radii, and with two seeds at one.
/// Means over some seeds.
///
/// # Errors
/// When the solver gives up.
pub fn blocks() -> Result<Vec<Property>, RunError> {
    const SEEDS: usize = 5;
    /// Radii of the particles, m.
    const RADII: [f64; 3] = [0.006, 0.005, 0.004];
    let broken = |run: usize| {
        let keys = format!(
            "particle_radius = {:?}\npacking = \"random\"\nshape = {{ box = {{ size = [0.16, 0.1, 0.06] }} }}\n\
             position = [0.0, 0.0, 0.045]\nvelocity = [0.0, 0.0, -5.0]\n\
             [[colliders]]\nshape = {{ half_space = {{ normal = [0.0, 0.0, 1.0], offset = 0.0 }} }}\n\
             [[colliders]]\nshape = {{ box = {{ size = [0.02, 0.3, 0.02] }} }}\n",
            RADII[run / SEEDS]
        );
        let set = [
            "time.frame_rate=240",
            "time.frames=8",
            "materials.m.density=1200",
            "materials.m.young_modulus=1e8",
            "materials.m.strengths=macroscopic",
            "materials.m.tensile_strength=8e5",
            "materials.m.shear_strength=2.4e6",
            "materials.m.fracture_energy=60",
            "materials.m.weibull_modulus=6",
            "materials.m.friction=0.5",
        ];
        let seed = format!("scene.seed={}", run % SEEDS);
        Shards::of(&scene(&keys, &set.iter().map(|&set| set.to_owned()).chain([seed]).collect::<Vec<_>>())?)
    };
    let all = (0..RADII.len() * SEEDS).into_par_iter().map(broken).collect::<Result<Vec<_>, RunError>>()?;
    let (coarse, others) = all.split_at(SEEDS);
    let mean = |pairs: &mut dyn Iterator<Item = (&Shards, &Shards)>| {
        let shares: Vec<f64> = pairs.map(|(a, b)| a.alike(b)).collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    };
    let alike = |of: String, ratio| Property { name: "same pieces of a block", of, ratio, within: 0.5 };
    let mut rows: Vec<Property> = others
        .chunks(SEEDS)
        .zip(&RADII[1..])
        .map(|(fine, radius)| {
            alike(format!("r = {:.0} and {:.0} mm", 1e3 * RADII[0], 1e3 * radius), mean(&mut coarse.iter().zip(fine)))
        })
        .collect();
    let next = coarse.iter().skip(1);
    rows.push(alike(format!("two seeds, r = {:.0} mm", 1e3 * RADII[0]), mean(&mut coarse.iter().zip(next))));
    Ok(rows)
}

/// Name of a random packing.
fn random(radius: f64) -> String {
    format!("random, r = {:.1} mm", 1e3 * radius)
}

/// Compressive over tensile strength by the criterion of Mohr and Coulomb, over 8 and over 12.
///
/// # Errors
/// When the solver gives up.
pub fn compressions() -> Result<Vec<Property>, RunError> {
    /// Ratio asked for; cohesion over tension and angle of friction of the bonds, degrees, that give it.
    const RATIOS: [(f64, f64, f64); 2] = [(8.0, 1.75, 30.0), (12.0, 3.0, 30.0)];
    let mut all = Vec::new();
    for (asked, cohesion, angle) in RATIOS {
        let strength = |speed: f64| {
            let keys = format!(
                "particle_radius = 0.002\npacking = \"random\"\n\
                 shape = {{ box = {{ size = [{WIDTH:?}, {WIDTH:?}, {HEIGHT:?}] }} }}\n{}",
                grips(HEIGHT, 0.003, speed)
            );
            let set = [
                format!("tensile_strength={TENSION:?}"),
                format!("shear_strength={:?}", cohesion * TENSION),
                format!("friction_angle={angle:?}"),
                "moment_share=0.2".to_owned(),
                "friction=0.6".to_owned(),
            ];
            let set: Vec<String> = set.iter().map(|set| format!("materials.m.{set}")).collect();
            test(&scene(&keys, &set)?, 0.7)
        };
        let [tension, compression] = [strength(0.02)?, strength(-0.05)?];
        let of = format!("cohesion {cohesion} T, {angle} degrees");
        let ratio = compression.peak / tension.peak / asked;
        all.push(Property { name: "UCS over T", of: format!("{of}, over {asked}"), ratio, within: 0.15 });
    }
    Ok(all)
}
