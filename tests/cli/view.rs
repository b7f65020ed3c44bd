//! The page of a run.

use crate::cli::Workplace;

#[test]
fn a_run_becomes_a_page() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place.run(&["view", "run"]).expect_error(&["4 frames in ", "run/view.html"]);
    let page = place.read("run/view.html");
    assert!(page.contains("\"name\":\"run\"") && page.contains("id=\"frame3\"") && !page.contains("id=\"frame4\""));
    place.run(&["view", "run", "--frames", "1-3x2", "-o", "some.html", "--quiet"]).expect(0);
    assert!(
        place.read("some.html").contains("\"frames\":[{\"number\":1,")
            && !place.read("some.html").contains("id=\"frame2\"")
    );
    assert!(page.contains("\"surface\":true") && page.contains("\"looks\":[["), "pieces with looks");
    place.run(&["view", "run", "--particles", "-o", "particles.html"]).expect(0);
    let particles = place.read("particles.html");
    assert!(particles.contains("\"surface\":false") && particles.contains("\"looks\":[]"));
    place.run(&["view", "run/ply", "--surface", "-o", "surface.html"]).expect(0);
    let surfaces = place.read("surface.html");
    assert!(
        surfaces.contains("\"surface\":true") && surfaces.contains("id=\"frame3\"") && surfaces.len() > particles.len()
    );
    place.run(&["view", "nothing"]).expect(5);
}
