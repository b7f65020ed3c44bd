//! A scene at random, of the kind that its number asks for, as TOML.

use std::fmt::Write;
use std::path::Path;

use bdem_core::charge::COULOMB_CONSTANT;
use bdem_run::scene::{Scene, SceneError};

use super::dice::Dice;

/// What happens in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Bodies are thrown onto each other and onto walls.
    Thrown,
    /// A bar spins in empty space, about as fast as it bears.
    Spun,
    /// Bodies fall from rest, far, onto the ground.
    Dropped,
    /// A heap of grains and a block, beside or above each other.
    Grains,
    /// A chain of glued boxes.
    Glued,
    /// A thin shell, thrown or pressed.
    Shell,
    Rope,
    Woven,
    /// A bar whose ends are held, moved or loaded.
    Bar,
    /// A body between the ground and a wall that comes down.
    Pressed,
    /// A rigid body, free or driven, against another body.
    Rigid,
}

pub(super) const KINDS: [Kind; 11] = [
    Kind::Thrown,
    Kind::Spun,
    Kind::Dropped,
    Kind::Grains,
    Kind::Glued,
    Kind::Shell,
    Kind::Rope,
    Kind::Woven,
    Kind::Bar,
    Kind::Pressed,
    Kind::Rigid,
];

pub(super) struct Recipe {
    pub kind: Kind,
    pub text: String,
}

impl Recipe {
    /// The recipe of a number: the same for the same one.
    pub(super) fn of(number: u64) -> Self {
        let kind = KINDS[(number % KINDS.len() as u64) as usize];
        Self { kind, text: Writer::new(number, kind).write(number, kind) }
    }

    /// The scene with these `settings`.
    pub(super) fn scene(&self, settings: &[String]) -> Result<Scene, SceneError> {
        Scene::parse(Path::new("random.toml"), &self.text, settings)
    }

    /// Whether nothing takes momentum from the bodies, or gives them any.
    pub(super) fn is_free(&self) -> bool {
        let has = |what| self.text.contains(what);
        has(WEIGHTLESS) && !has("[[colliders]]") && !has("[[constraints]]") && !has("[[external_fields]]")
    }
}

/// How a body is made and moves: lengths in radii, velocities in those of the scene.
struct Body {
    material: char,
    packing: String,
    /// None where the packing has none.
    shape: Option<String>,
    matter: &'static str,
    position: [f64; 3],
    turn: Option<[f64; 4]>,
    velocity: [f64; 3],
    spin: [f64; 3],
}

const BONDED: &str = "";
const GRANULAR: &str = "bonded = false\n";
const RIGID: &str = "rigid = true\n";

/// What a scene is written with.
struct Writer {
    dice: Dice,
    /// Of its own, so that the other numbers of a scene do not depend on it.
    sprung: Dice,
    out: String,
    bodies: usize,
    /// Radius of particles, m.
    r: f64,
    /// Speed of the scene, m/s.
    v: f64,
    /// Of the first material: its density, modulus and the strain at which it breaks.
    density: f64,
    young: f64,
    strain: f64,
}

impl Writer {
    fn new(number: u64, kind: Kind) -> Self {
        let mut dice = Dice::new(number);
        let (r, density, young) = (dice.power(1e-3, 3e-2), dice.between(200.0, 8000.0), dice.power(1e5, 3e9));
        let stiffer = dice.power(0.1, 10.0);
        let c = (young * stiffer.min(1.0) / density).sqrt();
        let speed = if kind == Kind::Dropped { dice.power(0.03, 0.15) } else { dice.power(0.01, 0.15) };
        let sprung = Dice::new(number ^ 0x5921_6e67);
        let mut writer =
            Self { dice, sprung, out: String::new(), bodies: 0, r, v: speed * c, density, young, strain: 0.0 };
        let strain =
            if kind == Kind::Spun { writer.dice.power(2e-3, 3e-2) } else { speed * writer.dice.power(0.05, 3.0) };
        writer.strain = strain;
        for (name, young) in [('a', young), ('b', stiffer * young)] {
            writer.material(name, young);
        }
        writer.contact();
        writer
    }

    /// The scene: what is in it, and for how long.
    fn write(mut self, number: u64, kind: Kind) -> String {
        let span = match kind {
            Kind::Thrown => self.thrown(),
            Kind::Spun => self.spun(),
            Kind::Dropped => self.dropped(),
            Kind::Grains => self.grains(),
            Kind::Glued => self.glued(),
            Kind::Shell => self.shell(),
            Kind::Rope => self.yarns(true),
            Kind::Woven => self.yarns(false),
            Kind::Bar => self.bar(),
            Kind::Pressed => self.pressed(),
            Kind::Rigid => self.rigid(),
        };
        self.charges(number, span * self.r / self.v);
        let frames = self.dice.power(1.0, 200.0).round();
        let rate = frames * self.v / (span * self.r);
        format!("# {kind:?}\n[time]\nframe_rate = {rate:.4e}\nframes = {frames}\n{}", self.out)
    }

    /// Charges of a body in one scene of six, by dice of their own: a part of its kinetic energy. `span` is the scene's time, s.
    fn charges(&mut self, number: u64, span: f64) {
        /// Particles of a body, and its radius in those of particles.
        const BODY: [f64; 2] = [60.0, 4.0];
        let mut dice = Dice::new(!number);
        if !dice.chance(1.0 / 6.0) {
            return;
        }
        let mass = 4.0 / 3.0 * std::f64::consts::PI * self.r.powi(3) * self.density;
        let energy = dice.power(0.01, 1.0) * 0.5 * mass * self.v * self.v;
        let charge = (energy * BODY[1] * self.r / (0.6 * COULOMB_CONSTANT * BODY[0])).sqrt();
        self.line(format_args!("[[charges]]\nbody = \"body0\""));
        match dice.pick(&[0, 1, 2]) {
            0 => self.line(format_args!("charge = {charge:.3e}")),
            1 => self.line(format_args!("total = {:.3e}", -BODY[0] * charge)),
            _ => self.line(format_args!(
                "keyframes = [{{ time = 0, charge = 0 }}, {{ time = {:.3e}, charge = {charge:.3e} }}]",
                0.5 * span
            )),
        }
        if dice.chance(0.3) {
            // as strong as the charges' own
            let strength = BODY[0] * COULOMB_CONSTANT * charge / (BODY[1] * self.r).powi(2);
            let [x, y, z] = dice.vector(strength);
            self.line(format_args!("[[external_fields]]\nfield = {{ uniform = [{x:.3e}, {y:.3e}, {z:.3e}] }}"));
            if dice.chance(0.5) {
                let [time, factor] = [dice.between(0.1, 1.0) * span, dice.between(-1.0, 1.0)];
                self.line(format_args!(
                    "keyframes = [{{ time = 0, factor = 1 }}, {{ time = {time:.3e}, factor = {factor:.3} }}]"
                ));
            }
        }
        if dice.chance(0.3) {
            // beside the body; particles may pass through it
            let ([x, y, z], strength) = (dice.vector(10.0 * self.r), dice.pick(&[-0.3, 0.3]) * BODY[0] * charge);
            self.line(format_args!(
                "[[external_charges]]\ncharge = {strength:.3e}\nposition = [{x:.3e}, {y:.3e}, {z:.3e}]"
            ));
            let softening = self.r;
            self.line(format_args!("[field]\nsoftening = {softening:.3e}"));
        }
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        self.out.write_fmt(line).expect("a string takes all");
        self.out.push('\n');
    }

    fn material(&mut self, name: char, young: f64) {
        let density = self.density;
        let poisson = self.dice.between(0.05, 0.4);
        let damping = self.dice.pick(&[0.0, 0.0, 0.02, 0.1, 0.3]);
        let bond = self.dice.pick(&["quaternion", "quaternion", "cosserat"]);
        let [friction, rolling] = [0.8, 0.1].map(|most| self.dice.pick(&[0.0, 0.5 * most, most]));
        self.line(format_args!("[materials.{name}]\ndensity = {density}\nyoung_modulus = {young:.3e}"));
        self.line(format_args!("poisson_ratio = {poisson}\ndamping = {damping}\nbond = \"{bond}\""));
        self.line(format_args!("friction = {friction}\nrolling_friction = {rolling}"));
        if self.dice.chance(0.2) {
            self.line(format_args!("static_friction = {:.3}", 1.3 * friction));
        }
        if self.dice.chance(0.8) {
            let strength = self.strain * young;
            let shear = strength * self.dice.between(0.5, 2.0);
            self.line(format_args!("tensile_strength = {strength:.3e}\nshear_strength = {shear:.3e}"));
            if self.dice.chance(0.5) {
                let modulus = self.dice.between(3.0, 15.0);
                self.line(format_args!("weibull_modulus = {modulus}"));
            }
        }
        if self.dice.chance(0.2) {
            let (direction, stiffness, strength) =
                (self.dice.vector(1.0), self.dice.between(-0.5, 3.0), self.dice.between(-0.5, 3.0));
            self.line(format_args!(
                "grain = {{ direction = {direction:?}, stiffness = {stiffness}, strength = {strength} }}"
            ));
        }
    }

    fn contact(&mut self) {
        let law = self.dice.pick(&["linear", "linear", "hertz"]);
        let friction = self.dice.pick(&["tangential-spring", "velocity-correction"]);
        let low = self.dice.power(0.01, 1.0);
        let restitution = self.dice.pick(&[low, low, 0.7, 1.0]);
        let stiffness = self.dice.pick(&[1.0, 1.0, 0.3, 3.0]);
        let softening = if law == "linear" { self.dice.pick(&[0.0, 0.0, 0.01]) } else { 0.0 };
        self.line(format_args!("[contact]\nlaw = \"{law}\"\nfriction = \"{friction}\"\nrestitution = {restitution}"));
        self.line(format_args!("stiffness = {stiffness}\nsoftening = {softening}"));
    }

    /// Its acceleration (negative: downwards) in v^2/r; the name of the scene besides.
    fn gravity(&mut self, share: f64) {
        let seed = self.dice.between(0.0, 999.0).round();
        self.line(format_args!("[scene]\nname = \"random\"\nseed = {seed}"));
        if share != 0.0 {
            self.line(format_args!("gravity = [0, 0, {:.3e}]", share * self.v * self.v / self.r));
        } else {
            // weightless
            self.line(format_args!("{WEIGHTLESS}"));
        }
    }

    /// Half sides of a body of some dozen particles; of some hundred now and then.
    fn half(&mut self) -> [f64; 3] {
        let larger = if self.dice.chance(0.1) { 1.8 } else { 1.0 };
        [(); 3].map(|()| larger * self.dice.between(2.5, 5.0))
    }

    /// One that fits into a box of these half sides.
    fn solid(&mut self, half: [f64; 3]) -> String {
        let [x, y, z] = half.map(|half| half * self.r);
        let round = x.min(y);
        match self.dice.pick(&[0, 1, 2, 3, 4, 5, 6, 7]) {
            0 | 1 => format!("{{ box = {{ size = [{:.3e}, {:.3e}, {:.3e}] }} }}", 2.0 * x, 2.0 * y, 2.0 * z),
            2 => format!("{{ sphere = {{ radius = {:.3e} }} }}", round.min(z)),
            3 => format!("{{ ellipsoid = {{ radii = [{x:.3e}, {y:.3e}, {z:.3e}] }} }}"),
            4 => format!("{{ cylinder = {{ radius = {round:.3e}, height = {:.3e} }} }}", 2.0 * z),
            5 => format!("{{ capsule = {{ radius = {:.3e}, height = {:.3e} }} }}", round.min(0.8 * z), 2.0 * z),
            6 => format!(
                "{{ cone = {{ radius = {round:.3e}, top_radius = {:.3e}, height = {:.3e} }} }}",
                0.6 * round,
                2.0 * z
            ),
            _ => format!("{{ torus = {{ radius = {:.3e}, tube_radius = {:.3e} }} }}", 1.4 * round, 2.2 * self.r),
        }
    }

    fn packing(&mut self) -> String {
        let [least, most] = [0.6, 1.0].map(|share| share * self.r);
        let ranged = format!("{{ random = {{ radius_range = [{least:.3e}, {most:.3e}] }} }}");
        match self.dice.pick(&[0, 0, 1, 2]) {
            0 => "\"hexagonal\"".to_owned(),
            1 => "\"random\"".to_owned(),
            _ => ranged,
        }
    }

    /// A solid body at rest, with its lowest point at this height (radii).
    fn solid_at(&mut self, matter: &'static str, lowest: f64) -> Body {
        let half = self.half();
        let reach = f64::max(half.iter().map(|half| half * half).sum::<f64>().sqrt(), 1.4 * half[0] + 2.2);
        let turn = self.dice.chance(0.7).then(|| {
            let [x, y, z] = self.dice.vector(1.0);
            [x, y, z, self.dice.between(0.0, 90.0)]
        });
        Body {
            material: self.dice.pick(&['a', 'a', 'b']),
            packing: self.packing(),
            shape: Some(self.solid(half)),
            matter,
            position: [0.0, 0.0, lowest + if turn.is_some() { reach } else { half[2].max(2.2) }],
            turn,
            velocity: [0.0; 3],
            spin: [0.0; 3],
        }
    }

    fn add(&mut self, body: Body) {
        let Body { material, packing, shape, matter, position, turn, velocity, spin } = body;
        let (r, v) = (self.r, self.v);
        let list = |vector: [f64; 3], unit: f64| {
            let [x, y, z] = vector.map(|part| part * unit);
            format!("[{x:.3e}, {y:.3e}, {z:.3e}]")
        };
        let name = self.bodies;
        self.bodies += 1;
        self.line(format_args!("[[bodies]]\nname = \"body{name}\"\npacking = {packing}"));
        if matter == BONDED && shape.is_some() && self.sprung.chance(0.15) {
            self.springs();
        } else {
            self.line(format_args!("material = \"{material}\""));
        }
        if !packing.contains("radius_range") {
            self.line(format_args!("particle_radius = {r:.3e}"));
        }
        if let Some(shape) = shape {
            self.line(format_args!("shape = {shape}"));
        }
        if let Some([x, y, z, degrees]) = turn {
            self.line(format_args!("rotation = {{ axis = [{x}, {y}, {z}], degrees = {degrees} }}"));
        }
        self.line(format_args!("position = {}\nvelocity = {}", list(position, r), list(velocity, v)));
        self.line(format_args!("angular_velocity = {}\n{matter}", list(spin, v / r)));
    }

    /// Springs about as stiff, as heavy and as strong as bonds of the first material.
    fn springs(&mut self) {
        let k = std::f64::consts::FRAC_PI_2 * self.young * self.r * self.sprung.power(0.1, 1.0);
        let mass = 4.19 * self.density * self.r.powi(3);
        let damping = self.sprung.pick(&[0.0, 0.0, 0.1, 0.5]) * (k * mass).sqrt();
        let density = self.density;
        let by = if self.sprung.chance(0.5) { format!("mass = {mass:.3e}") } else { format!("density = {density}") };
        let strain = if self.sprung.chance(0.6) { 3.0 * self.strain } else { f64::INFINITY };
        let contact = match self.sprung.pick(&[0, 1, 1]) {
            0 => String::new(),
            _ => format!(", contact = true, friction = {}", self.sprung.pick(&[0.0, 0.3])),
        };
        self.line(format_args!(
            "springs = {{ stiffness = {k:.3e}, {by}, damping = {damping:.3e}, breaking_strain = {strain:.3e}{contact} }}"
        ));
    }

    /// The ground, which now and then moves.
    fn floor(&mut self) {
        self.line(format_args!("[[colliders]]\nshape = {{ half_space = {{ normal = [0, 0, 1], offset = 0 }} }}"));
        let (time, up) = (5.0 * self.r / self.v, self.dice.between(0.1, 0.8));
        match self.dice.pick(&[0, 0, 0, 0, 0, 0, 1, 2]) {
            0 => {}
            1 => self.line(format_args!("motion = {{ velocity = [{:.3e}, 0, {:.3e}] }}", up * self.v, 0.2 * up * self.v)),
            _ => self.line(format_args!(
                "motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = {time:.3e}, position = [0, 0, {:.3e}] }}, \
                 {{ time = {:.3e} }}] }} }}",
                up * self.r,
                2.0 * time
            )),
        }
    }

    /// Walls on four sides.
    fn walls(&mut self, away: f64) {
        for [x, y] in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
            let offset = -away * self.r;
            self.line(format_args!(
                "[[colliders]]\nshape = {{ half_space = {{ normal = [{x}, {y}, 0], offset = {offset:.3e} }} }}"
            ));
        }
    }

    fn thrown(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, 0.0, -0.05]);
        self.gravity(gravity);
        let mut lowest = 0.3;
        for k in 0..self.dice.pick(&[1, 2, 2, 3]) {
            let matter = self.dice.pick(&[BONDED, BONDED, BONDED, GRANULAR, RIGID]);
            let body = self.solid_at(matter, lowest);
            let [x, y, z] = self.dice.vector(1.0);
            lowest = 2.0 * body.position[2] - lowest + self.dice.between(0.1, 2.0);
            let spin = self.dice.vector(0.3);
            self.add(Body { velocity: [x, y, z - 0.5 - 0.5 * f64::from(k)], spin, ..body });
        }
        if self.dice.chance(0.8) {
            self.floor();
        }
        if self.dice.chance(0.2) {
            self.walls(14.0);
        }
        self.dice.between(8.0, 25.0)
    }

    /// rho w^2 L^2/8 is the stress in its middle.
    fn spun(&mut self) -> f64 {
        self.gravity(0.0);
        let half = [self.dice.between(4.0, 9.0), self.dice.between(2.1, 3.5), self.dice.between(2.1, 3.5)];
        let load = self.dice.power(0.3, 4.0);
        // the tips' speed
        self.v = (2.0 * load * self.strain * self.young / self.density).sqrt();
        let size = half.map(|half| 2.0 * half * self.r);
        let shape = Some(format!("{{ box = {{ size = [{:.3e}, {:.3e}, {:.3e}] }} }}", size[0], size[1], size[2]));
        let packing = self.packing();
        let drift = self.dice.vector(0.5);
        let spin = [0.0, 0.0, 1.0 / half[0]];
        let body = Body {
            material: 'a',
            packing,
            shape,
            matter: BONDED,
            position: [0.0, 0.0, 12.0],
            turn: None,
            velocity: drift,
            spin,
        };
        self.add(body);
        if self.dice.chance(0.25) {
            self.floor();
        }
        std::f64::consts::TAU * half[0] * self.dice.power(0.2, 2.0)
    }

    fn dropped(&mut self) -> f64 {
        let height = self.dice.power(8.0, 60.0);
        self.gravity(-0.5 / height);
        let matter = self.dice.pick(&[BONDED, BONDED, BONDED, GRANULAR, RIGID]);
        let body = self.solid_at(matter, height);
        let top = 2.0 * body.position[2] - height + 1.0;
        self.add(body);
        if self.dice.chance(0.3) {
            let second = self.solid_at(BONDED, top);
            self.add(second);
        }
        self.floor();
        height * self.dice.between(2.2, 3.2)
    }

    fn grains(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.05]);
        self.gravity(gravity);
        let block = self.solid_at(BONDED, 0.3);
        let above = self.dice.chance(0.5);
        let top = 2.0 * block.position[2];
        let grains = self.solid_at(GRANULAR, if above { top } else { 0.3 });
        let aside = if above { 0.0 } else { 24.0 };
        let velocity = [self.dice.between(-0.3, 0.3), 0.0, -1.0];
        let slower = self.dice.between(0.0, 1.0);
        self.add(Body { velocity: velocity.map(|v| v * slower), ..block });
        self.add(Body { position: [aside, 0.0, grains.position[2]], velocity, ..grains });
        self.floor();
        self.dice.between(6.0, 15.0)
    }

    fn glued(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.05]);
        self.gravity(gravity);
        let half = [self.dice.between(2.5, 4.0), self.dice.between(2.5, 4.0), self.dice.between(2.5, 4.0)];
        let size = half.map(|half| 2.0 * half * self.r);
        let (velocity, count) = ([self.dice.between(-0.5, 0.5), 0.0, -1.0], self.dice.pick(&[2, 2, 3]));
        for k in 0..count {
            let body = Body {
                material: self.dice.pick(&['a', 'b']),
                packing: "\"hexagonal\"".to_owned(),
                shape: Some(format!("{{ box = {{ size = [{:.3e}, {:.3e}, {:.3e}] }} }}", size[0], size[1], size[2])),
                matter: BONDED,
                position: [0.0, 0.0, 0.3 + half[2] + (2.0 * half[2] + 0.1) * f64::from(k)],
                turn: None,
                velocity,
                spin: [0.0; 3],
            };
            self.add(body);
        }
        for k in 1..count {
            let material = self.dice.pick(&['a', 'b']);
            self.line(format_args!(
                "[[glue]]\nbodies = [\"body{}\", \"body{k}\"]\nmaterial = \"{material}\"\ngap = 1.0",
                k - 1
            ));
        }
        self.floor();
        self.dice.between(6.0, 15.0)
    }

    fn shell(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.05]);
        self.gravity(gravity);
        let [x, z] = [self.dice.between(5.0, 8.0), self.dice.between(5.0, 8.0)];
        let [radius, height] = [x * self.r, 2.0 * z * self.r];
        let shape = match self.dice.pick(&[0, 1, 2, 3]) {
            0 => format!("{{ sphere = {{ radius = {radius:.3e} }} }}"),
            1 => format!("{{ cylinder = {{ radius = {radius:.3e}, height = {height:.3e} }} }}"),
            2 => format!("{{ torus = {{ radius = {radius:.3e}, tube_radius = {:.3e} }} }}", 2.8 * self.r),
            _ => format!("{{ ellipsoid = {{ radii = [{radius:.3e}, {radius:.3e}, {:.3e}] }} }}", 0.5 * height),
        };
        let (velocity, spin) = ([self.dice.between(-0.5, 0.5), 0.0, -1.0], self.dice.vector(0.1));
        let top = x.max(z) * 2.0 + 1.5;
        let body = Body {
            material: 'a',
            packing: "\"shell\"".to_owned(),
            shape: Some(shape),
            matter: BONDED,
            position: [0.0, 0.0, 0.5 * top],
            turn: None,
            velocity,
            spin,
        };
        self.add(body);
        self.floor();
        if self.dice.chance(0.4) {
            self.press(top + 1.0, 0.5 * top);
        }
        self.dice.between(6.0, 15.0)
    }

    /// A wall that comes down from `top` by `way` (radii) in the way's time.
    fn press(&mut self, top: f64, way: f64) {
        let side = 60.0 * self.r;
        self.line(format_args!(
            "[[colliders]]\nshape = {{ box = {{ size = [{side:.3e}, {side:.3e}, {:.3e}] }} }}\nposition = [0, 0, {:.3e}]",
            4.0 * self.r,
            (top + 2.0) * self.r
        ));
        let (end, way) = (way * self.r / self.v, way * self.r);
        self.line(format_args!(
            "motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = {end:.3e}, position = [0, 0, {:.3e}] }}] }} }}",
            -way
        ));
    }

    /// A constraint on what lies beyond `x` (radii) on one side, in a scene of this span.
    fn end(&mut self, side: f64, x: f64, span: f64, fixed: bool) {
        let [min, max] = if side < 0.0 { [-1e3, -x * self.r] } else { [x * self.r, 1e3] };
        self.line(format_args!(
            "[[constraints]]\nregion = {{ box = {{ min = [{min:.3e}, -1e3, -1e3], max = [{max:.3e}, 1e3, 1e3] }} }}"
        ));
        let time = self.r / self.v;
        // three radii in all
        let velocity = self.dice.vector(3.0 / span).map(|part| part * self.v);
        let rate = self.dice.between(0.2, 2.0) / (span * time);
        // a part of what breaks a few bonds
        let force = self.strain * self.young * self.r * self.r * self.dice.power(0.1, 3.0);
        let keys = [self.dice.vector(1.5), self.dice.vector(1.5)].map(|place| place.map(|part| part * self.r));
        match if fixed { 0 } else { self.dice.pick(&[0, 1, 2, 3, 4, 5, 6]) } {
            0 => self.line(format_args!("motion = \"fixed\"")),
            1 => self.line(format_args!("motion = {{ velocity = {velocity:?} }}")),
            2 => self.line(format_args!(
                "motion = {{ rotation = {{ point = [0, 0, 0], axis = [1, 0, 0], rate = {rate:.3e} }} }}"
            )),
            3 => self.line(format_args!(
                "motion = {{ screw = {{ point = [0, 0, 0], axis = [1, 0, 0], rate = {rate:.3e}, velocity = {:.3e} }} }}",
                velocity[0]
            )),
            4 => {
                let [first, second] = keys;
                let degrees = self.dice.between(-60.0, 60.0);
                self.line(format_args!(
                    "motion = {{ keyframes = {{ keys = [{{ time = 0 }}, {{ time = {:.3e}, position = {first:?}, \
                     rotation = {{ axis = [1, 0, 0], degrees = {degrees} }} }}, {{ time = {:.3e}, position = {second:?} }}] }} }}",
                    0.4 * span * time,
                    0.9 * span * time
                ));
            }
            5 => self.line(format_args!("force = [{force:.3e}, 0, {:.3e}]", 0.2 * force)),
            _ => self.line(format_args!("torque = [{:.3e}, 0, 0]", 0.1 * force * self.r)),
        }
        if self.dice.chance(0.2) {
            let release = self.dice.between(0.2, 0.9) * span * time;
            self.line(format_args!("release = {release:.3e}"));
        }
    }

    /// A rope or a cloth: held at one end and moved at the other, hung up, or falling.
    fn yarns(&mut self, rope: bool) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.02, -0.05]);
        self.gravity(gravity);
        let length = if rope { self.dice.between(18.0, 40.0) } else { self.dice.between(14.0, 24.0) };
        let metres = length * self.r;
        let packing = if rope {
            let (strands, yarns, turns) =
                (self.dice.pick(&[1, 3]), self.dice.pick(&[1, 3, 7]), self.dice.pick(&[0.0, 0.2, 0.4]) / metres);
            format!(
                "{{ rope = {{ length = {metres:.4e}, strands = {strands}, yarns = {yarns}, turns = {turns:.3e} }} }}"
            )
        } else {
            let wide = self.dice.between(10.0, 20.0) * self.r;
            format!("{{ woven = {{ size = [{metres:.4e}, {wide:.4e}] }} }}")
        };
        let falls = self.dice.chance(0.4);
        let (lowest, span) = (self.dice.power(1.0, 12.0), self.dice.between(8.0, 20.0));
        let velocity = if falls { [0.0, self.dice.between(-0.2, 0.2), -self.dice.between(0.2, 1.0)] } else { [0.0; 3] };
        let body = Body {
            material: 'a',
            packing,
            shape: None,
            matter: BONDED,
            position: [0.0, 0.0, 12.0 + lowest],
            turn: None,
            velocity,
            spin: [0.0; 3],
        };
        self.add(body);
        if falls {
            self.floor();
            if self.dice.chance(0.4) {
                self.line(format_args!("[[colliders]]\nshape = {{ sphere = {{ radius = {:.3e} }} }}", 8.0 * self.r));
            }
        } else {
            self.end(-1.0, 0.5 * length - 3.5, span, true);
            if self.dice.chance(0.7) {
                self.end(1.0, 0.5 * length - 3.5, span, false);
            }
        }
        span + 12.0
    }

    fn bar(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.05]);
        self.gravity(gravity);
        let half = [self.dice.between(5.0, 9.0), self.dice.between(2.1, 3.2), self.dice.between(2.1, 3.2)];
        let size = half.map(|half| 2.0 * half * self.r);
        let (packing, span) = (self.packing(), self.dice.between(6.0, 20.0));
        let body = Body {
            material: 'a',
            packing,
            shape: Some(format!("{{ box = {{ size = [{:.3e}, {:.3e}, {:.3e}] }} }}", size[0], size[1], size[2])),
            matter: BONDED,
            position: [0.0; 3],
            turn: None,
            velocity: [0.0; 3],
            spin: [0.0; 3],
        };
        self.add(body);
        self.end(-1.0, half[0] - 2.2, span, true);
        self.end(1.0, half[0] - 2.2, span, false);
        span
    }

    fn pressed(&mut self) -> f64 {
        self.gravity(0.0);
        let matter = self.dice.pick(&[BONDED, BONDED, GRANULAR]);
        let body = self.solid_at(matter, 0.3);
        let top = 2.0 * body.position[2];
        self.add(body);
        self.floor();
        let way = top * self.dice.between(0.05, 0.25);
        self.press(top, way);
        way * self.dice.between(1.0, 2.0)
    }

    fn rigid(&mut self) -> f64 {
        let gravity = self.dice.pick(&[0.0, -0.05]);
        self.gravity(gravity);
        let matter = self.dice.pick(&[BONDED, BONDED, GRANULAR, RIGID]);
        let below = self.solid_at(matter, 0.3);
        let above = self.solid_at(RIGID, 2.0 * below.position[2]);
        let middle = above.position[2] * self.r;
        let driven = self.dice.chance(0.5);
        let [x, y, _] = self.dice.vector(0.3);
        self.add(below);
        let spin = self.dice.vector(0.2);
        self.add(Body { velocity: [x, y, -1.0], spin, ..above });
        self.floor();
        if driven {
            let (rate, speed) = (self.dice.between(0.05, 0.3) * self.v / self.r, self.dice.between(0.2, 0.6) * self.v);
            self.line(format_args!(
                "[[constraints]]\nbody = \"body1\"\nmotion = {{ screw = {{ point = [0, 0, {middle:.3e}], axis = [0, 0, -1], \
                 rate = {rate:.3e}, velocity = {speed:.3e} }} }}"
            ));
        }
        self.dice.between(5.0, 12.0)
    }
}

const WEIGHTLESS: &str = "gravity = [0, 0, 0]";
