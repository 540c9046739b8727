// A soft body is sent as its tet vertices and, once, as the weights with which they carry its surface. The surface is put
// together on the graphics card: vertex i is Σ wₖ xₖ. Its normal turns with the gradient of the motion F: n ~ cof F · n₀.
// The cofactors of the tets are averaged at their vertices, weighted by volume, and interpolated with the same weights, so
// that light runs smoothly over the borders of tets. What is computed here for each frame grows with the number of tets at
// the surface, and not with the number of triangles.

/** The surface in its present shape: four vertices and weights for each of its points. */
export function skin(index: Uint32Array, weight: Float32Array, vertices: ArrayLike<number>): Float32Array {
  const count = index.length / 4;
  const points = new Float32Array(3 * count);
  for (let i = 0; i < count; ++i) {
    for (let k = 4 * i; k < 4 * i + 4; ++k) {
      const v = 3 * index[k]!;
      const w = weight[k]!;
      if (w === 0) continue;
      points[3 * i] = points[3 * i]! + w * vertices[v]!;
      points[3 * i + 1] = points[3 * i + 1]! + w * vertices[v + 1]!;
      points[3 * i + 2] = points[3 * i + 2]! + w * vertices[v + 2]!;
    }
  }
  return points;
}

/** The tets that carry the surface, each once: four vertices that together carry a point. */
export function tetsOfWeights(index: Uint32Array, weight: Float32Array): Uint32Array {
  const seen = new Set<string>();
  const tets: number[] = [];
  for (let i = 0; i + 3 < index.length; i += 4) {
    if (weight[i] === 0 || weight[i + 1] === 0 || weight[i + 2] === 0 || weight[i + 3] === 0) continue;
    const tet = [index[i]!, index[i + 1]!, index[i + 2]!, index[i + 3]!].sort((a, b) => a - b);
    const key = tet.join();
    if (seen.has(key)) continue;
    seen.add(key);
    tets.push(...tet);
  }
  return Uint32Array.from(tets);
}

/** The tets of a body at rest, and from them the cofactors of its motion and its strain. */
export class Gradients {
  /** Inverse of the rest edges of each tet, row by row, and its volume. */
  private readonly inverse: Float32Array;
  private readonly volume: Float32Array;

  constructor(
    private readonly tets: Uint32Array,
    rest: ArrayLike<number>,
  ) {
    const count = tets.length / 4;
    this.inverse = new Float32Array(9 * count);
    this.volume = new Float32Array(count);
    const e = new Float64Array(9);
    for (let t = 0; t < count; ++t) {
      edgesOf(tets, t, rest, e);
      const c = cofactor(e);
      const det = e[0]! * c[0]! + e[1]! * c[1]! + e[2]! * c[2]!;
      this.volume[t] = Math.abs(det) / 6;
      const scale = Math.abs(det) > 1e-30 ? 1 / det : 0;
      // The inverse is the transposed cofactor over the determinant.
      for (let r = 0; r < 3; ++r) for (let k = 0; k < 3; ++k) this.inverse[9 * t + 3 * r + k] = c[3 * k + r]! * scale;
    }
  }

  /** At each vertex the mean of cof F of its tets, weighted by volume: nine numbers row by row. Others get zeros. */
  update(vertices: ArrayLike<number>, cofactors: Float32Array): void {
    cofactors.fill(0);
    const e = new Float64Array(9);
    const f = new Float64Array(9);
    for (let t = 0; t < this.volume.length; ++t) {
      edgesOf(this.tets, t, vertices, e);
      for (let r = 0; r < 3; ++r) {
        for (let k = 0; k < 3; ++k) {
          let sum = 0;
          for (let j = 0; j < 3; ++j) sum += e[3 * r + j]! * this.inverse[9 * t + 3 * j + k]!;
          f[3 * r + k] = sum;
        }
      }
      const c = cofactor(f);
      const volume = this.volume[t]!;
      for (let k = 0; k < 4; ++k) {
        const v = 9 * this.tets[4 * t + k]!;
        for (let i = 0; i < 9; ++i) cofactors[v + i] = cofactors[v + i]! + volume * c[i]!;
      }
    }
    normaliseRows(cofactors);
  }
}

/** Only directions matter, and volumes may be tiny: each vertex's nine numbers get the length of a rotation's, √3. */
function normaliseRows(cofactors: Float32Array): void {
  for (let v = 0; v < cofactors.length; v += 9) {
    let sum = 0;
    for (let i = 0; i < 9; ++i) sum += cofactors[v + i]! ** 2;
    const scale = sum > 0 ? Math.sqrt(3 / sum) : 0;
    for (let i = 0; i < 9; ++i) cofactors[v + i] = cofactors[v + i]! * scale;
  }
}

/** Columns x₁ − x₀, x₂ − x₀, x₃ − x₀ of a tet, as a matrix row by row. */
function edgesOf(tets: Uint32Array, t: number, x: ArrayLike<number>, out: Float64Array): Float64Array {
  const a = 3 * tets[4 * t]!;
  for (let k = 0; k < 3; ++k) {
    const b = 3 * tets[4 * t + k + 1]!;
    for (let r = 0; r < 3; ++r) out[3 * r + k] = x[b + r]! - x[a + r]!;
  }
  return out;
}

function cofactor(m: Float64Array): Float64Array {
  const c = new Float64Array(9);
  c[0] = m[4]! * m[8]! - m[5]! * m[7]!;
  c[1] = m[5]! * m[6]! - m[3]! * m[8]!;
  c[2] = m[3]! * m[7]! - m[4]! * m[6]!;
  c[3] = m[2]! * m[7]! - m[1]! * m[8]!;
  c[4] = m[0]! * m[8]! - m[2]! * m[6]!;
  c[5] = m[1]! * m[6]! - m[0]! * m[7]!;
  c[6] = m[1]! * m[5]! - m[2]! * m[4]!;
  c[7] = m[2]! * m[3]! - m[0]! * m[5]!;
  c[8] = m[0]! * m[4]! - m[1]! * m[3]!;
  return c;
}
