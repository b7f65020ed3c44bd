//! Data files of LAMMPS (<https://docs.lammps.org/read_data.html>) with the atom style bpm/sphere or sphere, in SI units: atoms, and
//! their bonds and velocities where the file has them. Types, densities and coefficients are not read.

use std::collections::HashMap;

use bdem_core::geometry::Vec3;

use crate::mesh::text;

/// Content of a data file.
#[derive(Debug, Default)]
pub(super) struct LammpsFile {
    /// Position x, y, z and radius (m) of each atom, in the order of the file.
    pub atoms: Vec<[f64; 4]>,
    /// Pairs of rows of the atoms. None without a section `Bonds`.
    pub bonds: Option<Vec<[u32; 2]>>,
    /// Velocity (m/s) and angular velocity (rad/s) of each atom. Empty without a section `Velocities`.
    pub velocities: Vec<[Vec3; 2]>,
}

/// Line of a section: its number in the file, from 1, and its words.
type Line<'a> = (usize, Vec<&'a str>);

/// Lines of the sections that are read, and the numbers of atoms and bonds of the header.
#[derive(Default)]
struct Sections<'a> {
    atoms: Vec<Line<'a>>,
    /// Whether lines of atoms have the number of their molecule, as of bpm/sphere. None where the file does not name the style.
    has_molecules: Option<bool>,
    bonds: Option<Vec<Line<'a>>>,
    velocities: Option<Vec<Line<'a>>>,
    counts: [Option<usize>; 2],
}

/// Section that a line is in.
#[derive(Clone, Copy)]
enum Section {
    Header,
    Atoms,
    Bonds,
    Velocities,
    Other,
}

impl LammpsFile {
    /// Content of a data file in `bytes`.
    ///
    /// # Errors
    /// A message with the line, when the file is none, or an atom, a bond or a velocity is wrong.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = text::text(bytes);
        let sections = Sections::split(&text)?;
        let mut rows = HashMap::with_capacity(sections.atoms.len());
        let mut atoms = Vec::with_capacity(sections.atoms.len());
        for (line, words) in &sections.atoms {
            let (id, atom) = self::atom(words, sections.has_molecules).map_err(|why| format!("line {line}: {why}"))?;
            if let Some((_, before)) = rows.insert(id, (atoms.len() as u32, *line)) {
                return Err(format!("line {line}: atom {id} is in line {before} already"));
            }
            atoms.push(atom);
        }
        let row = |word: &str| {
            let id = integer(word)?;
            rows.get(&id).map(|(row, _)| *row).ok_or_else(|| format!("there is no atom {id}"))
        };
        let mut velocities = Vec::new();
        if let Some(lines) = &sections.velocities {
            let mut known = vec![None; atoms.len()];
            for (line, words) in lines {
                let (row, of_atom) = velocity(words, row).map_err(|why| format!("line {line}: {why}"))?;
                known[row as usize] = Some(of_atom);
            }
            // those of atoms that are not listed are zero, as LAMMPS has them
            velocities = known.into_iter().map(Option::unwrap_or_default).collect();
        }
        let bonds = sections.bonds.map(|lines| bonds(&lines, row)).transpose()?;
        Ok(Self { atoms, bonds, velocities })
    }
}

impl<'a> Sections<'a> {
    fn split(text: &'a str) -> Result<Self, String> {
        let (mut sections, mut now) = (Self::default(), Section::Header);
        // the first line is a title
        for (line, content) in text::lines(text).enumerate().skip(1) {
            let (content, comment) = content.split_once('#').unwrap_or((content, ""));
            let words: Vec<&str> = content.split_whitespace().collect();
            let Some(first) = words.first() else { continue };
            let line = line + 1;
            if first.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                now = sections.open(line, &words, comment)?;
                continue;
            }
            match (now, &mut sections) {
                (Section::Header, sections) => sections.note_header(line, &words)?,
                (Section::Atoms, Self { atoms, .. }) => atoms.push((line, words)),
                (Section::Bonds, Self { bonds: Some(lines), .. })
                | (Section::Velocities, Self { velocities: Some(lines), .. }) => lines.push((line, words)),
                _ => {}
            }
        }
        sections.check_counts()?;
        Ok(sections)
    }

    /// Begins the section that `words` name.
    fn open(&mut self, line: usize, words: &[&str], comment: &str) -> Result<Section, String> {
        let is_known = match words[0] {
            "Atoms" => !self.atoms.is_empty(),
            "Bonds" => words.len() == 1 && self.bonds.is_some(),
            "Velocities" => self.velocities.is_some(),
            _ => false,
        };
        if is_known {
            return Err(format!("line {line}: the file has a section {} already", words[0]));
        }
        match words {
            ["Atoms"] => {
                self.has_molecules = match comment.trim() {
                    "bpm/sphere" => Some(true),
                    "sphere" => Some(false),
                    "" => None,
                    style => {
                        let known = "bpm/sphere and sphere are read, whose atoms have diameters";
                        return Err(format!("line {line}: the atom style is {style:?}, but only {known}"));
                    }
                };
                Ok(Section::Atoms)
            }
            ["Bonds"] => {
                self.bonds = Some(Vec::new());
                Ok(Section::Bonds)
            }
            ["Velocities"] => {
                self.velocities = Some(Vec::new());
                Ok(Section::Velocities)
            }
            _ => Ok(Section::Other),
        }
    }

    /// Notes a line of the header, such as `20 atoms`.
    fn note_header(&mut self, line: usize, words: &[&str]) -> Result<(), String> {
        let place = match words[1..] {
            ["atoms"] => 0,
            ["bonds"] => 1,
            _ => return Ok(()),
        };
        let number =
            words[0].parse().map_err(|_| format!("line {line}: {:?} is no number of {}", words[0], words[1]))?;
        self.counts[place] = Some(number);
        Ok(())
    }

    /// Check that there are as many atoms and bonds as the header says: a file may be cut short.
    fn check_counts(&self) -> Result<(), String> {
        let found = [self.atoms.len(), self.bonds.as_ref().map_or(0, Vec::len)];
        for ((said, found), noun) in self.counts.iter().zip(found).zip(["atoms", "bonds"]) {
            match said {
                Some(said) if *said != found => {
                    return Err(format!("its header says {said} {noun}, but it lists {found}"));
                }
                None if noun == "atoms" => {
                    return Err("not a data file of LAMMPS: its header has no number of atoms".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Number of an atom, and its position and radius. After the number, and that of the molecule if the style has it, come type,
/// diameter, density, x, y, z, and perhaps three image flags.
fn atom(words: &[&str], has_molecules: Option<bool>) -> Result<(i64, [f64; 4]), String> {
    let columns = |molecules: bool| 7 + usize::from(molecules);
    let fits = |molecules: &bool| [0, 3].map(|flags| columns(*molecules) + flags).contains(&words.len());
    let molecules = match has_molecules {
        Some(molecules) => Some(molecules).filter(fits),
        None => [true, false].into_iter().find(fits),
    };
    let Some(molecules) = molecules else {
        let expected = "atom-ID [molecule-ID] type diameter density x y z, as of bpm/sphere";
        return Err(format!("an atom with {} columns, but expected are {expected}", words.len()));
    };
    let id = integer(words[0])?;
    let numbers = &words[2 + usize::from(molecules)..];
    let diameter = number(numbers[0])?;
    if diameter <= 0.0 {
        return Err(format!("the diameter of atom {id} is {diameter:?}, but must be positive"));
    }
    if let Some(flag) = numbers[5..].iter().find(|flag| integer(flag) != Ok(0)) {
        return Err(format!(
            "atom {id} has the image flag {flag}: unwrap atoms of a periodic box before they are written"
        ));
    }
    let [x, y, z] = [2, 3, 4].map(|place| number(numbers[place]));
    Ok((id, [x?, y?, z?, 0.5 * diameter]))
}

/// Row of an atom, and its velocity and angular velocity.
fn velocity(words: &[&str], row: impl Fn(&str) -> Result<u32, String>) -> Result<(u32, [Vec3; 2]), String> {
    let &[id, vx, vy, vz, wx, wy, wz] = words else {
        return Err(format!("a velocity with {} columns, but expected are atom-ID vx vy vz wx wy wz", words.len()));
    };
    let vector = |x, y, z| Ok::<_, String>(Vec3::new(number(x)?, number(y)?, number(z)?));
    Ok((row(id)?, [vector(vx, vy, vz)?, vector(wx, wy, wz)?]))
}

/// Pairs of rows of the lines `bond-ID type atom1 atom2`.
fn bonds(lines: &[Line], row: impl Fn(&str) -> Result<u32, String>) -> Result<Vec<[u32; 2]>, String> {
    let mut known = HashMap::with_capacity(lines.len());
    let mut pairs = Vec::with_capacity(lines.len());
    for (line, words) in lines {
        let of_line = |why: String| format!("line {line}: {why}");
        let &[_, _, first, second] = &words[..] else {
            let why = format!("a bond with {} columns, but expected are bond-ID type atom1 atom2", words.len());
            return Err(of_line(why));
        };
        let [i, j] = [row(first).map_err(of_line)?, row(second).map_err(of_line)?];
        if i == j {
            return Err(of_line(format!("atom {first} cannot be bonded to itself")));
        }
        let pair = [i.min(j), i.max(j)];
        if let Some(before) = known.insert(pair, line) {
            return Err(of_line(format!("atoms {first} and {second} are bonded already, in line {before}")));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

fn integer(word: &str) -> Result<i64, String> {
    word.parse().map_err(|_| format!("{word:?} is not a whole number"))
}

fn number(word: &str) -> Result<f64, String> {
    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{word:?} is not a finite number"))
}
