use std::collections::HashSet;
use std::path::Path;

use bdem_jobs::error::JobError;
use bdem_jobs::sweep::{Sweep, Varied, seeds};

fn varied(text: &str) -> Varied {
    Varied::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn names(sweep: &Sweep) -> Vec<String> {
    sweep.points().expect("a good sweep").into_iter().map(|point| point.name).collect()
}

#[test]
fn the_last_key_varies_first_and_seeds_before_all() {
    let sweep =
        Sweep { varied: vec![varied("a.x=[1, 2]"), varied("b.y=[3.5e6]")], seeds: vec![4, 7], ..Sweep::default() };
    assert_eq!(names(&sweep), ["x=1_y=3.5e6_seed=4", "x=1_y=3.5e6_seed=7", "x=2_y=3.5e6_seed=4", "x=2_y=3.5e6_seed=7"]);
    let points = sweep.points().expect("a good sweep");
    let settings: Vec<&str> = points[3].settings.iter().map(|setting| setting.set.as_str()).collect();
    assert_eq!(settings, ["a.x=2", "b.y=3.5e6", "scene.seed=7"]);
}

#[test]
fn values_of_any_type_are_kept_as_they_are_typed() {
    let list = r#"k.v=[ 1e6 , "a, b", [0, 0, 0.1], { drop = 1.0 }, true, 'it''s' ]"#.replace("'it''s'", "\"it's\"");
    let expected = ["1e6", "\"a, b\"", "[0, 0, 0.1]", "{ drop = 1.0 }", "true", "\"it's\""];
    assert_eq!(varied(&list).values, expected);
    assert_eq!(varied(&list).key, "k.v");
}

/// Names of folders stay within the output folder, and differ on every disk.
#[test]
fn names_of_folders_are_safe_and_all_different() {
    let long = "x".repeat(300);
    let values = [
        "\"../../etc\"",
        "\"..\"",
        "\"/\"",
        "\"a b\"",
        "\"a_b\"",
        "\"A b\"",
        "\"\"",
        "\"a\\nb\"",
        "\"-rf\"",
        "\"$(id)\"",
        "\"\u{e9}\"",
        "\"nul\"",
        "\"a.\"",
        "\"a\"",
        "[1, 2]",
        "[12]",
        "\"=1_seed=2\"",
    ];
    let long = [format!("\"{long}\""), format!("\"{long}y\"")];
    let list = values.iter().map(ToString::to_string).chain(long).collect::<Vec<_>>().join(", ");
    let keys = ["body.v", "other.v", "k.w", "k.x", "k.y", "k.z"];
    let of_key = |key: &&str| varied(&format!("{key}=[{list}]"));
    let sweeps = [
        Sweep { varied: vec![of_key(&"body.v")], seeds: vec![1, 2], ..Sweep::default() },
        Sweep { varied: keys[..3].iter().map(of_key).collect(), ..Sweep::default() },
        Sweep {
            varied: keys
                .iter()
                .map(|key| varied(&format!("{key}=[{}, {}]", values[0], list.rsplit(", ").next().unwrap_or(""))))
                .collect(),
            ..Sweep::default()
        },
    ];
    for sweep in sweeps {
        let names = names(&sweep);
        let distinct: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(distinct.len(), names.len());
        for name in names {
            let is_safe = |c: char| c.is_ascii_alphanumeric() || "=_+-.".contains(c);
            let is_one_part = Path::new(&name).components().count() == 1 && !name.starts_with(['.', '-']);
            assert!(name.chars().all(is_safe) && is_one_part && name.len() <= 230, "{name}");
        }
    }
}

#[test]
fn lists_that_are_none_are_refused() {
    for text in ["k", "k=", "k=1", "k=[1", "k=[1]]", "k=[1]\nx=2", "k=\"[1]\"", "k={}"] {
        let error = Varied::parse(text).expect_err(text);
        assert!(matches!(&error, JobError::Usage(why) if why.contains("--vary") && why.contains("help: ")), "{error}");
    }
    for text in
        ["k=[]", "=[1]", "a..b=[1]", "k=[1, 1]", "k=[1, 1.0]", "k=[[1], [1.0]]", "k=[\"a\", 'a']", "k=[nan, nan]"]
    {
        let sweep = Sweep { varied: vec![varied(text)], ..Sweep::default() };
        assert!(matches!(sweep.points(), Err(JobError::Usage(_))), "{text}");
    }
}

#[test]
fn seeds_are_numbers_and_ranges() {
    assert_eq!(seeds("1-3, 7,10-10"), Ok(vec![1, 2, 3, 7, 10]));
    assert_eq!(seeds("0"), Ok(vec![0]));
    assert_eq!(seeds("1-100000").map(|seeds| seeds.len()), Ok(100_000));
    for text in ["", "-", "1-", "-1", "+1", "1-2-3", "2-1", "1,1", "1-3,2", "1.5", "1-100001", "9223372036854775808"] {
        assert!(seeds(text).is_err(), "{text}");
    }
}

#[test]
fn too_many_runs_are_refused_before_they_are_counted_out() {
    let all: Vec<u64> = (0..100_000).collect();
    let sweep = Sweep { varied: vec![varied("k=[1, 2]")], seeds: all, ..Sweep::default() };
    assert!(matches!(sweep.points(), Err(JobError::Usage(why)) if why.contains("2 x 100000 runs")));
}
