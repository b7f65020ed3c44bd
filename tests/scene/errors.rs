use bdem_run::scene::SceneError;

use crate::scene::{PLATE, cases, edited, parse};

/// What an error underlines, read from its excerpt; and that its place says the same line and column.
fn underlined(text: &str, error: &SceneError) -> String {
    let SceneError::Wrong { place, excerpt, .. } = error else { panic!("{error}") };
    let numbers: Vec<usize> = place.split(':').skip(1).map(|n| n.parse().unwrap()).collect();
    let line = text.lines().nth(numbers[0] - 1).unwrap_or("");
    let [_, _, shown, marked] = excerpt.split('\n').collect::<Vec<_>>()[..] else { panic!("{excerpt}") };
    assert!(shown.ends_with(line), "{error}");
    assert_eq!(marked.find('^').unwrap() - marked.find('|').unwrap() - 1, numbers[1], "{error}");
    line.chars().skip(numbers[1] - 1).take(marked.matches('^').count()).collect()
}

#[test]
fn errors_point_at_what_is_wrong() {
    for [found_by, from, to, mark, message] in cases(include_str!("errors.txt")) {
        let text = edited(&from, &to);
        let loaded = parse(&text);
        assert_eq!(loaded.is_err(), found_by == "load", "{to}");
        let error = loaded.and_then(|scene| scene.build()).err().unwrap_or_else(|| panic!("{to} is accepted"));
        assert!(error.to_string().contains(&message), "{error}");
        assert_eq!(underlined(&text, &error), mark, "{error}");
        assert!(error.to_string().starts_with("scene.toml:"), "{error}");
    }
}

#[test]
fn what_is_absent_is_missed_at_the_end() {
    let text = "[scene]\nname = \"x\"\n\n[time]\nframe_rate = 1\nframes = 1\n\n";
    let no_bodies = parse(text).unwrap_err();
    assert!(no_bodies.to_string().starts_with("scene.toml:6:1: the scene has no bodies"), "{no_bodies}");
    let no_time = parse("[scene]\nname = \"x\"\n# the end\n").unwrap_err();
    assert!(no_time.to_string().starts_with("scene.toml:3:1: missing key `time`"), "{no_time}");
    assert!(parse("").unwrap_err().to_string().starts_with("scene.toml:1:1: missing key `scene`"));
}

#[test]
fn an_error_reads_like_this() {
    let error = parse(&edited("particle_radius = 0.005", "particle_radius = -0.005")).unwrap_err();
    let expected = "\
scene.toml:31:19: particle_radius is -0.005, but must be a positive number of metres
   |
31 | particle_radius = -0.005
   |                   ^^^^^^";
    assert_eq!(error.to_string(), expected);
}

/// A mark far along a line has some of the line on both sides.
#[test]
fn a_long_line_is_cut_around_the_mark() {
    const BALL: &str = "{ sphere = { radius = 0.03 } }";
    for (before, after, cut) in
        [(1, 1, [false, false]), (1, 20, [false, true]), (20, 0, [true, false]), (20, 20, [true, true])]
    {
        let [left, right] = [before, after].map(|count| format!("{BALL}, ").repeat(count));
        let wrong = BALL.replace("sphere", "shpere");
        let text = edited(BALL, &format!("{{ union = [{left}{wrong}, {right}] }}"));
        let (number, line) = text.lines().enumerate().find(|(_, line)| line.contains("shpere")).expect("it is there");
        let column = line.find("shpere").expect("it is there") + 1;
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("scene.toml:{}:{column}: unknown name", number + 1)), "{error}");

        let gutter = (number + 1).to_string().len() + " | ".len();
        let [part, mark] = [2, 3].map(|k| &error.lines().nth(k).unwrap_or_else(|| panic!("{error}"))[gutter..]);
        let from = mark.find('^').expect("it has a mark");
        assert_eq!(part[from..].get(..mark.len() - from), Some("shpere"), "{error}");
        assert_eq!([part.starts_with("..."), part.ends_with("...")], cut, "{error}");
        assert!(part.len() <= 160 && (!cut[0] || from > 20), "{} characters: {error}", part.len());
    }
}

#[test]
fn names_leave_room_for_what_follows_them_in_file_names() {
    let named =
        |length: usize| parse(&edited("name = \"plate\"\n\n", &format!("name = \"{}\"\n\n", "a".repeat(length))));
    assert_eq!(named(100).unwrap().name().len(), 100);
    let error = named(101).unwrap_err().to_string();
    assert!(error.contains("must be made of 1 to 100 letters"), "{error}");
}

/// Each pair of them overlaps: in one place there are more pairs than memory.
#[test]
fn bodies_in_one_place_are_told_at_once() {
    let bodies = "[[bodies]]\nname = \"NAME\"\nmaterial = \"ceramic\"\nparticle_radius = 0.01\n\
                  shape = { sphere = { radius = 0.01 } }\nposition = [5, 0, 0]\n";
    let heap: String = (0..20_000).map(|n| bodies.replace("NAME", &format!("ball{n}"))).collect();
    let error = parse(&(PLATE.to_owned() + &heap)).unwrap().build().unwrap_err().to_string();
    assert!(
        error.contains("body \"ball1\" overlaps body \"ball0\": two of their particles do by 2.000e-2 m"),
        "{error}"
    );
}

/// What is near to it is not looked for: that would take gigabytes.
#[test]
fn a_key_as_long_as_a_file_is_unknown() {
    let key = "x".repeat(10_000_000);
    let error = parse(&edited("frames = 120", &format!("{key} = 120"))).unwrap_err().to_string();
    assert!(error.contains("unknown key `xxx") && !error.contains("did you mean"));
}
