//! Recordings as functions of shaders, in WGSL.

use std::fmt::Write;

use bdem_core::simd::traced::{Node, Op, Recording};

use crate::inputs::{BOND_INPUTS, BOND_RESULTS};

/// Parameters of [`bond_function`]. `Stiffness` is a structure of the shader.
const BOND_PARAMETERS: &str = "d0: vec3<f32>, l0: f32, apart: vec3<f32>, q: vec4<f32>, e: vec4<f32>, s: Stiffness, \
                               reached: f32, v: vec3<f32>, w_i: vec3<f32>, w_j: vec3<f32>";

/// Length in bytes up to which an expression that is used once stays in place.
const MAX_IN_PLACE: usize = 160;

/// Structures of [`bond_function`]: `Stiffness`, of a bond, and `Bond`, of its results.
pub fn bond_structures() -> String {
    "struct Stiffness { k: vec4<f32>, c: vec4<f32>, r0: f32, sigma: f32, tau: f32, moment_share: f32, friction: f32, \
     limit: f32, law: u32 }\n"
        .to_owned()
        + &structure("Bond", &BOND_RESULTS)
}

/// Structure of these members, with their numbers of components.
fn structure(name: &str, members: &[(&str, usize)]) -> String {
    let member = |(name, size): &(&str, usize)| format!("{name}: {}", if *size == 1 { "f32" } else { "vec3<f32>" });
    let members: Vec<String> = members.iter().map(member).collect();
    format!("struct {name} {{ {} }}\n", members.join(", "))
}

/// Function of a recorded bond.
pub fn bond_function(name: &str, recording: &Recording) -> String {
    function(name, BOND_PARAMETERS, "Bond", BOND_INPUTS, recording, &BOND_RESULTS.map(|(_, size)| size))
}

/// Functions `bond_0`, `bond_1` ... of recorded bonds, and `bond`, which chooses one by the index of its law.
pub fn bond_functions(recordings: &[Recording]) -> String {
    let mut out = String::new();
    let mut cases = String::new();
    for (k, recording) in recordings.iter().enumerate() {
        let name = format!("bond_{k}");
        out += &bond_function(&name, recording);
        let case = if k == 0 { "default".to_owned() } else { format!("case {k}u") };
        let call = format!("{name}(d0, l0, apart, q, e, s, reached, v, w_i, w_j)");
        writeln!(cases, "        {case}: {{ return {call}; }}").expect("a string takes it");
    }
    out + &format!("fn bond({BOND_PARAMETERS}) -> Bond {{\n    switch s.law {{\n{cases}    }}\n}}\n")
}

/// Numbers of a text such as `a.xy b`: a.x, a.y and b.
fn components(text: &str) -> Vec<String> {
    let of = |word: &str| match word.rsplit_once('.') {
        Some((vector, names)) if names.chars().all(|name| "xyzw".contains(name)) => {
            names.chars().map(|name| format!("{vector}.{name}")).collect()
        }
        _ => vec![word.to_owned()],
    };
    text.split_whitespace().flat_map(of).collect()
}

/// Function of these parameters, of which `inputs` are expressions such as `a.xy b`, for a.x, a.y and b. Its results are the members of
/// the structure `result`, which have these numbers of components. Without any they are zero vectors.
pub fn function(
    name: &str,
    parameters: &str,
    result: &str,
    inputs: &str,
    recording: &Recording,
    sizes: &[usize],
) -> String {
    let inputs = &components(inputs);
    let uses = uses(recording);
    let (mut out, mut text) = (format!("fn {name}({parameters}) -> {result} {{\n"), Vec::<String>::new());
    for (k, op) in recording.ops.iter().enumerate() {
        let expression = expression(op, inputs, |node| &text[node.0 as usize]);
        let is_leaf = matches!(op, Op::Const(_) | Op::Input(_));
        if !is_leaf && (uses[k] > 1 || expression.len() > MAX_IN_PLACE) {
            writeln!(out, "    let t{k} = {expression};").expect("a string takes it");
            text.push(format!("t{k}"));
        } else {
            text.push(expression);
        }
    }
    let mut results = recording.outputs.iter().map(|node| text[node.0 as usize].as_str());
    let mut member = |size: &usize| match results.by_ref().take(*size).collect::<Vec<_>>()[..] {
        [number] => number.to_owned(),
        ref numbers => format!("vec3<f32>({})", numbers.join(", ")),
    };
    let members: Vec<String> = sizes.iter().map(&mut member).collect();
    out + &format!("    return {result}({});\n}}\n", members.join(", "))
}

/// Number of uses of each operation.
fn uses(recording: &Recording) -> Vec<usize> {
    let mut uses = vec![0; recording.ops.len()];
    let nodes = recording.ops.iter().flat_map(Op::operands).chain(recording.outputs.iter().copied());
    nodes.for_each(|node| uses[node.0 as usize] += 1);
    uses
}

fn expression<'a>(op: &Op, inputs: &[String], of: impl Fn(Node) -> &'a String) -> String {
    match *op {
        Op::Const(bits) => literal(f64::from_bits(bits)),
        Op::Input(k) => inputs[k as usize].clone(),
        Op::Add(a, b) => format!("({} + {})", of(a), of(b)),
        Op::Sub(a, b) => format!("({} - {})", of(a), of(b)),
        Op::Mul(a, b) => format!("({} * {})", of(a), of(b)),
        Op::Div(a, b) => format!("({} / {})", of(a), of(b)),
        Op::Neg(a) => format!("(-{})", of(a)),
        Op::Sqrt(a) => format!("sqrt({})", of(a)),
        Op::InverseSqrt(a) => format!("inverseSqrt({})", of(a)),
        Op::Abs(a) => format!("abs({})", of(a)),
        Op::Sign(a) => format!("select(1.0f, -1.0f, {} < 0.0f)", of(a)),
        Op::Pick(a, b, below, other) => {
            format!("select({}, {}, {} < {})", of(other), of(below), of(a), of(b))
        }
        Op::Pair(..) => unreachable!("a recording has none"),
    }
}

/// Constant of single precision. One that would vanish becomes the least normal number: it guards a division.
fn literal(value: f64) -> String {
    let (least, most) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    let value = if value != 0.0 && value.abs() < least { least.copysign(value) } else { value.clamp(-most, most) };
    format!("{:e}f", value as f32)
}

/// Function `pair_spring` of a recorded spring of two surfaces. `Surface` and `Spring` are structures of the shader.
pub fn pair_spring_function(recording: &Recording) -> String {
    let inputs = "a.k a.normal a.tangential a.curvature a.sticking a.sliding \
                  b.k b.normal b.tangential b.curvature b.sticking b.sliding size mass";
    let parameters = "a: Surface, b: Surface, size: f32, mass: f32";
    function("pair_spring", parameters, "Spring", inputs, recording, &vec![1; recording.outputs.len()])
}

/// Function `pair_push` of a recorded elastic force.
pub fn push_function(recording: &Recording) -> String {
    let inputs = "s.k s.size s.softening s.damping s.tangential overlap";
    function("pair_push", "s: Spring, overlap: f32", "f32", inputs, recording, &[1])
}

/// Function `rolling` of a recorded torque of rolling friction.
pub fn rolling_function(recording: &Recording) -> String {
    let parameters = "a: f32, b: f32, push: f32, arm: f32, turning: vec3<f32>, give: f32";
    // a structure of one vector
    let body = function("rolling", parameters, "Rolling", "a b push arm turning.xyz give", recording, &[3]);
    structure("Rolling", &[("torque", 3)]) + &body
}

/// Structure of the results of contacts, `Touch`.
pub fn contact_structure() -> String {
    structure("Touch", &CONTACT_RESULTS)
}

/// Results of a contact with their numbers of components.
const CONTACT_RESULTS: [(&str, usize); 14] = [
    ("force", 3),
    ("torque_i", 3),
    ("torque_j", 3),
    ("dashpot", 3),
    ("drag_i", 3),
    ("drag_j", 3),
    ("dashpot_work", 1),
    ("correction", 1),
    ("trapezoid", 1),
    ("sliding", 1),
    ("stretch", 3),
    ("limit", 1),
    ("mean_force", 3),
    ("slides", 1),
];

/// Function `pair_contact` or `wall_contact` of a recorded contact. Its result is a `Touch`.
pub fn contact_function(recording: &Recording, on_wall: bool) -> String {
    // the real parts of rotations, which slip does not depend on, are 1
    let inputs = "n_0.xyz n.xyz overlaps.xy s.k s.size s.softening s.damping s.tangential radii.xy s.sticking s.sliding \
                  stretch.xyz slid turn_i.xyz 1.0f turn_j.xyz 1.0f moved.xyz";
    let name = if on_wall { "wall_contact" } else { "pair_contact" };
    let is_missing = |name: &str| on_wall && name.ends_with("_j");
    let sizes = CONTACT_RESULTS.map(|(name, size)| if is_missing(name) { 0 } else { size });
    let parameters = "n_0: vec3<f32>, n: vec3<f32>, overlaps: vec2<f32>, s: Spring, radii: vec2<f32>, stretch: vec3<f32>, \
                      slid: f32, turn_i: vec3<f32>, turn_j: vec3<f32>, moved: vec3<f32>";
    function(name, parameters, "Touch", inputs, recording, &sizes)
}
