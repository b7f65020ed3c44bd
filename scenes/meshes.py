#!/usr/bin/env python3
"""Meshes of the scenes of springs, written beside this file.

    python3 scenes/meshes.py

Lengths are in metres, z is up. Closed meshes have their triangles counterclockwise as seen from outside.
"""

import math
from pathlib import Path


def write(name, points, triangles):
    """Writes an OBJ file, positions to a hundredth of a millimetre."""
    lines = [f"# {name}: {len(points)} vertices, made by meshes.py\n"]
    lines += [f"v {x:.5f} {y:.5f} {z:.5f}\n" for x, y, z in points]
    lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles]
    Path(__file__).with_name(name).write_text("".join(lines))


def balloon(radius, divisions):
    """Icosahedron whose triangles are divided into four, each time onto the sphere."""
    golden = (1 + math.sqrt(5)) / 2
    points = [(-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0)]
    points += [(z, x, y) for x, y, z in points] + [(y, z, x) for x, y, z in points]
    triangles = hull(points)
    for _ in range(divisions):
        middles = {}

        def middle(a, b):
            key = min(a, b), max(a, b)
            if key not in middles:
                middles[key] = len(points)
                points.append(tuple((p + q) / 2 for p, q in zip(onto(points[a], 1), onto(points[b], 1))))
            return middles[key]

        divided = []
        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            divided += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = divided
    return [onto(point, radius) for point in points], triangles


def onto(point, radius):
    """The point moved onto a sphere about the origin."""
    scale = radius / math.hypot(*point)
    return tuple(scale * x for x in point)


def hull(points):
    """Triangles of an icosahedron of edge 2: all that join three neighbours, counterclockwise from outside."""
    near = lambda a, b: math.dist(points[a], points[b]) < 2.1
    triples = [(a, b, c) for a in range(12) for b in range(a) for c in range(b) if near(a, b) and near(b, c) and near(a, c)]
    return [t if volume(*(points[i] for i in t)) > 0 else (t[0], t[2], t[1]) for t in triples]


def volume(a, b, c):
    """Six times the volume of the tetrahedron of the origin and three points."""
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def octopus(arms=8, columns=5, sections=18):
    """Head and arms as one closed mesh: each arm takes `columns` edges of the head's two lowest rings."""
    around = arms * columns
    angles = [math.radians(9 * k + 3) for k in range(2, 15)]
    profile = [(0.108 * math.sin(a), 0.185 + 0.13 * math.cos(a)) for a in angles]
    profile += [(0.082, 0.088), (0.084, 0.070), (0.084, 0.052), (0.066, 0.018)]  # radius and height; the last two hold the arms
    points = []
    for radius, height in profile:
        turns = (math.tau * (k - columns / 2) / around for k in range(around))
        points += [(radius * math.cos(a), radius * math.sin(a), height) for a in turns]
    last = len(profile) - 1

    def ring(level, k):
        return level * around + k % around

    triangles = []
    cap(points, triangles, [ring(0, -k) for k in range(around)], lambda r: 0.185 + 0.13 * math.sqrt(1 - (r / 0.108) ** 2))
    for level in range(last - 1):
        for k in range(around):
            triangles += quad(ring(level, k), ring(level + 1, k), ring(level + 1, k + 1), ring(level, k + 1))
    cap(points, triangles, [ring(last, k) for k in range(around)], lambda r: 0.034 - 0.016 * r / 0.066)
    for arm in range(arms):
        base = [ring(last - 1, arm * columns + k) for k in range(columns + 1)]
        base += [ring(last, arm * columns + k) for k in range(columns, -1, -1)]
        limb(points, triangles, base, math.tau * arm / arms, sections)
    return points, triangles


def quad(a, b, c, d):
    """Two triangles."""
    return [(a, b, c), (a, c, d)]


def cap(points, triangles, rim, height):
    """Closes a loop about z by two rings, each of half as many vertices, and a middle; `height` is that of a radius."""
    radius = math.hypot(*points[rim[0]][:2])
    for share in (0.7, 0.35):
        inner = range(len(points), len(points) + len(rim) // 2)
        for i in rim[::2]:
            angle = math.atan2(points[i][1], points[i][0])
            points.append((share * radius * math.cos(angle), share * radius * math.sin(angle), height(share * radius)))
        for k, a in enumerate(inner):
            b, left, middle, right = inner[(k + 1) % len(inner)], rim[2 * k], rim[2 * k + 1], rim[(2 * k + 2) % len(rim)]
            triangles += [(middle, left, a), (a, b, middle), (b, right, middle)]
        rim = list(inner)
    points.append((0.0, 0.0, height(0.0)))
    triangles += [(b, a, len(points) - 1) for a, b in zip(rim, rim[1:] + rim[:1])]


def limb(points, triangles, base, angle, sections):
    """Arm from the loop `base` outward at an angle about z, in rings that turn into circles and shrink, to its tip."""
    outward, side = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))
    # the loop in the arm's own directions: outward, to the side, up
    loop = [[sum(p * q for p, q in zip(points[i], d)) for d in (outward, side)] + [points[i][2]] for i in base]
    before = base
    for section in range(1, sections + 1):
        t = section / (sections + 1)
        round_, width = min(1.0, 3.0 * t), 0.026 - 0.017 * t
        along, height, slope = middle_line(t)
        ring = []
        for k, (out, across, up) in enumerate(loop):
            turn = math.pi - math.tau * (k + 0.5) / len(loop)
            s, u = width * math.cos(turn), width * math.sin(turn)
            circle = (along - u * math.sin(slope), s, height + u * math.cos(slope))
            pushed = (out + along - middle_line(0)[0], across, up + height - middle_line(0)[1])
            out, across, up = (round_ * p + (1 - round_) * q for p, q in zip(circle, pushed))
            ring.append(len(points))
            points.append((out * outward[0] + across * side[0], out * outward[1] + across * side[1], up))
        for k in range(len(ring)):
            after = (k + 1) % len(ring)
            corners = [before[k], ring[k], ring[after], before[after]]
            mirrored = (k + section) % 2            # diagonals of one direction alone would twist the arm
            triangles += quad(*corners[mirrored:], *corners[:mirrored])
        before = ring
    along, height, _ = middle_line(1 - 0.5 / (sections + 1))
    points.append((along * outward[0], along * outward[1], height))
    triangles += [(before[k], len(points) - 1, before[(k + 1) % len(before)]) for k in range(len(before))]


def middle_line(t):
    """Distance from the axis, height and slope (rad) of an arm, t from 0 at its root to 1 at its tip."""
    along, height = 0.075 + 0.33 * t, 0.034 - 0.05 * math.sin(math.pi * t) + 0.04 * t * t
    return along, height, math.atan((-0.05 * math.pi * math.cos(math.pi * t) + 0.08 * t) / 0.33)


def tshirt(edge=0.0143):
    """Front and back of a shirt, sewn at shoulders, sides and below the sleeves; open at neck, hem and cuffs."""
    half, cuff, armpit, top, neck = 14, 24, 31, 44, 6       # in edges, from the middle and from the hem
    points, triangles, numbers = [], [], {}

    def place(i, j):
        """Across, up, and half of the depth."""
        slope = 0.12 * max(0, abs(i) - neck) + 0.3 * max(0, abs(i) - half)
        sleeve = max(0.0, (j - armpit) / (top - armpit))            # 0 below it, 1 at the shoulder
        body = 3.1 * math.sqrt(max(0.0, 1.0 - (i / half) ** 2)) * math.cos(math.pi / 2 * sleeve)
        depth = max(body, 2.2 * math.sin(math.pi * sleeve))
        return edge * i, edge * (j - slope * (1.0 if abs(i) > half else sleeve)), edge * depth

    def vertex(side, i, j):
        sewn = j == top and abs(i) >= neck or abs(i) == half and j <= armpit or j == armpit and abs(i) >= half
        key = (0 if sewn else side, i, j)
        if key not in numbers:
            x, z, depth = place(i, j)
            numbers[key] = len(points)
            points.append((x, 0.0 if sewn else side * depth, z))
        return numbers[key]

    def cloth(side, i, j):
        """Whether the cell to the right of and above a vertex is there."""
        middle = abs(i + 0.5)
        cut = (6 if side < 0 else 3) - max(0.0, middle - neck + 3)      # of the neck, deeper in front
        return middle < (half if j < armpit else cuff) and not (middle < neck and j >= top - cut)

    for side in (-1, 1):
        for i in range(-cuff, cuff):
            for j in range(top):
                if cloth(side, i, j):
                    corners = [vertex(side, *at) for at in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
                    corners = corners if side < 0 else corners[::-1]
                    turned = (i + j) % 2
                    triangles += quad(*corners[turned:], *corners[:turned])
    return points, triangles


if __name__ == "__main__":
    write("balloon.obj", *balloon(0.040, 3))
    write("octopus.obj", *octopus())
    write("tshirt.obj", *tshirt())
