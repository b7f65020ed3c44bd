use std::path::Path;

use bdem_run::scene::Scene;
use proptest::prelude::*;

use crate::scene::{PLATE, parse, parse_with};

/// Words that mean something to a scene or to TOML.
const WORDS: [&str; 24] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "99999999999999999999",
    "\"\"",
    "[]",
    "[[",
    "{",
    "}",
    "\"",
    "=",
    "\n",
    "\r\n",
    "\t",
    "é",
    "true",
    "1979-05-27",
    "periods",
    "box",
    "a.b",
    "[bodies]",
    "#",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever a file holds, loading and building it ends with a scene or a message.
    #[test]
    fn mangled_scenes_never_panic(edits in prop::collection::vec((0..PLATE.len(), 0..12usize, 0..WORDS.len()), 1..4)) {
        let mut text = PLATE.to_owned();
        for (at, length, word) in edits {
            let boundary = |i: usize| (0..=i.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap();
            let range = boundary(at)..boundary(at + length);
            text.replace_range(range, WORDS[word]);
        }
        let small = |scene: &Scene| scene.estimated_particles() < 10_000;
        let built = parse(&text).and_then(|scene| if small(&scene) { scene.build().map(drop) } else { Ok(()) });
        if let Err(error) = built {
            prop_assert!(error.to_string().starts_with("scene.toml:"));
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("random.toml");
        std::fs::write(&path, bytes).unwrap();
        prop_assert!(Scene::load(Path::new(&path)).is_err());
    }

    #[test]
    fn random_overrides_never_panic(
        start in prop::sample::select(vec!["", "time.", "bodies.0.", "scene.name="]),
        rest in "[a-z.=0-9\\[\\]{}\"é\n ]{0,40}",
    ) {
        let _ = parse_with(&[&format!("{start}{rest}")]);
    }
}
