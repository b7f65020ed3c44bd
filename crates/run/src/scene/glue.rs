use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use bdem_core::fracture::{Pieces, weibull};
use bdem_core::geometry::{Vec3, grid::pairs_within, nearest, rotation};
use bdem_core::model::{self, Bond, Particles, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::{Scene, SceneBody, SceneMaterial};

/// `[[glue]]`: bonds across the surfaces of two or more bodies that touch or nearly do. They are at rest in the initial state.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glue {
    /// Names of the bodies, two at least. Each two of them that are near enough are bonded.
    #[schemars(length(min = 2))]
    pub bodies: Vec<String>,
    /// Name of the bonds' material.
    pub material: String,
    /// Gap that is bridged: particles are bonded whose centres are nearer than `(ri + rj)(1 + gap)`.
    #[serde(default = "tenth")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gap: f64,
}

fn tenth() -> f64 {
    0.1
}

/// Checks of all glue that need no particles.
pub(super) fn check_all(
    glue: &[Glue],
    bodies: &[SceneBody],
    materials: &BTreeMap<String, SceneMaterial>,
) -> Result<(), Fault> {
    let mut rows_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, glue) in glue.iter().enumerate() {
        let at = At::root().key("glue").key(i);
        glue.check(bodies, materials, &at)?;
        // a row before that has two of the bodies joins them
        let mut known: HashMap<usize, &str> = HashMap::new();
        for body in &glue.bodies {
            let rows = rows_of.entry(body).or_default();
            if let Some(other) = rows.iter().find_map(|row| known.insert(*row, body)) {
                return Err(at.key("bodies").wrong(format!("bodies {other:?} and {body:?} are glued already")));
            }
            rows.push(i);
        }
    }
    Ok(())
}

impl Glue {
    fn check(&self, bodies: &[SceneBody], materials: &BTreeMap<String, SceneMaterial>, at: &At) -> Result<(), Fault> {
        let known: HashSet<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        let mut names = HashSet::new();
        for name in &self.bodies {
            if !known.contains(name.as_str()) {
                return Err(at.key("bodies").wrong(format!("there is no body {name:?}")));
            }
            if !names.insert(name) {
                return Err(at.key("bodies").wrong(format!("body {name:?} is glued to itself")));
            }
        }
        at.key("bodies").expect(names.len() > 1, &self.bodies, "a list of at least two")?;
        if !materials.contains_key(&self.material) {
            return Err(at.key("material").wrong(format!("there is no material {:?}", self.material)));
        }
        at.key("gap").expect((0.0..=1.0).contains(&self.gap), self.gap, "at least 0 and at most 1")
    }

    /// Pairs `i < j` of particles to bond.
    fn pairs(&self, mine: &[Range<usize>], particles: &Particles, state: &State) -> Vec<[u32; 2]> {
        let index: Vec<usize> = mine.iter().cloned().flatten().collect();
        let places: Vec<Vec3> = index.iter().map(|&i| state.p[i]).collect();
        let radius = |k: usize| particles.radius[index[k]];
        let stretch = 1.0 + self.gap;
        let apart = |k: usize, l: usize| particles.body[index[k]] != particles.body[index[l]];
        let reach = |k: usize, l: usize| if apart(k, l) { (radius(k) + radius(l)) * stretch } else { 0.0 };
        let largest = (0..index.len()).map(radius).fold(0.0, f64::max);
        let pairs = pairs_within(&places, reach, 2.0 * largest * stretch);
        pairs.into_iter().map(|pair| pair.map(|k| index[k as usize] as u32)).collect()
    }

    /// Error of bodies that are too far apart.
    fn bonds_nothing(&self, bodies: &[SceneBody], particles: &Particles, state: &State, at: &At) -> Fault {
        let places = |name: &String| &state.p[range_of(bodies, name, particles)];
        let pairs = self.bodies.iter().enumerate().flat_map(|(k, a)| self.bodies[k + 1..].iter().map(move |b| [a, b]));
        let apart = pairs.map(|pair| (nearest::distance(pair.map(places)), pair));
        let (distance, [a, b]) = apart.min_by(|one, other| one.0.total_cmp(&other.0)).expect("checked: two at least");
        let message = format!(
            "bodies {a:?} and {b:?} are too far apart: their nearest centres are {distance:.6e} m from each other"
        );
        at.key("bodies")
            .wrong(message)
            .help("move one of the two, or make gap larger: it is a share of the sum of two radii")
    }
}

/// Bonds of the scene's glue, added to `bonds` with ids that follow theirs. Bodies that are glued take the orientation
/// of the first, because bonds at rest join equal orientations. Spheres look the same in any orientation.
pub(super) fn join(
    scene: &Scene,
    materials: &[model::Material],
    particles: &Particles,
    bonds: &mut Vec<Bond>,
    state: &mut State,
) -> Result<(), Fault> {
    for (index, glue) in scene.glue.iter().enumerate() {
        let mut mine: Vec<Range<usize>> =
            glue.bodies.iter().map(|name| range_of(&scene.bodies, name, particles)).collect();
        mine.sort_by_key(|range| range.start);
        let material = materials.iter().find(|m| m.name == glue.material).expect("checked: the material exists");
        let pairs = glue.pairs(&mine, particles, state);
        if pairs.is_empty() {
            return Err(glue.bonds_nothing(&scene.bodies, particles, state, &At::root().key("glue").key(index)));
        }
        for pair in pairs {
            let mut bond = bond(bonds.len() as u32, pair, particles, state, material);
            let u = weibull::uniform(scene.general.seed, bond.id);
            weibull::draw(&mut bond, material, u);
            bonds.push(bond);
        }
    }
    if !scene.glue.is_empty() {
        share_frames(bonds, state);
    }
    Ok(())
}

/// Index range of a body's particles.
fn range_of(bodies: &[SceneBody], name: &str, particles: &Particles) -> Range<usize> {
    let body = bodies.iter().position(|body| body.name == name).expect("checked: the body exists");
    let first = |of: usize| particles.body.partition_point(|&b| usize::from(b) < of);
    first(body)..first(body + 1)
}

/// Bond at rest between its particles, in the frame of the first.
fn bond(id: u32, pair: [u32; 2], particles: &Particles, state: &State, material: &model::Material) -> Bond {
    let [i, j] = pair.map(|i| i as usize);
    let d = rotation::rotate(&state.q[i].conjugate(), &(state.p[j] - state.p[i]));
    let of = |values: &[f64]| [values[i], values[j]];
    Bond::new(id, pair, d, of(&particles.radius), of(&particles.mass), material)
}

/// One orientation for all particles of a piece, that of its first. Rest directions are rotated back by as much.
fn share_frames(bonds: &mut [Bond], state: &mut State) {
    let pieces = Pieces::new(state.len(), bonds.iter().map(|bond| [bond.i, bond.j]));
    let frame = |i: usize| state.q[pieces.of_particle[i] as usize];
    for bond in bonds {
        let (own, shared) = (state.q[bond.i as usize], frame(bond.i as usize));
        if own != shared {
            bond.d0 = rotation::rotate(&(shared.conjugate() * own), &bond.d0);
        }
    }
    state.q = (0..state.len()).map(frame).collect();
}
