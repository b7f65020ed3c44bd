use bdem_core::geometry::mesh::{DeformingMesh, MeshError};
use bdem_core::geometry::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeshFile;
use super::check::{At, Fault, Quantity};
use super::files::Files;

/// Deformation of a collider's mesh: a file a pose. Vertices move uniformly from each pose to the next, and rest before the first and
/// after the last.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Deformation")]
pub struct SceneDeformation {
    /// Names of the files, relative to the scene's folder, with `#` in place of each digit of their numbers: `hand_####.obj`. Each has
    /// the vertices and faces of the others in the same order. Scale, vertical axis and part are those of the mesh.
    pub files: String,
    /// Number of the first file.
    pub first: u32,
    /// Number of the last file.
    pub last: u32,
    /// Poses a second.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub frame_rate: f64,
    /// Time of the first pose, s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
}

impl SceneDeformation {
    /// Solid of a `mesh` at a `pose` that deforms.
    pub(super) fn load(
        &self,
        mesh: &MeshFile,
        pose: &Pose,
        files: &mut Files,
        at: &At,
    ) -> Result<DeformingMesh, Fault> {
        self.check(at)?;
        let at = at.key("files");
        let (mut poses, mut faces) = (Vec::new(), Vec::new());
        for number in self.first..=self.last {
            let file = self.file(number);
            let named = MeshFile { file: file.clone(), ..mesh.clone() };
            let (corners, found) = named.triangles(files, &at)?;
            let alike = |(_, first): &(f64, Vec<Vec3>)| (first.len(), faces.len()) == (corners.len(), found.len());
            match poses.first() {
                None => faces = found,
                Some(first) if alike(first) => {}
                Some(first) => {
                    let (vertices, triangles) = (corners.len(), found.len());
                    let message = format!(
                        "{file} has {vertices} vertices and {triangles} triangles, and {} has {} and {}",
                        self.file(self.first),
                        first.1.len(),
                        faces.len()
                    );
                    return Err(at
                        .wrong(message)
                        .help("export all poses of one mesh, without changes of its vertices"));
                }
            }
            let time = self.start + f64::from(number - self.first) / self.frame_rate;
            poses.push((time, corners.iter().map(|corner| pose.apply(corner)).collect()));
        }
        DeformingMesh::new(poses, &faces).map_err(|(k, error)| self.no_solid(k, error, &at))
    }

    fn check(&self, at: &At) -> Result<(), Fault> {
        /// Bound on the number of files.
        const MOST: u32 = 10_000;
        at.key("frame_rate").positive(self.frame_rate, "Hz")?;
        at.key("start").quantity(self.start, Quantity::TIME)?;
        at.key("start").not_negative(self.start)?;
        at.key("last").expect(
            self.last >= self.first && self.last - self.first < MOST,
            self.last,
            &format!("from first, {}, to {MOST} files on", self.first),
        )?;
        let marks = self.files.matches('#').count();
        let is_one_run = marks > 0 && self.files.contains(&"#".repeat(marks));
        at.key("files").expect(is_one_run, &self.files, "a name with one run of #, as \"hand_####.obj\"")
    }

    /// Name of the file with this number.
    fn file(&self, number: u32) -> String {
        let marks = "#".repeat(self.files.matches('#').count());
        self.files.replacen(&marks, &format!("{number:0width$}", width = marks.len()), 1)
    }

    fn no_solid(&self, k: usize, error: MeshError, at: &At) -> Fault {
        let file = self.file(self.first + k as u32);
        at.wrong(format!("{file}: {error}")).help("each pose needs to be closed, with its faces outwards")
    }
}
