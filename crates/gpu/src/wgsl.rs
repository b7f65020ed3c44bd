//! Recordings as functions of shaders, in WGSL.

use std::fmt::Write;

use bdem_core::simd::traced::{Node, Op, Recording};

use crate::inputs::{BOND_INPUTS, BOND_RESULTS};

/// Parameters of [`bond_function`]. `Stiffness` is a structure of the shader.
const BOND_PARAMETERS: &str = "d0: vec3<f32>, l0: f32, apart: vec3<f32>, q: vec4<f32>, e: vec4<f32>, s: Stiffness, \
                               v: vec3<f32>, w_i: vec3<f32>, w_j: vec3<f32>";

/// Length in bytes up to which an expression that is used once stays in place.
const MAX_IN_PLACE: usize = 160;

/// Structures of [`bond_function`]: `Stiffness`, of a bond, and `Bond`, of its results.
pub fn bond_structures() -> String {
    let results = BOND_RESULTS.map(|name| format!("{name}: f32")).join(", ");
    format!(
        "struct Stiffness {{ k: vec4<f32>, c: vec4<f32>, r0: f32, sigma: f32, tau: f32, moment_share: f32, friction: f32 }}\n\
         struct Bond {{ {results} }}\n"
    )
}

/// Function `bond` of a recorded bond.
pub fn bond_function(recording: &Recording) -> String {
    function("bond", BOND_PARAMETERS, "Bond", &BOND_INPUTS, recording)
}

/// Function of these parameters, of which `inputs` are expressions. Its results are the members of the structure `result`.
pub fn function(name: &str, parameters: &str, result: &str, inputs: &[&str], recording: &Recording) -> String {
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
    let results: Vec<&str> = recording.outputs.iter().map(|node| text[node.0 as usize].as_str()).collect();
    out + &format!("    return {result}({});\n}}\n", results.join(", "))
}

/// Number of uses of each operation.
fn uses(recording: &Recording) -> Vec<usize> {
    let mut uses = vec![0; recording.ops.len()];
    let nodes = recording.ops.iter().flat_map(Op::operands).chain(recording.outputs.iter().copied());
    nodes.for_each(|node| uses[node.0 as usize] += 1);
    uses
}

fn expression<'a>(op: &Op, inputs: &[&str], of: impl Fn(Node) -> &'a String) -> String {
    match *op {
        Op::Const(bits) => literal(f64::from_bits(bits)),
        Op::Input(k) => inputs[k as usize].to_owned(),
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
    let surface = ["k", "normal", "tangential", "curvature", "sticking", "sliding"];
    let surfaces = ["a", "b"].iter().flat_map(|side| surface.map(|number| format!("{side}.{number}")));
    let inputs: Vec<String> = surfaces.chain(["size", "mass"].map(str::to_owned)).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    function("pair_spring", "a: Surface, b: Surface, size: f32, mass: f32", "Spring", &inputs, recording)
}

/// Function `pair_contact` or `wall_contact` of a recorded contact, and its structure of results.
pub fn contact_function(recording: &Recording, on_wall: bool) -> String {
    let vector = |name: &str| ["x", "y", "z"].map(|axis| format!("{name}.{axis}"));
    let numbers = |of: &str, names: &[&str]| names.iter().map(|name| format!("{of}.{name}")).collect::<Vec<_>>();
    let one = || "1.0f".to_owned();
    let inputs: Vec<String> = [
        vector("n_0").to_vec(),
        vector("n").to_vec(),
        numbers("overlaps", &["x", "y"]),
        numbers("s", &["k", "size", "softening", "damping", "tangential"]),
        numbers("radii", &["x", "y"]),
        numbers("s", &["sticking", "sliding"]),
        vector("stretch").to_vec(),
        vec!["slid".to_owned()],
        [vector("turn_i").to_vec(), vec![one()], vector("turn_j").to_vec(), vec![one()]].concat(),
        vector("moved").to_vec(),
    ]
    .concat();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let vectors =
        |names: &[&str]| names.iter().flat_map(|of| ["x", "y", "z"].map(|axis| format!("{of}_{axis}"))).collect();
    let forces: Vec<String> = vectors(if on_wall { &["p", "i", "d", "di"] } else { &["p", "i", "j", "d", "di", "dj"] });
    let energies = ["dashpot_work", "correction", "trapezoid_error", "by_sliding"].map(str::to_owned).to_vec();
    let friction =
        [vectors(&["stretch"]), vec!["limit".to_owned()], vectors(&["m"]), vec!["slides".to_owned()]].concat();
    let members: Vec<String> =
        [forces, energies, friction].concat().iter().map(|member| format!("{member}: f32")).collect();
    let (name, result) = if on_wall { ("wall_contact", "WallContact") } else { ("pair_contact", "PairContact") };
    let parameters = "n_0: vec3<f32>, n: vec3<f32>, overlaps: vec2<f32>, s: Spring, radii: vec2<f32>, stretch: vec3<f32>, \
                      slid: f32, turn_i: vec3<f32>, turn_j: vec3<f32>, moved: vec3<f32>";
    let structure = format!("struct {result} {{ {} }}\n", members.join(", "));
    structure + &function(name, parameters, result, &inputs, recording)
}
