use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{OutputError, Result};

/// Selection of frames: `12`, `1-100`, `1-100x2` (every second), or several of these with commas between. Empty for
/// all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameRanges(Vec<(RangeInclusive<u32>, u32)>);

impl FrameRanges {
    /// Whether frame `number` is selected.
    pub fn contains(&self, number: u32) -> bool {
        let within = |(range, every): &(RangeInclusive<u32>, u32)| {
            range.contains(&number) && (number - range.start()).is_multiple_of(*every)
        };
        self.0.is_empty() || self.0.iter().any(within)
    }
}

impl FromStr for FrameRanges {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = |part: &str| format!("{part:?} is not a frame or range of frames, such as 12, 1-100 or 1-100x2");
        let part = |part: &str| one(part.trim()).ok_or_else(|| wrong(part));
        text.split(',').map(part).collect::<std::result::Result<_, _>>().map(Self)
    }
}

fn one(text: &str) -> Option<(RangeInclusive<u32>, u32)> {
    let (range, every) = text.split_once('x').unwrap_or((text, "1"));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let [first, last, every] = [first, last, every].map(|number| number.parse::<u32>().ok());
    Some((first?..=last?, every?)).filter(|(range, every)| !range.is_empty() && *every > 0)
}

/// File of a frame: its number and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameFile {
    /// Number of the frame.
    pub number: u32,
    /// Path of the file.
    pub path: PathBuf,
}

/// Selected frames at `path`, by number. A run has them in its `ply` folder. Any other folder has files called
/// `NAME.0012.ply` or `NAME_0012.ply`. A path may also be one such file.
///
/// # Errors
/// When the folder cannot be read, or has none of the selected frames.
pub fn frames_of(path: &Path, wanted: &FrameRanges) -> Result<Vec<FrameFile>> {
    if path.is_file() {
        return Ok(vec![FrameFile { number: number_of(path).unwrap_or(0), path: path.to_owned() }]);
    }
    let of_run = path.join("ply");
    let folder = if of_run.is_dir() { &of_run } else { path };
    let entries = fs::read_dir(folder).map_err(OutputError::file("read the folder", folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let frame = |path: PathBuf| Some(FrameFile { number: number_of(&path)?, path });
    let mut frames: Vec<FrameFile> = paths.filter_map(frame).filter(|frame| wanted.contains(frame.number)).collect();
    frames.sort_by(|a, b| (a.number, &a.path).cmp(&(b.number, &b.path)));
    if frames.is_empty() {
        let none =
            std::io::Error::new(std::io::ErrorKind::NotFound, "none of the selected frames (NAME.0000.ply) exists");
        return Err(OutputError::file("find frames in", folder)(none));
    }
    Ok(frames)
}

/// Number in `NAME.0012.ply` or `NAME_0012.ply`.
fn number_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_suffix(".ply")?;
    let digits = name.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    // incomplete files have names that begin with a dot
    digits.parse().ok().filter(|_| !name.starts_with('.'))
}
