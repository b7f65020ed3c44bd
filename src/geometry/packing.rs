//! Packings of spheres in shapes.
