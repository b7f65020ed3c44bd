use std::io;

use bdem_core::geometry::Vec3;

use super::mesh::{deforming, faces, still, subsets, texture_coordinates};
use super::names::Names;
use super::text::{Text, quoted, single};
use crate::clip::{Clip, ClipSample, Fracture, extent};
use crate::formats::materials::Materials;

/// Writes the particles without a piece as points.
pub(super) fn write_loose(text: &mut Text, clip: &Clip) -> io::Result<()> {
    let loose = clip.points();
    if loose.is_empty() {
        return Ok(());
    }
    text.line("def Points \"crumbs\"")?;
    text.block(|text| {
        text.list("float[] widths", widths(clip, loose.iter()))?;
        text.list("int64[] ids", loose.iter())?;
        // as the inside of their bodies
        let colour = |&i: &u32| single(&Vec3::from(clip.looks[usize::from(clip.motion.body[i as usize])].inside));
        text.varying("color3f[] primvars:displayColor", "vertex", loose.iter().map(colour))?;
        positions(text, clip, |sample| &sample.loose)
    })
}

/// Diameters (m) of particles.
fn widths<'a>(clip: &Clip, particles: impl Iterator<Item = &'a u32>) -> impl Iterator<Item = f32> {
    particles.map(|&i| 2.0 * clip.radius[i as usize] as f32)
}

/// Writes the positions of particles at each time code.
fn positions(text: &mut Text, clip: &Clip, of: impl Fn(&ClipSample) -> &[[f32; 3]]) -> io::Result<()> {
    let point = |[x, y, z]: &[f32; 3]| format!("({x},{y},{z})");
    let samples = clip.samples().iter().map(|sample| (clip.code(sample), of(sample).iter().map(point)));
    text.list_samples("point3f[] points", samples)
}

/// Writes ropes and yarns as curves through their particles: a prim for each body, with the look of its outside.
pub(super) fn write_yarns(text: &mut Text, clip: &Clip, materials: &Materials, names: &Names) -> io::Result<()> {
    let body_of = |yarn: &Vec<u32>| clip.motion.body[yarn[0] as usize];
    let mut first = 0;
    for yarns in clip.yarns().chunk_by(|a, b| body_of(a) == body_of(b)) {
        let body = body_of(&yarns[0]);
        let points = first..first + yarns.iter().map(Vec::len).sum::<usize>();
        first = points.end;
        text.line(&format!("def BasisCurves \"{}_yarns\" (", names.bodies[usize::from(body)]))?;
        text.line("    prepend apiSchemas = [\"MaterialBindingAPI\"]")?;
        text.line(")")?;
        text.block(|text| {
            text.line(&format!("custom string userProperties:body = {}", quoted(&clip.bodies[usize::from(body)])))?;
            text.line("uniform token type = \"linear\"")?;
            text.line("uniform token wrap = \"nonperiodic\"")?;
            text.list("int[] curveVertexCounts", yarns.iter().map(Vec::len))?;
            text.varying("float[] widths", "vertex", widths(clip, yarns.iter().flatten()))?;
            let colour = Vec3::from(clip.looks[usize::from(body)].outside);
            text.varying("color3f[] primvars:displayColor", "constant", std::iter::once(single(&colour)))?;
            text.line(&format!("rel material:binding = <{}>", names.material(materials.of_yarns(body))))?;
            positions(text, clip, |sample| &sample.yarns[points.clone()])
        })?;
    }
    Ok(())
}

/// Writes the broken bonds as points that stay, for dust: the time code `frame`, normal, velocity, area and energy of each.
pub(super) fn write_fractures(text: &mut Text, clip: &Clip) -> io::Result<()> {
    let fractures = clip.fractures();
    if fractures.is_empty() {
        return Ok(());
    }
    text.line("def Points \"fractures\"")?;
    text.block(|text| {
        // not drawn: a source of particles
        text.line("uniform token purpose = \"guide\"")?;
        let places: Vec<Vec3> = fractures.iter().map(|fracture| fracture.place).collect();
        let widths = fractures.iter().map(|fracture| 2.0 * (fracture.area / std::f64::consts::PI).sqrt() as f32);
        let most = widths.clone().fold(0.0, f32::max);
        let [low, high] = extent(places.iter());
        let reach = Vec3::repeat(0.5 * f64::from(most));
        text.line(&format!("float3[] extent = [{}, {}]", single(&(low - reach)), single(&(high + reach))))?;
        text.list("point3f[] points", places.iter().map(single))?;
        text.list("float[] widths", widths)?;
        text.list("normal3f[] normals", fractures.iter().map(|fracture| single(&fracture.normal)))?;
        text.list("vector3f[] velocities", fractures.iter().map(|fracture| single(&fracture.velocity)))?;
        let of = |value: fn(&Fracture) -> f64| fractures.iter().map(move |fracture| value(fracture) as f32);
        for (name, values) in [
            ("frame", of(|fracture| fracture.code)),
            ("area", of(|fracture| fracture.area)),
            ("energy", of(|fracture| fracture.energy)),
        ] {
            text.varying(&format!("float[] primvars:{name}"), "vertex", values)?;
        }
        Ok(())
    })
}

/// Writes the colliders by their names, with their motion.
pub(super) fn write_colliders(text: &mut Text, clip: &Clip, materials: &Materials, names: &Names) -> io::Result<()> {
    if clip.colliders.is_empty() {
        return Ok(());
    }
    text.line("def Xform \"colliders\"")?;
    text.block(|text| {
        let each = clip.colliders.iter().zip(&materials.colliders).zip(&names.colliders);
        for ((wall, materials), name) in each {
            text.line(&format!("def Mesh \"{name}\""))?;
            text.block(|text| {
                let mesh = &wall.polygons;
                faces(text, mesh)?;
                if mesh.has_uv {
                    texture_coordinates(text, mesh)?;
                }
                let codes = clip.samples().iter().map(|sample| clip.code(sample));
                if wall.deforms() {
                    let shapes = clip.samples().iter().map(|sample| wall.polygons_at(sample.time).into_owned());
                    deforming(text, &codes.clone().zip(shapes).collect::<Vec<_>>())?;
                } else {
                    still(text, mesh, &Vec3::zeros())?;
                }
                text.motion(&codes.zip(clip.collider_poses(wall)).collect::<Vec<_>>(), &[])?;
                subsets(text, names, &materials.parts(mesh, mesh.sizes.len()))
            })?;
        }
        Ok(())
    })
}

/// Writes the camera of the scene, if it has one.
pub(super) fn write_camera(text: &mut Text, clip: &Clip) -> io::Result<()> {
    /// Height of the film, mm, from which the field of view gives the focal length. Its width is that of 16:9.
    const FILM: f64 = 20.25;
    /// Distance of the near plane over that of the camera's target; that of the far plane is as much further.
    const NEAR: f64 = 1e-3;
    let Some(camera) = &clip.camera else { return Ok(()) };
    let (eye, target) = (Vec3::from(camera.position), Vec3::from(camera.target));
    let back = (eye - target).normalize();
    let up = if clip.y_up { Vec3::y() } else { Vec3::z() };
    // straight down there is no horizon: any direction across will do
    let right = up.cross(&back).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    let up = back.cross(&right);
    let row = |v: &Vec3, w: f64| format!("({}, {}, {}, {w})", v.x, v.y, v.z);
    let focal = 0.5 * FILM / libm::tan(0.5 * camera.field_of_view.to_radians());
    text.line("def Camera \"camera\"")?;
    text.block(|text| {
        text.line(&format!("float verticalAperture = {FILM}"))?;
        text.line(&format!("float horizontalAperture = {}", FILM * 16.0 / 9.0))?;
        text.line(&format!("float focalLength = {}", focal as f32))?;
        let distance = (eye - target).norm();
        text.line(&format!("float2 clippingRange = ({}, {})", (distance * NEAR) as f32, (distance / NEAR) as f32))?;
        let rows = [row(&right, 0.0), row(&up, 0.0), row(&back, 0.0), row(&eye, 1.0)].join(", ");
        text.line(&format!("matrix4d xformOp:transform = ( {rows} )"))?;
        text.line("uniform token[] xformOpOrder = [\"xformOp:transform\"]")
    })
}
