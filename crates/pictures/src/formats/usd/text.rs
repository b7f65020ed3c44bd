use std::fmt::Display;
use std::io::{self, Write};

use bdem_core::geometry::{Pose, Vec3};

/// Text of a layer.
pub(super) struct Text<'a> {
    out: &'a mut dyn Write,
    depth: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, depth: 0 }
    }

    /// Writes a line at the present indent.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{:1$}{line}", "", 4 * self.depth)
    }

    /// Writes a block in braces.
    pub(super) fn block(&mut self, fill: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.line("{")?;
        self.depth += 1;
        fill(self)?;
        self.depth -= 1;
        self.line("}")
    }

    /// Writes a list as the value of an attribute.
    pub(super) fn list<T: Display>(&mut self, attribute: &str, values: impl Iterator<Item = T>) -> io::Result<()> {
        write!(self.out, "{:1$}{attribute} = ", "", 4 * self.depth)?;
        self.values(values)?;
        writeln!(self.out)
    }

    /// Writes a list with its interpolation: "vertex", "faceVarying".
    pub(super) fn varying<T: Display>(
        &mut self,
        attribute: &str,
        interpolation: &str,
        values: impl Iterator<Item = T>,
    ) -> io::Result<()> {
        write!(self.out, "{:1$}{attribute} = ", "", 4 * self.depth)?;
        self.values(values)?;
        writeln!(self.out, " (interpolation = \"{interpolation}\")")
    }

    fn values<T: Display>(&mut self, values: impl Iterator<Item = T>) -> io::Result<()> {
        write!(self.out, "[")?;
        for (k, value) in values.enumerate() {
            let comma = if k == 0 { "" } else { "," };
            write!(self.out, "{comma}{value}")?;
        }
        write!(self.out, "]")
    }

    /// Writes an attribute with a value at each time code.
    pub(super) fn samples<T: Display>(
        &mut self,
        attribute: &str,
        samples: impl Iterator<Item = (f64, T)>,
    ) -> io::Result<()> {
        self.line(&format!("{attribute}.timeSamples = {{"))?;
        for (code, value) in samples {
            self.line(&format!("    {}: {value},", number(code)))?;
        }
        self.line("}")
    }

    /// Writes an attribute with a list at each time code.
    pub(super) fn list_samples<T: Display, I: Iterator<Item = T>>(
        &mut self,
        attribute: &str,
        samples: impl Iterator<Item = (f64, I)>,
    ) -> io::Result<()> {
        self.line(&format!("{attribute}.timeSamples = {{"))?;
        for (code, values) in samples {
            write!(self.out, "{:1$}    {2}: ", "", 4 * self.depth, number(code))?;
            self.values(values)?;
            writeln!(self.out, ",")?;
        }
        self.line("}")
    }

    /// Writes a translation and a rotation at each time code, or once if they never change. What is not always `shown` gets keys of
    /// visibility, and of a scale of zero for programs that ignore these.
    pub(super) fn motion(&mut self, poses: &[(f64, Pose)], shown: &[bool]) -> io::Result<()> {
        let changes = shown.contains(&false);
        if changes {
            self.visibility(poses, shown)?;
        }
        let turn = |pose: &Pose| {
            let q = pose.turn;
            format!("({}, {}, {}, {})", q.w, q.i, q.j, q.k)
        };
        match poses {
            [] => return Ok(()),
            [(_, first), rest @ ..] if rest.iter().all(|(_, pose)| pose == first) => {
                self.line(&format!("double3 xformOp:translate = {}", vector(&first.shift)))?;
                self.line(&format!("quatd xformOp:orient = {}", turn(first)))?;
            }
            _ => {
                let shifts = poses.iter().map(|(code, pose)| (*code, vector(&pose.shift)));
                self.samples("double3 xformOp:translate", shifts)?;
                self.samples("quatd xformOp:orient", poses.iter().map(|(code, pose)| (*code, turn(pose))))?;
            }
        }
        let scale = if changes { ", \"xformOp:scale\"" } else { "" };
        self.line(&format!("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"{scale}]"))
    }

    /// Writes keys of visibility and of scale. A scale changes within the last thousandth of a frame, so that motion blur sees one of
    /// its values.
    fn visibility(&mut self, poses: &[(f64, Pose)], shown: &[bool]) -> io::Result<()> {
        const JUST: f64 = 1e-3;
        let word = |is_shown: bool| if is_shown { "\"inherited\"" } else { "\"invisible\"" };
        let scale = |is_shown: bool| if is_shown { "(1, 1, 1)" } else { "(0, 0, 0)" };
        let each: Vec<(f64, bool)> = poses.iter().map(|(code, _)| *code).zip(shown.iter().copied()).collect();
        let changed = each.windows(2).filter(|two| two[0].1 != two[1].1);
        let keys: Vec<(f64, bool)> =
            each.first().copied().into_iter().chain(changed.clone().map(|two| two[1])).collect();
        self.samples("token visibility", keys.iter().map(|(code, is_shown)| (*code, word(*is_shown))))?;
        let just_before = changed.map(|two| (two[1].0 - JUST * (two[1].0 - two[0].0), two[0].1));
        let mut keys: Vec<(f64, bool)> = keys.iter().copied().chain(just_before).collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.samples("float3 xformOp:scale", keys.iter().map(|(code, is_shown)| (*code, scale(*is_shown))))
    }
}

/// Vector of three numbers in full precision.
pub(super) fn vector(v: &Vec3) -> String {
    format!("({}, {}, {})", v.x, v.y, v.z)
}

/// Vector in single precision.
pub(super) fn single(v: &Vec3) -> String {
    format!("({},{},{})", v.x as f32, v.y as f32, v.z as f32)
}

/// Number without needless digits: those beyond a millionth are rounding.
pub(super) fn number(x: f64) -> String {
    format!("{}", (x * 1e6).round() / 1e6)
}

/// Text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace(['\\', '"', '\n', '\r'], " "))
}
