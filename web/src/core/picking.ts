import { add, cross, dot, scale, sub } from './math';
import type { V3 } from './math';

// Which point of a surface a ray meets first, front or back.

export interface Ray {
  origin: V3;
  direction: V3;
}

export interface Hit {
  distance: number;
  triangle: number;
  /** Barycentric, of the corners of the triangle. */
  weights: V3;
}

/** Möller and Trumbore (1997), over all triangles nearer than `limit`. */
export function meetSurface(ray: Ray, positions: ArrayLike<number>, triangles: ArrayLike<number>, limit = Infinity): Hit | undefined {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best: Hit | undefined;
  let nearest = limit;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t]!;
    const b = 3 * triangles[t + 1]!;
    const c = 3 * triangles[t + 2]!;
    const e1x = positions[b]! - positions[a]!;
    const e1y = positions[b + 1]! - positions[a + 1]!;
    const e1z = positions[b + 2]! - positions[a + 2]!;
    const e2x = positions[c]! - positions[a]!;
    const e2y = positions[c + 1]! - positions[a + 1]!;
    const e2z = positions[c + 2]! - positions[a + 2]!;
    const px = dy * e2z - dz * e2y;
    const py = dz * e2x - dx * e2z;
    const pz = dx * e2y - dy * e2x;
    const det = e1x * px + e1y * py + e1z * pz;
    if (Math.abs(det) < 1e-30) continue;
    const sx = ox - positions[a]!;
    const sy = oy - positions[a + 1]!;
    const sz = oz - positions[a + 2]!;
    const u = (sx * px + sy * py + sz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const v = (dx * qx + dy * qy + dz * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const distance = (e2x * qx + e2y * qy + e2z * qz) / det;
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    best = { distance, triangle: t / 3, weights: [1 - u - v, u, v] };
  }
  return best;
}

/** Whether a ray comes into a ball. */
export function meetsBall(ray: Ray, centre: V3, radius: number): boolean {
  const to = sub(centre, ray.origin);
  const along = dot(to, ray.direction);
  const length = dot(ray.direction, ray.direction);
  if (along < 0 && dot(to, to) > radius * radius) return false;
  const near = sub(to, scale(ray.direction, along / length));
  return dot(near, near) <= radius * radius;
}

/** How far along a ray a plane is; undefined where it leads away from it. */
export function meetPlane(ray: Ray, point: V3, normal: V3): number | undefined {
  const slope = dot(ray.direction, normal);
  if (Math.abs(slope) < 1e-12) return undefined;
  const distance = dot(sub(point, ray.origin), normal) / slope;
  return distance > 0 ? distance : undefined;
}

export const along = (ray: Ray, distance: number): V3 => add(ray.origin, scale(ray.direction, distance));

/** The point of the segment from a to b nearest to a ray, and how far apart they are. */
export function nearSegment(ray: Ray, a: V3, b: V3): { distance: number; apart: number; at: number } {
  const u = sub(b, a);
  const w = sub(ray.origin, a);
  const uu = dot(u, u);
  const ud = dot(u, ray.direction);
  const dd = dot(ray.direction, ray.direction);
  const n = cross(u, ray.direction);
  const nn = dot(n, n);
  let at = uu > 0 ? (nn > 1e-20 * uu * dd ? (dot(u, w) * dd - ud * dot(ray.direction, w)) / nn : 0) : 0;
  at = Math.min(1, Math.max(0, at));
  const place = add(a, scale(u, at));
  const distance = Math.max(0, dot(sub(place, ray.origin), ray.direction) / dd);
  const off = sub(place, along(ray, distance));
  return { distance, apart: Math.sqrt(dot(off, off)), at };
}
