use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::process::{Command, Stdio};

use super::picture::{Picture, Size};

/// Format of animations.
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Animation {
    /// PNG that moves: every browser plays it, other viewers show its first frame
    Apng,
    /// H.264 by ffmpeg, which must be installed
    Mp4,
}

impl Animation {
    /// Extension of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Apng => "animated.png",
            Self::Mp4 => "mp4",
        }
    }
}

/// Write an animation of pictures of one size, with `rate` pictures a second. APNG repeats without end, MP4 plays
/// once.
///
/// # Errors
/// Those of a picture and of the disk. MP4 also fails without ffmpeg, and when ffmpeg fails.
pub fn write_animation(
    animation: Animation,
    out: &File,
    rate: u16,
    pictures: impl ExactSizeIterator<Item = io::Result<Picture>>,
) -> io::Result<()> {
    match animation {
        Animation::Apng => write_apng(out, rate, pictures),
        Animation::Mp4 => write_mp4(out, rate, pictures),
    }
}

fn write_apng(
    out: &File,
    rate: u16,
    mut pictures: impl ExactSizeIterator<Item = io::Result<Picture>>,
) -> io::Result<()> {
    let count = pictures.len() as u32;
    let Some(first) = pictures.next().transpose()? else { return Ok(()) };
    let mut encoder = first.encoder(io::BufWriter::new(out));
    encoder.set_animated(count, 0)?;
    encoder.set_frame_delay(1, rate)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(first.bytes())?;
    for picture in pictures {
        writer.write_image_data(picture?.bytes())?;
    }
    Ok(writer.finish()?)
}

fn write_mp4(
    out: &File,
    rate: u16,
    mut pictures: impl ExactSizeIterator<Item = io::Result<Picture>>,
) -> io::Result<()> {
    let Some(first) = pictures.next().transpose()? else { return Ok(()) };
    let mut ffmpeg = ffmpeg(first.size(), rate).stdout(out.try_clone()?).spawn().map_err(|e| match e.kind() {
        ErrorKind::NotFound => io::Error::other("ffmpeg is not installed; install it, or choose --animate apng"),
        _ => e,
    })?;
    let mut frames = ffmpeg.stdin.take().expect("its input is a pipe");
    let written = std::iter::once(Ok(first)).chain(pictures).try_for_each(|picture| frames.write_all(picture?.bytes()));
    drop(frames);
    match ffmpeg.wait()? {
        status if status.success() => written,
        status => Err(io::Error::other(format!("ffmpeg ended with {status}"))),
    }
}

/// Encoder of raw pictures for browsers: H.264 where available, with even sides. It writes fragments, as the output
/// cannot seek.
fn ffmpeg(Size { width, height }: Size, rate: u16) -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "pipe:0"]);
    command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]);
    command.args(["-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "pipe:1"]);
    command.stdin(Stdio::piped());
    command
}
