// Smooth normals for surfaces: corners of triangles that meet at an edge which bends by less than a limit share one
// normal, all others have their own, so that a box keeps its edges and a bear is round (as in `plush render`).

export interface Shaded {
  /** For each vertex to draw: which vertex of the surface it is. */
  source: Uint32Array;
  normals: Float32Array;
  triangles: Uint32Array;
}

const creaseCosine = Math.cos((40 * Math.PI) / 180);

/** Normals of triangles, not normalised: as long as twice the area. */
export function faceNormals(positions: ArrayLike<number>, triangles: ArrayLike<number>): Float32Array {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t]!;
    const b = 3 * triangles[t + 1]!;
    const c = 3 * triangles[t + 2]!;
    const ux = positions[b]! - positions[a]!;
    const uy = positions[b + 1]! - positions[a + 1]!;
    const uz = positions[b + 2]! - positions[a + 2]!;
    const vx = positions[c]! - positions[a]!;
    const vy = positions[c + 1]! - positions[a + 1]!;
    const vz = positions[c + 2]! - positions[a + 2]!;
    out[t] = uy * vz - uz * vy;
    out[t + 1] = uz * vx - ux * vz;
    out[t + 2] = ux * vy - uy * vx;
  }
  return out;
}

/** Adds up the normals of faces at the vertices that draw them, and normalises. */
export function sumNormals(faces: Float32Array, triangles: ArrayLike<number>, normals: Float32Array): void {
  normals.fill(0);
  for (let t = 0; t < triangles.length; ++t) {
    const v = 3 * triangles[t]!;
    const f = t - (t % 3);
    normals[v] = normals[v]! + faces[f]!;
    normals[v + 1] = normals[v + 1]! + faces[f + 1]!;
    normals[v + 2] = normals[v + 2]! + faces[f + 2]!;
  }
  for (let v = 0; v < normals.length; v += 3) {
    const n = Math.hypot(normals[v]!, normals[v + 1]!, normals[v + 2]!) || 1;
    normals[v] = normals[v]! / n;
    normals[v + 1] = normals[v + 1]! / n;
    normals[v + 2] = normals[v + 2]! / n;
  }
}

/** Splits the vertices of a surface where it has an edge, and gives each a normal. */
export function shade(positions: ArrayLike<number>, triangles: ArrayLike<number>): Shaded {
  const count = positions.length / 3;
  const faces = faceNormals(positions, triangles);
  const unit = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const n = Math.hypot(faces[f]!, faces[f + 1]!, faces[f + 2]!) || 1;
    for (let k = 0; k < 3; ++k) unit[f + k] = faces[f + k]! / n;
  }
  // The corners at each vertex, one after the other.
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < triangles.length; ++i) first[triangles[i]! + 1] = first[triangles[i]! + 1]! + 1;
  for (let v = 0; v < count; ++v) first[v + 1] = first[v + 1]! + first[v]!;
  const corners = new Uint32Array(triangles.length);
  const fill = first.slice(0, count);
  for (let i = 0; i < triangles.length; ++i) {
    const v = triangles[i]!;
    corners[fill[v]!] = i;
    fill[v] = fill[v]! + 1;
  }

  const source: number[] = [];
  const out = new Uint32Array(triangles.length);
  const owner: number[] = [];
  for (let v = 0; v < count; ++v) {
    const from = first[v]!;
    const to = first[v + 1]!;
    // Corners whose faces bend little join one group; a group is led by the face that started it.
    const groups: number[] = [];
    const leaders: number[] = [];
    for (let k = from; k < to; ++k) {
      const corner = corners[k]!;
      const f = corner - (corner % 3);
      let group = -1;
      for (let g = 0; g < groups.length && group < 0; ++g) {
        const l = leaders[g]!;
        const cosine = unit[f]! * unit[l]! + unit[f + 1]! * unit[l + 1]! + unit[f + 2]! * unit[l + 2]!;
        if (cosine > creaseCosine) group = groups[g]!;
      }
      if (group < 0) {
        group = source.length;
        groups.push(group);
        leaders.push(f);
        source.push(v);
        owner.push(f);
      }
      out[corner] = group;
    }
  }
  const normals = new Float32Array(3 * source.length);
  sumNormals(faces, out, normals);
  return { source: Uint32Array.from(source), normals, triangles: out };
}
