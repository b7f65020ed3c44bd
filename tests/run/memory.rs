use std::fs;
use std::path::Path;

use bdem_run::run::memory::{check, estimate, free};
use tempfile::TempDir;

use crate::common::scenes::scene;

/// The system's files, as far as they are looked at.
fn system(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, text).expect("space");
    }
    root
}

const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:  8000 kB\n");

#[test]
fn a_machine_without_control_groups_has_what_is_available() {
    assert_eq!(free(system(&[MACHINE]).path()), Some(8_192_000));
    assert_eq!(free(system(&[]).path()), None);
    assert!(free(Path::new("/")).is_none_or(|bytes| bytes > 0));
}

/// The limit of a group around that of the process counts, and a cache is no use of memory.
#[test]
fn control_groups_limit_what_is_free() {
    let groups = [
        ("proc/self/cgroup", "0::/farm/task\n"),
        ("sys/fs/cgroup/farm/task/memory.max", "max\n"),
        ("sys/fs/cgroup/farm/task/memory.current", "1000\n"),
        ("sys/fs/cgroup/farm/memory.max", "5000000\n"),
        ("sys/fs/cgroup/farm/memory.current", "3000000\n"),
        ("sys/fs/cgroup/farm/memory.stat", "anon 2\ninactive_file 500000\n"),
    ];
    assert_eq!(free(system(&groups).path()), Some(2_500_000));
    assert_eq!(free(system(&[&[MACHINE], &groups[..3]].concat()).path()), Some(8_192_000));
}

/// In a container the path is the host's, and its own group is the root.
#[test]
fn control_groups_of_the_first_generation_count_too() {
    let groups = [
        MACHINE,
        ("proc/self/cgroup", "5:cpu:/elsewhere\n4:rdma,memory:/docker/4f2a\n0::/\n"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "7000000\n"),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "6000000\n"),
        ("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 200000\n"),
    ];
    assert_eq!(free(system(&groups).path()), Some(1_200_000));
}

/// `ulimit -v`: a process beyond it ends where it asks for memory.
#[test]
fn the_limit_on_addresses_counts() {
    let limits = |soft: &str| {
        format!("Limit  Soft Limit  Hard Limit  Units\nMax address space         {soft}   unlimited   bytes\n")
    };
    let status = ("proc/self/status", "Name:\tbdem\nVmPeak:\t  900 kB\nVmSize:\t  500 kB\n");
    let few = limits("2000000");
    assert_eq!(free(system(&[MACHINE, ("proc/self/limits", &few), status]).path()), Some(1_488_000));
    let none = limits("unlimited");
    assert_eq!(free(system(&[MACHINE, ("proc/self/limits", &none), status]).path()), Some(8_192_000));
}

#[test]
fn what_is_no_number_does_not_count() {
    let groups =
        [MACHINE, ("proc/self/cgroup", "\n::\nx\n0::/a\n"), ("sys/fs/cgroup/a/memory.max", "-1 plenty\u{0}\n")];
    assert_eq!(free(system(&groups).path()), Some(8_192_000));
}

const BALL: &str = r#"
    [scene]
    name = "ball"

    [time]
    frame_rate = 100.0
    frames = 1

    [materials.rubber]
    density = 1100.0
    young_modulus = 1e7
    poisson_ratio = 0.25

    [[bodies]]
    name = "ball"
    material = "rubber"
    particle_radius = 0.01
    shape = { sphere = { radius = 0.2 } }
"#;

#[test]
fn runs_at_once_need_what_they_need_together() {
    let scene = scene(BALL, &[]);
    let each = estimate(&scene);
    assert_eq!(check(&[&scene], Some(each)), Ok(()));
    let refused = check(&[&scene, &scene], Some(each)).expect_err("twice as much");
    assert_eq!((refused.needed, refused.most), (2 * each, each));
    assert!(refused.to_string().contains("--max-memory allows"), "{refused}");
}
