//! Recordings as functions of shaders, in WGSL.

use std::fmt::Write;

use bdem_core::simd::traced::{Node, Op, Recording};

use crate::inputs::{BOND, Signature};

/// Length in bytes up to which an expression that is used once stays in place.
const MAX_IN_PLACE: usize = 160;

/// Structures of [`bond_functions`]: `Stiffness`, of a bond, and `Bond`, of its results.
pub fn bond_structures() -> String {
    "struct Stiffness { k: vec4<f32>, c: vec4<f32>, r0: f32, sigma: f32, tau: f32, moment_share: f32, friction: f32, \
     limit: f32, law: u32 }\n"
        .to_owned()
        + &structure(&BOND)
}

/// Functions `bond_0`, `bond_1` ... of recorded bonds, and `bond`, which chooses one by the index of its law.
pub fn bond_functions(recordings: &[Recording]) -> String {
    let mut out = String::new();
    let mut cases = String::new();
    for (k, recording) in recordings.iter().enumerate() {
        let name = format!("bond_{k}");
        out += &function(&name, &BOND, recording);
        let case = if k == 0 { "default".to_owned() } else { format!("case {k}u") };
        let call = format!("{name}(d0, l0, apart, q, e, s, reached, v, w_i, w_j)");
        writeln!(cases, "        {case}: {{ return {call}; }}").expect("a string takes it");
    }
    out + &format!("fn bond({}) -> Bond {{\n    switch s.law {{\n{cases}    }}\n}}\n", BOND.parameters)
}

/// Structure of a function's results.
pub fn structure(Signature { result, members, .. }: &Signature) -> String {
    let members: Vec<String> = vectors(members).map(|(name, of)| format!("{name}: {}", type_of(of))).collect();
    format!("struct {result} {{ {} }}\n", members.join(", "))
}

/// Names in a text such as `a.xy b`, with their components, `xy` and none.
fn vectors(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_component = |name: char| "xyzw".contains(name);
    let of = move |word: &'static str| word.rsplit_once('.').filter(|(_, of)| of.chars().all(is_component));
    text.split_whitespace().map(move |word| of(word).unwrap_or((word, "")))
}

/// Type of a number, or of a vector of these components.
fn type_of(components: &str) -> String {
    if components.is_empty() { "f32".to_owned() } else { format!("vec{}<f32>", components.len()) }
}

/// Numbers of a text such as `a.xy b`: a.x, a.y and b.
fn numbers(text: &'static str) -> Vec<String> {
    let of = |(name, of): (&str, &str)| match of {
        "" => vec![name.to_owned()],
        _ => of.chars().map(|component| format!("{name}.{component}")).collect(),
    };
    vectors(text).flat_map(of).collect()
}

/// Function of this name.
pub fn function(name: &str, signature: &Signature, recording: &Recording) -> String {
    let Signature { parameters, inputs, result, members } = signature;
    let inputs = &numbers(inputs);
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
    let mut member = |(_, of): (&str, &str)| {
        let numbers: Vec<_> = results.by_ref().take(of.len().max(1)).collect();
        format!("{}({})", type_of(of), numbers.join(", "))
    };
    let members: Vec<String> = vectors(members).map(&mut member).collect();
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
