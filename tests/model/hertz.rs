//! Contacts by Hertz's law and Mindlin's, against the closed forms: P = 4/3 E* sqrt(R*) o^(3/2), k_t = 8 G* sqrt(R* o).

use bdem_core::model::{ContactLaw, Material, NormalPotential, Particles, World};

/// E (Pa) and nu of two materials, and radii (m) of a sphere of each.
const E: [f64; 2] = [7e10, 3e9];
const NU: [f64; 2] = [0.22, 0.4];
const R: [f64; 2] = [0.01, 0.025];

fn world() -> World {
    let material = |k: usize| Material::elastic("m", 2500.0, E[k], NU[k]);
    let mut particles = Particles::default();
    R.iter().zip(0..).for_each(|(&radius, material)| particles.push(radius, 2500.0, material, 0));
    let mut world = World::new(vec![material(0), material(1)], particles, Vec::new());
    world.contact_law = ContactLaw::Hertz;
    world
}

/// (1 - nu^2)/E and (2 - nu)/G of one side.
fn compliances(k: usize) -> [f64; 2] {
    let g = E[k] / (2.0 * (1.0 + NU[k]));
    [(1.0 - NU[k] * NU[k]) / E[k], (2.0 - NU[k]) / g]
}

fn close(found: f64, right: f64) {
    assert!((found / right - 1.0).abs() < 1e-12, "{found} is not {right}");
}

#[test]
fn two_materials_have_both_compliances() {
    let ([a, b], spring) = ([compliances(0), compliances(1)], world().pair_normal_spring([0, 1]));
    let radius = R[0] * R[1] / (R[0] + R[1]);
    for o in [1e-9, 1e-6, 1e-4] {
        close(spring.push(o), 4.0 / 3.0 / (a[0] + b[0]) * radius.sqrt() * o.powf(1.5));
        close(spring.tangential * spring.stiffness(o), 8.0 / (a[1] + b[1]) * (radius * o).sqrt());
    }
}

#[test]
fn a_wall_is_rigid() {
    for (k, radius) in R.into_iter().enumerate() {
        let (spring, [normal, tangential]) = (world().wall_normal_spring(k), compliances(k));
        for o in [1e-9, 1e-6, 1e-4] {
            close(spring.push(o), 4.0 / 3.0 / normal * radius.sqrt() * o.powf(1.5));
            close(spring.tangential * spring.stiffness(o), 8.0 / tangential * (radius * o).sqrt());
        }
    }
}
