// Vectors of three numbers, quaternions (x, y, z, w) and the few functions that the page needs beside three.js. Plain
// arrays: they are cheap at the counts that occur here, and the tests need no browser.

export type V3 = readonly [number, number, number];
export type Quat = readonly [number, number, number, number];

export const add = (a: V3, b: V3): V3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: V3, b: V3): V3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: V3, s: number): V3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: V3, b: V3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: V3, b: V3): V3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const norm = (a: V3): number => Math.hypot(a[0], a[1], a[2]);
export const mix = (a: V3, b: V3, t: number): V3 => add(scale(a, 1 - t), scale(b, t));
export const isFinite3 = (a: V3): boolean => a.every(Number.isFinite);

export function normalised(a: V3, otherwise: V3 = [0, 1, 0]): V3 {
  const n = norm(a);
  return n > 1e-30 ? scale(a, 1 / n) : otherwise;
}

/** A unit vector at a right angle to `a`. */
export function perpendicular(a: V3): V3 {
  const [x, y, z] = [Math.abs(a[0]), Math.abs(a[1]), Math.abs(a[2])];
  const other: V3 = x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1];
  return normalised(cross(a, other));
}

export function rotate(q: Quat, v: V3): V3 {
  const u: V3 = [q[0], q[1], q[2]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[3])), cross(u, t));
}

export const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

export interface Box {
  low: V3;
  high: V3;
}
export const emptyBox = (): Box => ({
  low: [Infinity, Infinity, Infinity],
  high: [-Infinity, -Infinity, -Infinity],
});
export const isEmptyBox = (b: Box): boolean => !(b.low[0] <= b.high[0]);

export function grown(b: Box, p: V3): Box {
  return {
    low: [Math.min(b.low[0], p[0]), Math.min(b.low[1], p[1]), Math.min(b.low[2], p[2])],
    high: [Math.max(b.high[0], p[0]), Math.max(b.high[1], p[1]), Math.max(b.high[2], p[2])],
  };
}
export const united = (a: Box, b: Box): Box => (isEmptyBox(b) ? a : grown(grown(a, b.low), b.high));
export const centreOf = (b: Box): V3 => scale(add(b.low, b.high), 0.5);
export const sizeOf = (b: Box): V3 => sub(b.high, b.low);

/** The box around points, x y z one after the other; places that are no numbers are left out. */
export function boxOf(points: ArrayLike<number>, from = 0, to = points.length): Box {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = from; i + 2 < to; i += 3) {
    if (!Number.isFinite(points[i]! + points[i + 1]! + points[i + 2]!)) continue;
    for (let k = 0; k < 3; ++k) {
      low[k] = Math.min(low[k]!, points[i + k]!);
      high[k] = Math.max(high[k]!, points[i + k]!);
    }
  }
  return { low, high };
}

export function cornersOf(b: Box): V3[] {
  const out: V3[] = [];
  for (let i = 0; i < 8; ++i) {
    out.push([i & 1 ? b.high[0] : b.low[0], i & 2 ? b.high[1] : b.low[1], i & 4 ? b.high[2] : b.low[2]]);
  }
  return out;
}

/** 1, 2 or 5 times a power of ten, at most `value`. */
export function roundNumberBelow(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const ten = 10 ** Math.floor(Math.log10(value));
  const lead = (value / ten) * (1 + 1e-12);
  return ten * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/** The value below which the given part of all values lies. */
export function quantile(values: number[], part: number): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))]!;
}
