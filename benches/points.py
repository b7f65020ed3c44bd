"""Points of the benches of charges, the same for every program."""

import numpy as np

SEED = 43


def mix(x):
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def points(n):
    """The uniform numbers of crates/core/src/geometry/keyed.rs."""
    with np.errstate(over="ignore"):
        bits = mix(mix(np.array([SEED], np.uint64)) + np.arange(3 * n, dtype=np.uint64))
    return (((bits >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53).reshape(n, 3)
