//! What the benches of whole scenes share.

use std::path::Path;

use bdem::scene::Scene;

/// A scene of the folder `scenes`, with some of its values set.
pub fn load(name: &str, set: &[String]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).with_extension("toml");
    Scene::load_with(&path, set).unwrap_or_else(|error| panic!("{error}"))
}

/// Sets the number of threads, all of the machine's if none is given.
pub fn start_threads(threads: Option<usize>) {
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build_global().expect("the threads start");
}

/// Headings and rows as a table of Markdown.
pub fn print_markdown(headings: &[&str], rows: &[Vec<String>]) {
    println!("| {} |\n|{}", headings.join(" | "), "---|".repeat(headings.len()));
    rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
}

/// Three digits.
pub fn short(x: Option<f64>) -> String {
    match x {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(x) if (1e-3..1e4).contains(&x) => {
            let digits = (2 - x.log10().floor() as i32).max(0) as usize;
            format!("{x:.digits$}")
        }
        Some(x) => format!("{x:.2e}"),
    }
}
