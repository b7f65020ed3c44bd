use bdem_core::geometry::Vec3;
use ply_rs::ply::{
    Addable, ElementDef, Header, Property, PropertyAccess, PropertyAccessResult, PropertyDef, PropertyType, ScalarType,
};

/// Number in a frame's binary form.
trait Scalar: Sized {
    const TYPE: ScalarType;
    fn float(self) -> Option<f32>;
    fn int(self) -> Option<i32>;
    fn from_property(property: &Property) -> Option<Self>;
}

impl Scalar for f32 {
    const TYPE: ScalarType = ScalarType::Float;

    fn float(self) -> Option<f32> {
        Some(self)
    }

    fn int(self) -> Option<i32> {
        None
    }

    fn from_property(property: &Property) -> Option<Self> {
        if let Property::Float(value) = property { Some(*value) } else { None }
    }
}

impl Scalar for i32 {
    const TYPE: ScalarType = ScalarType::Int;

    fn float(self) -> Option<f32> {
        None
    }

    fn int(self) -> Option<i32> {
        Some(self)
    }

    fn from_property(property: &Property) -> Option<Self> {
        if let Property::Int(value) = property { Some(*value) } else { None }
    }
}

/// Definition of a struct as an element of PLY files. Each field is the property of its name, in the order of the
/// fields.
macro_rules! element {
    ($(#[$about:meta])* struct $name:ident = $element:literal { $($(#[$note:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$note])* pub $field: $type,)*
        }

        impl $name {
            /// Name in the header.
            pub(super) const NAME: &str = $element;
            /// Bytes of one element in the file with every property.
            const BYTES: usize = 0 $(+ size_of::<$type>())*;

            /// Header definition of `count` elements, and bytes of one, with those of the [`Self::OPTIONAL`] groups that
            /// it has.
            pub(super) fn layout<const N: usize>(count: usize, has: [bool; N]) -> (ElementDef, usize) {
                let (mut definition, mut bytes) = (Self::definition(count), Self::BYTES);
                for (group, _) in Self::OPTIONAL.into_iter().zip(has).filter(|(_, has)| !has) {
                    for name in group {
                        definition.properties.shift_remove(*name);
                        bytes -= SCALAR;
                    }
                }
                (definition, bytes)
            }

            /// Whether the elements of a header have each of the [`Self::OPTIONAL`] groups.
            pub(super) fn groups(header: &Header) -> [bool; Self::OPTIONAL.len()] {
                let element = header.elements.get(Self::NAME);
                Self::OPTIONAL.map(|group| {
                    group.iter().all(|&name| element.is_some_and(|element| element.properties.contains_key(name)))
                })
            }

            /// Header definition of `count` elements with every property.
            fn definition(count: usize) -> ElementDef {
                let mut element = ElementDef::new(Self::NAME.to_owned());
                element.count = count;
                $(
                    let scalar = PropertyType::Scalar(<$type as Scalar>::TYPE);
                    element.properties.add(PropertyDef::new(stringify!($field).to_owned(), scalar));
                )*
                element
            }
        }

        impl PropertyAccess for $name {
            fn new() -> Self {
                Self::default()
            }

            fn get_float(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($field) => self.$field.float(),)*
                    _ => None,
                }
            }

            fn get_int(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($field) => self.$field.int(),)*
                    _ => None,
                }
            }

            fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
                match name {
                    $(stringify!($field) => match Scalar::from_property(&property) {
                        Some(value) => self.$field = value,
                        None => return PropertyAccessResult::UnsupportedType,
                    },)*
                    _ => return PropertyAccessResult::Ignored,
                }
                PropertyAccessResult::Set
            }
        }
    };
}

element! {
    /// Particle of a frame, with the property names of other programs.
    struct Vertex = "vertex" {
        /// Position along x, m.
        x: f32,
        /// Position along y, m.
        y: f32,
        /// Position along z, m.
        z: f32,
        /// Velocity along x, m/s.
        vx: f32,
        /// Velocity along y, m/s.
        vy: f32,
        /// Velocity along z, m/s.
        vz: f32,
        /// Angular velocity about x in the world frame, rad/s.
        wx: f32,
        /// Angular velocity about y in the world frame, rad/s.
        wy: f32,
        /// Angular velocity about z in the world frame, rad/s.
        wz: f32,
        /// Orientation, x: a unit quaternion, body to world.
        orient_x: f32,
        /// Orientation, y.
        orient_y: f32,
        /// Orientation, z.
        orient_z: f32,
        /// Orientation, w: the real part.
        orient_w: f32,
        /// Radius, m.
        pscale: f32,
        /// Index of the particle. Exact below 2^24 in programs that read every property as a float.
        id: i32,
        /// Smallest id in the particle's piece.
        piece: i32,
        /// Broken share of the particle's first bonds.
        damage: f32,
        /// Largest sigma over the particle's bonds, Pa.
        stress: f32,
        /// Mean loss of stiffness of the particle's whole bonds: the property `softening` of frames whose bonds soften.
        softening: f32,
        /// Charge, C: the property `charge` of frames that have it.
        charge: f32,
        /// Displacement since the start of the run along x, m, of frames that have it.
        dx: f32,
        /// Displacement along y, m.
        dy: f32,
        /// Displacement along z, m.
        dz: f32,
        /// Stress, Pa, positive in tension: the properties `stress_xx` and so on of frames that have them.
        stress_xx: f32,
        /// Stress yy, Pa.
        stress_yy: f32,
        /// Stress zz, Pa.
        stress_zz: f32,
        /// Stress yz, Pa.
        stress_yz: f32,
        /// Stress xz, Pa.
        stress_xz: f32,
        /// Stress xy, Pa.
        stress_xy: f32,
    }
}

element! {
    /// Whole bond of a frame.
    struct Edge = "edge" {
        /// Index of its first particle.
        vertex1: i32,
        /// Index of its second particle.
        vertex2: i32,
        /// Number of the bond, which stays while others break: in frames with [`BondGroups`].
        id: i32,
        /// Force of the bond on its first particle along x, N.
        force_x: f32,
        /// Force along y, N.
        force_y: f32,
        /// Force along z, N.
        force_z: f32,
        /// Moment of the bond on its first particle about the middle of both, x, N m.
        moment_x: f32,
        /// Moment, y, N m.
        moment_y: f32,
        /// Moment, z, N m.
        moment_z: f32,
        /// Normal stress of the criterion of breakage, Pa.
        sigma: f32,
        /// Shear stress of the criterion of breakage, Pa.
        tau: f32,
    }
}

/// Bytes of any property.
const SCALAR: usize = 4;

/// Optional properties of bonds in a frame, in groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BondGroups {
    /// `id`.
    pub id: bool,
    /// `force_x`, `force_y`, `force_z`.
    pub force: bool,
    /// `moment_x`, `moment_y`, `moment_z`.
    pub moment: bool,
    /// `sigma`, `tau`.
    pub stress: bool,
}

impl Edge {
    /// Properties that only some frames have, in the order of the fields of [`BondGroups`].
    const OPTIONAL: [&[&str]; 4] =
        [&["id"], &["force_x", "force_y", "force_z"], &["moment_x", "moment_y", "moment_z"], &["sigma", "tau"]];
}

impl From<BondGroups> for [bool; 4] {
    fn from(BondGroups { id, force, moment, stress }: BondGroups) -> Self {
        [id, force, moment, stress]
    }
}

impl From<[bool; 4]> for BondGroups {
    fn from([id, force, moment, stress]: [bool; 4]) -> Self {
        Self { id, force, moment, stress }
    }
}

impl Vertex {
    /// Properties that only some frames have: of bonds that soften, of charged particles, and on request.
    const OPTIONAL: [&[&str]; 4] = [
        &["softening"],
        &["charge"],
        &["dx", "dy", "dz"],
        &["stress_xx", "stress_yy", "stress_zz", "stress_yz", "stress_xz", "stress_xy"],
    ];

    /// Displacement since the start of the run, m.
    pub fn displacement(&self) -> Vec3 {
        Vec3::new(self.dx.into(), self.dy.into(), self.dz.into())
    }

    /// Position, m.
    pub fn place(&self) -> Vec3 {
        Vec3::new(self.x.into(), self.y.into(), self.z.into())
    }

    /// Velocity, m/s.
    pub fn velocity(&self) -> Vec3 {
        Vec3::new(self.vx.into(), self.vy.into(), self.vz.into())
    }
}
