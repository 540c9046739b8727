import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cross, dot, normalised, rotate, sub } from '../../../web/src/core/math';
import type { Quat, V3 } from '../../../web/src/core/math';
import { faceNormals, shade, sumNormals } from '../../../web/src/core/normals';
import { meetSurface, nearSegment } from '../../../web/src/core/picking';
import { Gradients, skin, tetsOfWeights } from '../../../web/src/core/skinning';

const cube = (() => {
  const positions: number[] = [];
  for (const x of [0, 1]) for (const y of [0, 1]) for (const z of [0, 1]) positions.push(x, y, z);
  const quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
  const triangles = quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!]);
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
})();

function ball(rings: number): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rings; ++i) {
    for (let j = 0; j < 2 * rings; ++j) {
      const [a, b] = [(Math.PI * i) / rings, (Math.PI * j) / rings];
      positions.push(Math.sin(a) * Math.cos(b), Math.cos(a), -Math.sin(a) * Math.sin(b));
      const next = i * 2 * rings + ((j + 1) % (2 * rings));
      const here = i * 2 * rings + j;
      if (i < rings) triangles.push(here, here + 2 * rings, next, next, here + 2 * rings, next + 2 * rings);
    }
  }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

test('a cube keeps its edges, a ball is round', () => {
  const box = shade(cube.positions, cube.triangles);
  assert.equal(box.source.length, 24);
  for (let i = 0; i < 24; ++i) {
    const n = [...box.normals.slice(3 * i, 3 * i + 3)].map(Math.abs).sort();
    assert.ok(Math.abs(n[2]! - 1) < 1e-6 && n[1]! < 1e-6);
  }
  const round = ball(24);
  const shaded = shade(round.positions, round.triangles);
  let worst = 1;
  for (let i = 0; i < shaded.source.length; ++i) {
    const at = [...round.positions.slice(3 * shaded.source[i]!, 3 * shaded.source[i]! + 3)] as unknown as V3;
    if (Math.abs(at[1]) > 0.99) continue; // triangles without an area at the poles
    const n = [...shaded.normals.slice(3 * i, 3 * i + 3)] as unknown as V3;
    worst = Math.min(worst, dot(n, at));
  }
  assert.ok(worst > 0.999, `the cosine to the true normal is ${worst}`); // 0.9998
});

// A lattice of eight cells of six tets each around the ball, which carries its surface.
function lattice(surface: Float32Array): { index: Uint32Array; weight: Float32Array; rest: Float32Array } {
  const n = 4;
  const low = -1.05;
  const side = 2.1 / n;
  const at = (c: number[]): number => (c[0]! * (n + 1) + c[1]!) * (n + 1) + c[2]!;
  const index: number[] = [];
  const weight: number[] = [];
  for (let v = 0; v < surface.length; v += 3) {
    const f = [0, 1, 2].map((k) => (surface[v + k]! - low) / side);
    const cell = f.map((x) => Math.min(Math.floor(x), n - 1));
    const inside = f.map((x, k) => x - cell[k]!);
    const order = [0, 1, 2].sort((a, b) => inside[b]! - inside[a]!);
    index.push(at(cell));
    for (const k of order) {
      cell[k]! += 1;
      index.push(at(cell));
    }
    const g = order.map((k) => inside[k]!);
    weight.push(1 - g[0]!, g[0]! - g[1]!, g[1]! - g[2]!, g[2]!);
  }
  const rest: number[] = [];
  for (let i = 0; i <= n; ++i) for (let j = 0; j <= n; ++j) for (let k = 0; k <= n; ++k) rest.push(low + i * side, low + j * side, low + k * side);
  return { index: Uint32Array.from(index), weight: Float32Array.from(weight), rest: Float32Array.from(rest) };
}

/** The largest sine between the normals that the shader makes and those of the deformed surface itself. */
function worstNormal(move: (p: V3) => V3): number {
  const round = ball(24);
  const { index, weight, rest } = lattice(round.positions);
  const normals = new Float32Array(round.positions.length);
  sumNormals(faceNormals(round.positions, round.triangles), round.triangles, normals);
  const moved = new Float32Array(rest.length);
  for (let v = 0; v < rest.length; v += 3) moved.set(move([rest[v]!, rest[v + 1]!, rest[v + 2]!]), v);
  const gradients = new Gradients(tetsOfWeights(index, weight), rest);
  const cofactors = new Float32Array(3 * rest.length);
  gradients.update(moved, cofactors);
  const places = skin(index, weight, moved);
  const wanted = new Float32Array(places.length);
  sumNormals(faceNormals(places, round.triangles), round.triangles, wanted);
  let worst = 0;
  for (let i = 0; i < places.length / 3; ++i) {
    if (Math.abs(round.positions[3 * i + 1]!) > 0.98) continue;
    const n0 = normals.slice(3 * i, 3 * i + 3);
    const turned = [0, 0, 0];
    for (let k = 0; k < 4; ++k) {
      const c = cofactors.subarray(9 * index[4 * i + k]!);
      for (let r = 0; r < 3; ++r) turned[r]! += weight[4 * i + k]! * (c[3 * r]! * n0[0]! + c[3 * r + 1]! * n0[1]! + c[3 * r + 2]! * n0[2]!);
    }
    const n = normalised(turned as unknown as V3);
    worst = Math.max(worst, Math.hypot(...cross(n, [...wanted.slice(3 * i, 3 * i + 3)] as unknown as V3)));
  }
  return worst;
}

test('normals of a skin turn and shear with the tets below it', () => {
  const q: Quat = [0.6, 0, 0.36, Math.sqrt(1 - 0.36 - 0.1296)];
  assert.ok(worstNormal((p) => rotate(q, p)) < 1e-3); // 4e-6
  assert.ok(worstNormal((p) => [p[0] * 1.6, p[1] * 0.7, p[2] + 0.5 * p[0]]) < 0.03); // 0.012: the facets of the ball
  const bent = worstNormal((p) => [p[0] * Math.cos(0.4 * p[1]) - p[2] * Math.sin(0.4 * p[1]), p[1], p[0] * Math.sin(0.4 * p[1]) + p[2] * Math.cos(0.4 * p[1])]);
  assert.ok(bent < 0.25, `sine ${bent}`);
});

test('a ray meets the nearest triangle, with weights of its corners', () => {
  const hit = meetSurface({ origin: [0.3, 0.6, 5], direction: [0, 0, -1] }, cube.positions, cube.triangles)!;
  assert.ok(Math.abs(hit.distance - 4) < 1e-9);
  const corners = [0, 1, 2].map((k) => cube.triangles[3 * hit.triangle + k]!);
  const point = [0, 1, 2].map((k) => corners.reduce((s, c, i) => s + hit.weights[i]! * cube.positions[3 * c + k]!, 0)) as unknown as V3;
  assert.ok(Math.hypot(...sub(point, [0.3, 0.6, 1])) < 1e-6);
  assert.equal(meetSurface({ origin: [3, 0, 5], direction: [0, 0, -1] }, cube.positions, cube.triangles), undefined);
  assert.equal(meetSurface({ origin: [0.3, 0.6, 5], direction: [0, 0, -1] }, cube.positions, cube.triangles, 3.9), undefined);
});

test('a ray passes a segment at its nearest point', () => {
  const near = nearSegment({ origin: [0.25, 0.1, 5], direction: [0, 0, -1] }, [0, 0, 0], [1, 0, 0]);
  assert.ok(Math.abs(near.apart - 0.1) < 1e-9);
  assert.ok(Math.abs(near.at - 0.25) < 1e-9);
  assert.ok(Math.abs(near.distance - 5) < 1e-9);
});
