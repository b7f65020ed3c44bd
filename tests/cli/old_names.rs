//! Names of commands in the version before.

use crate::cli::Workplace;

#[test]
fn old_names_forward_with_a_notice() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    for (old, new) in [
        (&["table", "run"][..], &["info", "run", "--format", "csv"][..]),
        (&["table", "--format=json", "run", "run"], &["info", "run", "run", "--format", "json"]),
        (&["surface", "run", "-o", "old"], &["convert", "run", "--to", "ply", "-o", "new"]),
        (&["surface", "run", "-o", "old", "--format", "obj"], &["convert", "run", "--to", "obj", "-o", "new"]),
    ] {
        let [old, new] = [old, new].map(|words| place.run(words));
        [&old, &new].into_iter().for_each(|ended| ended.expect(0));
        assert_eq!(old.out, new.out);
        assert!(old.err.contains("is bdem") && !new.err.contains("is bdem"), "{}", old.err);
    }
    assert_eq!(place.files("old"), place.files("new"));
}

#[test]
fn a_command_that_moved_says_where_it_is() {
    let ended = Workplace::new().run(&["export", "scene.toml"]);
    ended.expect(2);
    ended.expect_error(&["cargo bench --bench export"]);
}
