use bdem_run::scene::SceneError;

use crate::scene::{PLATE, edited, parse};

/// An edit of the good scene, the text that the error must underline, and a part of its message.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// Errors that loading finds.
const LOAD: &[Case] = &[
    // Syntax, keys and types.
    ("frames = 120", "frames = = 120", "=", "expected"),
    ("frames = 120", "frames = 120\nframes = 3", "frames", "duplicate key"),
    ("frames = 120", "frames = -5", "-5", "invalid value: integer `-5`, expected a whole number"),
    ("frames = 120", "frames = 1.5", "1.5", "number `1.5`, expected a whole number"),
    ("frames = 120", "", "[time]", "missing key `frames`"),
    ("frame_rate = 480.0", "frame_rate = \"fast\"", "\"fast\"", "string \"fast\", expected a number"),
    ("frame_rate = 480.0", "framerate = 480.0", "framerate", "unknown key `framerate`, expected one of `frame_rate`"),
    ("frame_rate = 480.0", "framerate = 480.0", "framerate", "help: did you mean `frame_rate`?"),
    ("density = 2600.0", "densty = 2600.0", "densty", "did you mean `density`?"),
    ("[output]", "[outputs]", "outputs", "did you mean `output`?"),
    ("every = 2", "frames_every = 2", "frames_every", "unknown key `frames_every`"),
    ("degrees = 10.0", "degree = 10.0", "degree", "did you mean `degrees`?"),
    ("{ sphere = {", "{ shpere = {", "shpere", "unknown name `shpere`, expected one of `box`, `sphere`, `ellipsoid`"),
    (
        "{ sphere = { radius = 0.03 } }",
        "{ sphere = { radius = 0.03, height = 1.0 } }",
        "height",
        "unknown key `height`",
    ),
    ("{ sphere = { radius = 0.03 } }", "{ sphere = {} }", "{}", "missing key `radius`"),
    ("{ sphere = { radius = 0.03 } }", "{}", "{}", "expected exactly one key, found none"),
    ("{ sphere = { radius = 0.03 } }", "", "", "expected a value; text must be in quotes"),
    ("{ sphere = { radius = 0.03 } }", "3", "3", "expected a name or a table with one key"),
    ("{ sphere = { radius = 0.03 } }", "\"sphere\"", "\"sphere\"", "this name needs values"),
    ("[0.0, 0.0, -5.0]", "[0.0, 0.0]", "[0.0, 0.0]", "expected an array of length 3"),
    ("motion = \"fixed\"", "motion = { fixed = 3 }", "3", "expected the name alone, found integer"),
    ("frames = 120", "frames = 120\nstep = {}", "{}", "expected a name or a table with one key"),
    ("frames = 120", "frames = 120\nstep = true", "true", "expected \"auto\", a number of seconds, { periods"),
    ("frames = 120", "frames = 120\nstep = \"atuo\"", "\"atuo\"", "did you mean `auto`?"),
    (
        "frames = 120",
        "frames = 120\nintegrator = \"rk4\"",
        "\"rk4\"",
        "expected one of `auto`, `implicit-euler`, `implicit-bdf2`, `implicit-midpoint`, `explicit-verlet`",
    ),
    (
        "frames = 120",
        "frames = 120\nintegrator = { explicit-rodrigues = { map = 24 } }",
        "24",
        "the map is 24, but must be 23, 25 or 27",
    ),
    (
        "frames = 120",
        "frames = 120\nintegrator = { explicit-verlet = { map = 23 } }",
        "{ map = 23 }",
        "table, expected the name alone",
    ),
    ("friction = 0.5", "moduli = \"macro\"", "\"macro\"", "unknown name `macro`, expected `bond` or `macroscopic`"),
    ("friction = 0.5", "bond = \"rod\"", "\"rod\"", "expected one of `quaternion`, `cosserat`, `force-2021`"),
    (
        "friction = 0.5",
        "bond = \"force-2021\"",
        "\"force-2021\"",
        "auto cannot take this bond: its forces derive from no energy that a step",
    ),
    (
        "[output]",
        "[camera]\nposition = [0.0, 0.0, 1.0]\ntarget = [0.0, 0.0, 1.0]\n[output]",
        "[0.0, 0.0, 1.0]",
        "another place than the camera's",
    ),
    ("[output]", "[fracture]\naxial = \"both\"\n[output]", "\"both\"", "expected `magnitude` or `tension`"),
    // Quantities that are finite, but of no world.
    (
        "degrees = 10.0",
        "degrees = 1e300",
        "1e300",
        "degrees is 1e300, but must be a number from -1000000.0 to 1000000.0 degrees",
    ),
    ("degrees = 10.0", "degrees = -2e6", "-2e6", "a number from -1000000.0 to 1000000.0 degrees"),
    ("[0.0, 0.0, -5.0]", "[0.0, 0.0, -1e300]", "[0.0, 0.0, -1e300]", "a vector of at most 299792458.0 m/s"),
    (
        "velocity = [0.0, 0.0, -5.0]",
        "velocity = [0.0, 0.0, -5.0]\nangular_velocity = [1e300, 0.0, 0.0]",
        "[1e300, 0.0, 0.0]",
        "angular_velocity is [1e300, 0.0, 0.0], but must be a vector of at most 1000000000.0 rad/s",
    ),
    (
        "position = [0.0, 0.0, 0.05]",
        "position = [0.0, 0.0, 1e300]",
        "[0.0, 0.0, 1e300]",
        "position is [0.0, 0.0, 1e300], but must be",
    ),
    (
        "name = \"plate\"\n\n",
        "name = \"plate\"\ngravity = [0.0, 0.0, -1e300]\n\n",
        "[0.0, 0.0, -1e300]",
        "a vector of at most 1000000000000.0 m/s2",
    ),
    ("rate = 3.0", "rate = 1e300", "1e300", "a number from -1000000000.0 to 1000000000.0 rad/s"),
    (
        "{ sphere = { radius = 0.03 } }",
        "{ sphere = { radius = 1e300 } }",
        "1e300",
        "radius is 1e300, but must be at most 1000000000.0 m",
    ),
    ("offset = -0.02", "offset = -1e300", "-1e300", "a number from -1000000000.0 to 1000000000.0 m"),
    ("frame_rate = 480.0", "frame_rate = 1e300", "1e300", "at most 1000000000000000.0 frames per second"),
    ("frame_rate = 480.0", "frame_rate = 1e-300", "1e-300", "at least 1e-9 frames per second"),
    (
        "frames = 120",
        "frames = 120\nstep = 1e-300",
        "1e-300",
        "step is 1e-300, but must be at least 2.1e-12 s, for a frame to have at most 1e9 steps",
    ),
    ("density = 2600.0", "density = 1e300", "1e300", "density is 1e300, but must be at most 1e18 kg/m3"),
    ("young_modulus = 1e9", "young_modulus = 1e300", "1e300", "at most 1000000000000000.0 Pa"),
    // Names.
    (
        "name = \"plate\"\n\n",
        "name = \"a plate\"\n\n",
        "\"a plate\"",
        "the name \"a plate\" must be made of 1 to 100 letters",
    ),
    ("name = \"plate\"\n\n", "name = \"\"\n\n", "\"\"", "the name \"\""),
    ("name = \"plate\"\n\n", "name = \"..\"\n\n", "\"..\"", "the name \"..\""),
    ("name = \"plate\"\n\n", "name = \"../plate\"\n\n", "\"../plate\"", "the name \"../plate\""),
    ("name = \"plate\"\n\n", "name = \"/plate\"\n\n", "\"/plate\"", "the name \"/plate\""),
    ("name = \"plate\"\n\n", "name = \"pl\\u0000te\"\n\n", "\"pl\\u0000te\"", "the name \"pl\\0te\""),
    ("name = \"ball\"", "name = \"../ball\"", "\"../ball\"", "names become file names"),
    ("name = \"ball\"", "name = \"plate\"", "\"plate\"", "two bodies have the name \"plate\""),
    ("[materials.ceramic]", "[materials.\"a.b\"]", "[materials.\"a.b\"]", "the name \"a.b\""),
    // Numbers.
    ("name = \"plate\"\n\n", "name = \"plate\"\ngravity = [0, 0, inf]\n\n", "[0, 0, inf]", "three finite numbers"),
    ("frames = 120", "frames = 0", "0", "frames is 0, but must be at least 1"),
    ("frames = 120", "frames = 2000000", "2000000", "at most 1000000"),
    ("frame_rate = 480.0", "frame_rate = 0.0", "0.0", "frame_rate is 0.0, but must be a positive number"),
    ("frames = 120", "frames = 120\nstep = 0", "0", "step is 0.0, but must be a positive number of seconds"),
    ("frames = 120", "frames = 120\nstep = { periods = -1 }", "-1", "periods is -1.0, but must be a positive number"),
    ("newton_iterations = 30", "newton_iterations = 0", "0", "newton_iterations is 0, but must be at least 1"),
    ("newton_iterations = 30", "cg_tolerance = 1.5", "1.5", "cg_tolerance is 1.5, but must be between 0 and 1"),
    ("frames = 120", "frames = 120\ncontrol.halvings = 99", "99", "halvings is 99, but must be at most 52"),
    ("sweeps = 1", "sweeps = 0", "0", "sweeps is 0, but must be at least 1"),
    ("density = 2600.0", "density = -1", "-1", "density is -1.0, but must be a positive number (kg/m3)"),
    ("young_modulus = 1e9", "young_modulus = nan", "nan", "young_modulus is NaN"),
    ("poisson_ratio = 0.25", "poisson_ratio = 0.5", "0.5", "poisson_ratio is 0.5, but must be above -1 and below 0.5"),
    ("poisson_ratio = 0.25", "poisson_ratio = -1.0", "-1.0", "poisson_ratio is -1.0"),
    ("poisson_ratio = 0.25", "poisson_ratio = 0.2\nshear_modulus = 1e8", "1e8", "both given"),
    ("poisson_ratio = 0.25", "", "[materials.ceramic]", "missing poisson_ratio, or in its place shear_modulus"),
    ("poisson_ratio = 0.25", "shear_modulus = 0", "0", "shear_modulus is 0.0"),
    (
        "ratio = 0.25",
        "ratio = 0.3\nmoduli = \"macroscopic\"",
        "0.3",
        "must be above -1 and at most 0.25 where moduli are macr",
    ),
    (
        "ratio = 0.25",
        "ratio = 0.3\nmoduli = \"macroscopic\"",
        "0.3",
        "a solid of bonded spheres has a Poisson's ratio of (1 - g)",
    ),
    (
        "poisson_ratio = 0.25",
        "shear_modulus = 3e8\nmoduli = \"macroscopic\"",
        "3e8",
        "must be a number of at least 400000000.0 (Pa)",
    ),
    ("friction = 0.5", "grain = { direction = [0, 0, 0] }", "[0, 0, 0]", "direction is [0.0, 0.0, 0.0]"),
    (
        "friction = 0.5",
        "grain = { direction = [1, 0, 0], stiffness = -1 }",
        "-1",
        "stiffness is -1.0, but must be a number above",
    ),
    (
        "friction = 0.5",
        "moduli = \"macroscopic\"\ngrain = { direction = [1, 0, 0] }",
        "{ direction = [1, 0, 0] }",
        "macroscopic moduli need an isotropic material",
    ),
    ("friction = 0.5", "look = \"cermic\"", "\"cermic\"", "did you mean `ceramic`?"),
    ("friction = 0.5", "look = 3", "3", "expected the name of a look, or a table of outside, inside and roughness"),
    ("friction = 0.5", "look = { rough = 1 }", "rough", "unknown key `rough`"),
    ("friction = 0.5", "look = { outside = [2, 0, 0] }", "[2, 0, 0]", "must be red, green and blue from 0 to 1"),
    ("friction = 0.5", "look = { roughness = -1 }", "-1", "roughness is -1.0, but must be a number from 0 to 1"),
    ("tensile_strength = 5e6", "tensile_strength = 0", "0", "or inf for bonds that never break"),
    ("weibull_modulus = 10.0", "weibull_modulus = 0.0", "0.0", "weibull_modulus is 0.0"),
    ("friction = 0.5", "friction = -0.5", "-0.5", "friction is -0.5, but must be a number of at least 0"),
    ("[output]", "[contact]\nrestitution = 1.2\n[output]", "1.2", "restitution is 1.2, but must be from 0.01 to 1"),
    ("[output]", "[contact]\nrestitution = 0\n[output]", "0", "restitution is 0.0, but must be from 0.01"),
    ("[output]", "[contact]\nsoftening = 0.2\n[output]", "0.2", "softening is 0.2, but must be a share of the radius"),
    (
        "[output]",
        "[contact]\nlaw = \"hertz\"\nsoftening = 0.01\n[output]",
        "0.01",
        "must be 0 with contact.law = \"hertz\"",
    ),
    ("friction = 0.5", "friction = 0.5\nstatic_friction = 0.4", "0.4", "must be a number of at least friction, 0.5"),
    (
        "offset = -0.02 } }",
        "offset = -0.02 } }\nstatic_friction = 0.4",
        "0.4",
        "static_friction is given without friction",
    ),
    ("friction = 0.5", "damping = -0.5", "-0.5", "damping is -0.5"),
    ("particle_radius = 0.01", "particle_radius = -0.01", "-0.01", "particle_radius is -0.01, but must be a positive"),
    ("particle_radius = 0.01", "particle_radius = 1e-200", "1e-200", "mass is a sensible number"),
    ("radius = 0.03", "radius = 0.0", "0.0", "radius is 0.0, but must be a positive number of metres"),
    ("position = [0.0, 0.0, 0.2]", "position = [0, 0, 1e9]", "[0, 0, 1e9]", "m of the origin"),
    ("[1.0, 0.0, 0.0], degrees", "[0, 0, 0], degrees", "[0, 0, 0]", "axis is [0.0, 0.0, 0.0], but must be a direction"),
    ("height = 0.06", "height = 1e9", "0.01", "more than the limit of 5e7"),
    ("degrees = 10.0", "degrees = inf", "inf", "degrees is inf, but must be a finite number"),
    (
        "max = [0.2, -0.05, 1.0]",
        "max = [0, 0, -2]",
        "[0, 0, -2]",
        "max is [0.0, 0.0, -2.0], but must be at least min, [-0.2,",
    ),
    ("rate = 3.0", "rate = 0.0", "0.0", "rate is 0.0, but must be a finite number other than 0"),
    (FIXED, "", "[[constraints]]", "missing motion, or in its place force or torque"),
    (FIXED, "motion = \"fixed\"\nforce = [1, 0, 0]", "\"fixed\"", "whose motion is prescribed cannot be pushed too"),
    (FIXED, "force = [1, 0, inf]", "[1, 0, inf]", "force is [1.0, 0.0, inf], but must be three finite numbers"),
    (FIXED, "torque = [nan, 0, 0]", "[nan, 0, 0]", "torque is [NaN, 0.0, 0.0], but must be three finite numbers"),
    (FIXED, "motion = \"fixed\"\nstart = -1", "-1", "start is -1.0, but must be a number of at least 0"),
    (
        FIXED,
        "motion = \"fixed\"\nstart = 0.2\nrelease = 0.1",
        "0.1",
        "release is 0.1, but must be a number of seconds above start, 0.2",
    ),
    (FIXED, "motion = \"fixed\"\nbody = \"pan\"", "\"pan\"", "the scene has these bodies: plate, ball"),
    (FIRST, "", "[[constraints]]", "missing region or body"),
    (FIRST, "region = { nearest = { point = [0, 0, 0], count = 0 } }", "0", "count is 0, but must be at least 1"),
    (
        FIRST,
        "region = { sphere = { centre = [0, 0, 0], radius = -1 } }",
        "-1",
        "radius is -1.0, but must be a positive",
    ),
    (TURNING, "motion = { keyframes = { keys = [] } }", "[]", "keys is 0, but must be a list of at least one key"),
    (
        TURNING,
        "motion = { keyframes = { keys = [{ time = 1 }, { time = 0.5 }] } }",
        "0.5",
        "time is 0.5, but must be later than the key before, 1.0 s",
    ),
    (
        TURNING,
        "motion = { keyframes = { keys = [{ time = 1, rotation = { axis = [0, 0, 0], degrees = 9 } }] } }",
        "[0, 0, 0]",
        "axis is [0.0, 0.0, 0.0], but must be a direction",
    ),
    (TURNING, "motion = { keyframes = { pivot = [0, 0, nan], keys = [] } }", "[0, 0, nan]", "three finite numbers"),
    (
        TURNING,
        "motion = { screw = { point = [0, 0, 0], axis = [0, 0, 1], rate = 1, velocity = inf } }",
        "inf",
        "velocity is inf, but must be a finite number",
    ),
    ("axis = [0.0, 2.0, 0.0]", "axis = [0, 0, 0]", "[0, 0, 0]", "axis is [0.0, 0.0, 0.0]"),
    ("normal = [0.0, 0.0, 2.0]", "normal = [0, 0, 1e-300]", "[0, 0, 1e-300]", "but must be a direction"),
    ("normal = [0.0, 0.0, 2.0]", "normal = [0, 0, 0]", "[0, 0, 0]", "normal is [0.0, 0.0, 0.0]"),
    (FLOOR, "shape = { sphere = { radius = 0 } }", "0", "radius is 0.0, but must be a positive number of metres"),
    (FLOOR, "shape = { sphere = { radius = 9 } }\nposition = [0, 0, nan]", "[0, 0, nan]", "three finite numbers"),
    (FLOOR, "shape = { sphere = { radius = 9 } }\nmotion = { velocity = [0, 0, inf] }", "[0, 0, inf]", "finite"),
    (FLOOR, "shape = { sphere = { radius = 9 } }\ninside = 1", "1", "expected a boolean"),
    ("offset = -0.02", "offset = nan", "nan", "offset is NaN, but must be a finite number"),
    ("every = 2", "every = 0", "0", "every is 0, but must be at least 1"),
    (BALL, "{ ellipsoid = { radii = [0.1, 0, 0.1] } }", "[0.1, 0, 0.1]", "radii is 0.0, but must be a positive number"),
    (
        BALL,
        "{ tube = { radius = 0.1, inner_radius = 0.1, height = 1 } }",
        "0.1",
        "inner_radius is 0.1, but must be less",
    ),
    (BALL, "{ cone = { radius = 0.1, top_radius = -1, height = 1 } }", "-1", "top_radius is -1.0, but must be zero or"),
    (BALL, "{ capsule = { radius = 0.1, height = 0.19 } }", "0.19", "it counts the round ends"),
    (
        BALL,
        "{ torus = { radius = 0.1, tube_radius = 0.11 } }",
        "0.11",
        "tube_radius is 0.11, but must be at most radius, 0.1",
    ),
    (BALL, HALF, HALF, "the shape is unbounded"),
    (BALL, HALF, HALF, "intersect it with a bounded shape"),
    (BALL, "{ union = [] }", "[]", "a combination must have two shapes at least"),
    (BALL, "{ difference = [{ sphere = { radius = 1 } }] }", "[{ sphere = { radius = 1 } }]", "two shapes at least"),
    (BALL, APART, APART, "the shape is empty: its parts do not meet"),
    (
        BALL,
        "{ union = [{ box = { size = [1, 1, 1] } }, { sphere = { radius = -1 } }] }",
        "-1",
        "radius is -1.0, but must be a positive number of metres",
    ),
    (
        BALL,
        "{ moved = { shape = { sphere = { radius = 1 } }, rotation = { axis = [0, 0, 0], degrees = 1 } } }",
        "[0, 0, 0]",
        "axis is [0.0, 0.0, 0.0], but must be a direction",
    ),
    (BALL, "{ moved = { position = [0, 0, 1] } }", "{ position = [0, 0, 1] }", "missing key `shape`"),
    (
        BALL,
        "{ revolve = { profile = [[0, 0], [1, 0]] } }",
        "[[0, 0], [1, 0]]",
        "has 2 points, but must have at least 3",
    ),
    (
        BALL,
        "{ revolve = { profile = [[0, 0], [-1, 0], [1, 1]] } }",
        "[-1, 0]",
        "point 1 is [-1.0, 0.0], but must be [radius, height] in metres, with a radius of at least 0",
    ),
    (
        BALL,
        "{ revolve = { profile = [[0, 0], [1, 1], [1, 0], [0, 1]] } }",
        "[1, 0]",
        "the profile crosses itself: its edges from [0.0, 0.0] to [1.0, 1.0] and from [1.0, 0.0] to [0.0, 1.0] meet",
    ),
    (BALL, "{ revolve = { profile = [[0, 0], [0, 1], [0, 2]] } }", "[0, 2]", "the profile crosses itself"),
    (BALL, "{ revolve = { profil = [] } }", "profil", "did you mean `profile`?"),
    (BALL, FAR, FAR, "of which it fills few"),
    (BALL, THIN, THIN, "the shape is 0.005 m thick, thinner than one particle"),
    (GLUE_AT, "[[glue]]\nbodies = [\"ball\", \"bell\"]\nmaterial = \"ceramic\"", BELL, "there is no body \"bell\""),
    (GLUE_AT, "[[glue]]\nbodies = [\"ball\", \"ball\"]\nmaterial = \"ceramic\"", BALLS, "is glued to itself"),
    (
        GLUE_AT,
        "[[glue]]\nbodies = [\"ball\", \"plate\"]\nmaterial = \"mud\"",
        "\"mud\"",
        "there is no material \"mud\"",
    ),
    (
        GLUE_AT,
        "[[glue]]\nbodies = [\"ball\", \"plate\"]\nmaterial = \"ceramic\"\ngap = 2",
        "2",
        "gap is 2.0, but must be at",
    ),
    (
        GLUE_AT,
        "[[glue]]\nbodies = [\"ball\", \"plate\"]\nmaterial = \"ceramic\"\n\
         [[glue]]\nbodies = [\"plate\", \"ball\"]\nmaterial = \"ceramic\"",
        "[\"plate\", \"ball\"]",
        "bodies \"plate\" and \"ball\" are glued already",
    ),
    // What is measured.
    ("every = 2", "forces_every = 0", "0", "forces_every is 0, but must be at least 1"),
    ("every = 2", "forces_every = \"1 m\"", "\"1 m\"", "expected a number of steps, or seconds such as"),
    ("every = 2", "forces_every = \"-1 s\"", "\"-1 s\"", "forces_every is -1.0, but must be a positive number"),
    ("every = 2", "stress = [\"plat\"]", "\"plat\"", "there is no body \"plat\""),
    ("every = 2", "stress = [\"plat\"]", "\"plat\"", "help: did you mean \"plate\"?"),
    ("every = 2", "stress = [\"cup\"]", "\"cup\"", "help: the scene has plate, ball"),
    ("every = 2", "probes = [{ name = \"a\" }]", "{ name = \"a\" }", "missing region or between"),
    (
        "every = 2",
        "probes = [{ name = \"a\", region = { sphere = { centre = [0, 0, 0], radius = 0 } } }]",
        "0",
        "radius is 0.0, but must be a positive number of metres",
    ),
    (
        "every = 2",
        "stress = [\"ball\"]\nprobes = [{ name = \"ball\", region = { nearest = { point = [0, 0, 0] } } }]",
        "\"ball\"",
        "two columns of forces.csv would have the name \"ball\"",
    ),
    (
        FLOOR,
        "shape = { sphere = { radius = 9 } }\nname = \"my floor\"",
        "\"my floor\"",
        "letters, digits, - and _ only",
    ),
    (
        "motion = \"fixed\"",
        "motion = \"fixed\"\nname = \"grip\"\n[specimen]\nload = \"girp\"\ntest = { tension = { area = 1, length = 1 } }",
        "\"girp\"",
        "help: did you mean \"grip\"?",
    ),
    (
        "motion = \"fixed\"",
        "motion = \"fixed\"\nname = \"grip\"\n[specimen]\nload = \"grip\"\ntest = { tension = { area = 1 } }",
        "{ area = 1 }",
        "missing key `length`",
    ),
    (
        "motion = \"fixed\"",
        "motion = \"fixed\"\nname = \"grip\"\n[specimen]\nload = \"grip\"\ngauge = \"g\"\ntest = { tension = { area = 1 } }",
        "\"g\"",
        "there is no extensometer \"g\"",
    ),
    (
        "motion = \"fixed\"",
        "motion = \"fixed\"\nname = \"grip\"\n[specimen]\nload = \"grip\"\ntest = { brazilian = { diameter = 0, thickness = 1 } }",
        "0",
        "diameter is 0.0, but must be a positive number",
    ),
    ("frames = 120", "frames = 120\nuntil = {}", "{}", "missing load_below_peak, bonds_broken or pieces"),
    ("frames = 120", "frames = 120\nuntil = { load_below_peak = 1.5 }", "1.5", "between 0 and 1"),
    ("frames = 120", "frames = 120\nuntil = { load_below_peak = 0.5 }", "0.5", "missing key `of`"),
    (
        "frames = 120",
        "frames = 120\nuntil = { load_below_peak = 0.5, of = \"a\" }",
        "\"a\"",
        "the scene has none with a name",
    ),
    ("frames = 120", "frames = 120\nuntil = { bonds_broke = 3 }", "bonds_broke", "did you mean `bonds_broken`?"),
    // How things fit together.
    ("0.005\n", "0.031\n", "{ sphere = { radius = 0.03 } }", "the shape is 0.06 m thick, thinner than one particle"),
    ("0.005\n", "0.031\n", "{ sphere = { radius = 0.03 } }", "make it at least 0.062 m thick"),
    ("0.005\n", "1e-5\n", "1e-5", "about 2.00e10 particles"),
    ("[materials.ceramic]", "[materials.steel]", "\"ceramic\"", "there is no material \"ceramic\""),
    ("[materials.ceramic]", "[materials.steel]", "\"ceramic\"", "the scene has these materials: steel"),
];

/// Errors that building finds.
const BUILD: &[Case] = &[
    (
        "every = 2",
        "probes = [{ name = \"a\", region = { sphere = { centre = [9, 9, 9], radius = 1 } } }]",
        "{ centre = [9, 9, 9], radius = 1 }",
        "no particle's centre lies in this region of probe \"a\"",
    ),
    (
        "every = 2",
        "probes = [{ name = \"a\", between = [{ nearest = { point = [0, 0, 0] } }, { nearest = { point = [0, 0, 0] } }] }]",
        "[{ nearest = { point = [0, 0, 0] } }, { nearest = { point = [0, 0, 0] } }]",
        "both ends of probe \"a\" are the same particles",
    ),
    ("position = [0.0, 0.0, 0.2]", "position = [0, 0, 0.07]", "[[bodies]]", "body \"ball\" overlaps body \"plate\""),
    (BALL, GONE, GONE, "no particle fits: the shape is empty, or thinner than one everywhere"),
    (
        GLUE_AT,
        "[[glue]]\nbodies = [\"ball\", \"plate\"]\nmaterial = \"ceramic\"",
        "[\"ball\", \"plate\"]",
        "bodies \"ball\" and \"plate\" are too far apart: their nearest centres are 1.122726e-1 m from",
    ),
    ("offset = -0.02", "offset = 0.175", "[0.0, 0.0, 0.05]", "body \"plate\" is 1."),
    (FLOOR, "shape = { sphere = { radius = 0.1 } }", "[0.0, 0.0, 0.05]", "body \"plate\" is 7."),
    (FLOOR, "shape = { sphere = { radius = 0.2 } }\ninside = true", "[0.0, 0.0, 0.2]", "m deep in collider 0"),
    ("min = [-0.2, 0.05, -1.0]", "min = [0.2, 0.05, -1.0]", REGION, "holds nothing"),
    ("min = [-0.2, 0.05, -1.0]", "min = [0.2, 0.05, -1.0]", REGION, "centres lie between [-0.0"),
    ("min = [-0.2, 0.05, -1.0]", "min = [-0.2, -0.1, -1.0]", REGION, "is held by constraint 0 already"),
    (
        "position = [0.0, 0.0, 0.05]",
        "position = [0, 0, 0.05]\nrigid = true",
        "[[constraints]]",
        "moves it only in part or for a time",
    ),
    (FIRST, "body = \"plate\"", REGION, "is held by constraint 0 already"),
    (TURNING, "force = [0, 0, 1]\nbody = \"ball\"", REGION, "no particle's centre lies in this region"),
    ("min = [-0.2, 0.05, -1.0]", "min = [-0.2, -0.1, -1.0]", REGION, "can neither be held again nor pushed"),
    ("min = [-0.2, 0.05, -1.0]", "min = [-0.2, -0.1, -1.0]", REGION, "of body \"plate\""),
];

const GLUE_AT: &str = "[output]\nevery = 2";

const BELL: &str = "[\"ball\", \"bell\"]";

const BALLS: &str = "[\"ball\", \"ball\"]";

const BALL: &str = "{ sphere = { radius = 0.03 } }";

const THIN: &str = "{ tube = { radius = 0.1, inner_radius = 0.095, height = 1 } }";

const FIXED: &str = "motion = \"fixed\"";

/// The first constraint's region.
const FIRST: &str = "region = { box = { min = [-0.2, -0.2, -1.0], max = [0.2, -0.05, 1.0] } }";

/// The collider's shape.
const FLOOR: &str = "shape = { half_space = { normal = [0.0, 0.0, 2.0], offset = -0.02 } }";

const TURNING: &str = "motion = { rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 2.0, 0.0], rate = 3.0 } }";

const HALF: &str = "{ half_space = { normal = [0, 0, 1], offset = 0 } }";

const APART: &str = "{ intersection = [{ sphere = { radius = 1 } }, { moved = { shape = { sphere = { radius = 1 } }, position = [3, 0, 0] } }] }";

const FAR: &str = "{ union = [{ sphere = { radius = 0.1 } }, { moved = { shape = { sphere = { radius = 0.1 } }, position = [9, 9, 90] } }] }";

const GONE: &str = "{ difference = [{ sphere = { radius = 0.1 } }, { box = { size = [1, 1, 1] } }] }";

const REGION: &str = "[constraints.region.box]";

/// What an error underlines, read from its excerpt; and that its place says the same line and column.
fn underlined(text: &str, error: &SceneError) -> String {
    let SceneError::Wrong { place, excerpt, .. } = error else { panic!("{error}") };
    let numbers: Vec<usize> = place.split(':').skip(1).map(|n| n.parse().unwrap()).collect();
    let line = text.lines().nth(numbers[0] - 1).unwrap_or("");
    let [_, _, shown, marked] = excerpt.split('\n').collect::<Vec<_>>()[..] else { panic!("{excerpt}") };
    assert!(shown.ends_with(line), "{error}");
    assert_eq!(marked.find('^').unwrap() - marked.find('|').unwrap() - 1, numbers[1], "{error}");
    line.chars().skip(numbers[1] - 1).take(marked.matches('^').count()).collect()
}

fn check(&(from, to, mark, message): &Case, error: impl Fn(&str) -> Option<SceneError>) {
    let text = edited(from, to);
    let error = error(&text).unwrap_or_else(|| panic!("{to} is accepted"));
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(underlined(&text, &error), mark, "{error}");
    assert!(error.to_string().starts_with("scene.toml:"), "{error}");
}

#[test]
fn loading_points_at_what_is_wrong() {
    LOAD.iter().for_each(|case| check(case, |text| parse(text).err()));
}

#[test]
fn building_points_at_what_is_wrong() {
    BUILD.iter().for_each(|case| check(case, |text| parse(text).unwrap().build().err()));
}

#[test]
fn what_is_absent_is_missed_at_the_end() {
    let text = "[scene]\nname = \"x\"\n\n[time]\nframe_rate = 1\nframes = 1\n\n";
    let no_bodies = parse(text).unwrap_err();
    assert!(no_bodies.to_string().starts_with("scene.toml:6:1: the scene has no bodies"), "{no_bodies}");
    let no_time = parse("[scene]\nname = \"x\"\n# the end\n").unwrap_err();
    assert!(no_time.to_string().starts_with("scene.toml:3:1: missing key `time`"), "{no_time}");
    assert!(parse("").unwrap_err().to_string().starts_with("scene.toml:1:1: missing key `scene`"));
}

#[test]
fn an_error_reads_like_this() {
    let error = parse(&edited("particle_radius = 0.005", "particle_radius = -0.005")).unwrap_err();
    let expected = "\
scene.toml:31:19: particle_radius is -0.005, but must be a positive number of metres
   |
31 | particle_radius = -0.005
   |                   ^^^^^^";
    assert_eq!(error.to_string(), expected);
}

/// A mark far along a line has some of the line on both sides.
#[test]
fn a_long_line_is_cut_around_the_mark() {
    const BALL: &str = "{ sphere = { radius = 0.03 } }";
    for (before, after, cut) in
        [(1, 1, [false, false]), (1, 20, [false, true]), (20, 0, [true, false]), (20, 20, [true, true])]
    {
        let [left, right] = [before, after].map(|count| format!("{BALL}, ").repeat(count));
        let wrong = BALL.replace("sphere", "shpere");
        let text = edited(BALL, &format!("{{ union = [{left}{wrong}, {right}] }}"));
        let (number, line) = text.lines().enumerate().find(|(_, line)| line.contains("shpere")).expect("it is there");
        let column = line.find("shpere").expect("it is there") + 1;
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("scene.toml:{}:{column}: unknown name", number + 1)), "{error}");

        let gutter = (number + 1).to_string().len() + " | ".len();
        let [part, mark] = [2, 3].map(|k| &error.lines().nth(k).unwrap_or_else(|| panic!("{error}"))[gutter..]);
        let from = mark.find('^').expect("it has a mark");
        assert_eq!(part[from..].get(..mark.len() - from), Some("shpere"), "{error}");
        assert_eq!([part.starts_with("..."), part.ends_with("...")], cut, "{error}");
        assert!(part.len() <= 160 && (!cut[0] || from > 20), "{} characters: {error}", part.len());
    }
}

#[test]
fn names_leave_room_for_what_follows_them_in_file_names() {
    let named =
        |length: usize| parse(&edited("name = \"plate\"\n\n", &format!("name = \"{}\"\n\n", "a".repeat(length))));
    assert_eq!(named(100).unwrap().name().len(), 100);
    let error = named(101).unwrap_err().to_string();
    assert!(error.contains("must be made of 1 to 100 letters"), "{error}");
}

/// Each pair of them overlaps: in one place there are more pairs than memory.
#[test]
fn bodies_in_one_place_are_told_at_once() {
    let bodies = "[[bodies]]\nname = \"NAME\"\nmaterial = \"ceramic\"\nparticle_radius = 0.01\n\
                  shape = { sphere = { radius = 0.01 } }\nposition = [5, 0, 0]\n";
    let heap: String = (0..20_000).map(|n| bodies.replace("NAME", &format!("ball{n}"))).collect();
    let error = parse(&(PLATE.to_owned() + &heap)).unwrap().build().unwrap_err().to_string();
    assert!(
        error.contains("body \"ball1\" overlaps body \"ball0\": two of their particles do by 2.000e-2 m"),
        "{error}"
    );
}

/// What is near to it is not looked for: that would take gigabytes.
#[test]
fn a_key_as_long_as_a_file_is_unknown() {
    let key = "x".repeat(10_000_000);
    let error = parse(&edited("frames = 120", &format!("{key} = 120"))).unwrap_err().to_string();
    assert!(error.contains("unknown key `xxx") && !error.contains("did you mean"));
}
