use bdem_core::geometry::packing::hexagonal;
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Quat, Vec3};
use bdem_pictures::surface::{Rest, SurfaceMesher};

use crate::surface::{RADIUS, RESOLUTION, expect_closed, particle, share, volumes};

#[test]
fn particles_of_unknown_origin_are_meshed_where_they_touch() {
    let ball = hexagonal(&Shape::Sphere { radius: 0.08 }, RADIUS);
    let count = ball.len() as f64;
    let other = ball.iter().map(|p| p + Vec3::x() * 0.3);
    let mut particles: Vec<_> = (0..)
        .zip(ball.iter().copied().chain(other))
        .map(|(i, p)| particle(&p, &Quat::identity(), RADIUS, i / ball.len() as u32))
        .collect();
    particles.iter_mut().for_each(|particle| particle.charge = if particle.piece == 0 { -2e-6 } else { 1e-6 });
    let body = SurfaceMesher::new(Rest::of_frame(&particles), RESOLUTION);
    let mesh = body.surface(&particles, |_| false);
    expect_closed(&mesh);
    let charge = |piece: i32| if piece == 0 { -2e-6 } else { 1e-6 };
    assert!(mesh.corners.iter().all(|corner| (corner.charge - charge(corner.piece)).abs() < 1e-12));
    let volumes = volumes(&mesh);
    assert_eq!(volumes.len(), 2);
    assert!(volumes.values().all(|volume| (volume / (count * share()) - 1.0).abs() < 0.03), "{volumes:?}");
}
