import { add, centreOf, cornersOf, cross, dot, grown, emptyBox, norm, normalised, perpendicular, scale, sizeOf, sub, quantile, united, isEmptyBox } from './math';
import type { Box, V3 } from './math';

// Where the camera stands at first: as near as it can be while all that moves is in the picture, as in `plush render`
// (src/render/camera.cpp). Fitting a pyramid of view around points is four half-space conditions. With right r, forward f and
// horizontal half angle a, the left wall's inward normal is n = cos a · r + sin a · f, and all points p are inside it when
// n·c ≤ min n·p for the camera's place c.

export interface Extent {
  box: Box;
  moves: boolean;
}

export interface View {
  position: V3;
  target: V3;
}

export interface Subject {
  corners: V3[];
  centre: V3;
  radius: number;
}

/** Degrees; high enough to look into a bowl. */
const usualAzimuth = 35;
const usualElevation = 32;
/** Of the half angle: what stays free at the borders. */
const margin = 0.86;
const degree = Math.PI / 180;

/** Those that move and are not far from the rest (eight times as far as three quarters are), and the fixed ones among them. */
export function findSubject(extents: readonly Extent[]): Subject {
  const moving = extents.filter((e) => e.moves && !isEmptyBox(e.box));
  const middle: V3 = [0, 1, 2].map((k) => quantile(moving.map((e) => centreOf(e.box)[k]!), 0.5)) as unknown as V3;
  const reach = moving.map((e) => norm(sub(centreOf(e.box), middle)) + 0.5 * norm(sizeOf(e.box)));
  const limit = 8 * quantile(reach, 0.75);
  const kept = moving.filter((_, i) => reach[i]! <= limit).map((e) => e.box);
  let box = kept.reduce(united, emptyBox());
  const size = isEmptyBox(box) ? Infinity : norm(sizeOf(box));
  const around: Box = { low: sub(box.low, [size, size, size]), high: add(box.high, [size, size, size]) };
  for (const e of extents) {
    if (e.moves || isEmptyBox(e.box)) continue;
    // A bowl belongs to the picture, a landscape does not.
    const near = [0, 1, 2].every((k) => e.box.low[k]! <= around.high[k]! && e.box.high[k]! >= around.low[k]!);
    if (kept.length > 0 && (norm(sizeOf(e.box)) > 4 * size || !near)) continue;
    kept.push(e.box);
    box = united(box, e.box);
  }
  if (kept.length === 0) {
    box = { low: [-0.5, 0, -0.5], high: [0.5, 1, 0.5] };
    kept.push(box);
  }
  return {
    corners: kept.flatMap(cornersOf),
    centre: centreOf(box),
    radius: Math.max(0.5 * norm(sizeOf(box)), 1e-6),
  };
}

/** Level directions: azimuth 0 is the z axis as far as it is level; with y up, from z towards x. */
export function levelAxes(up: V3): { z: V3; x: V3 } {
  const any: V3 = Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [0, -1, 0];
  const z = normalised(sub(any, scale(up, dot(any, up))));
  return { z, x: cross(up, z) };
}

export function backwards(up: V3, azimuth: number, elevation: number): V3 {
  const { z, x } = levelAxes(up);
  const level = add(scale(z, Math.cos(azimuth * degree)), scale(x, Math.sin(azimuth * degree)));
  return add(scale(level, Math.cos(elevation * degree)), scale(up, Math.sin(elevation * degree)));
}

export interface Angles {
  azimuth?: number;
  elevation?: number;
}

/** A slope is looked at from its side, and goes down to the right. `normal` is that of a plane; level ones and walls are none. */
export function slopeAngles(normal: V3, up: V3): Angles | undefined {
  const level = dot(normal, up);
  if (level > 0.996 || level < 0.3) return undefined; // 5° and 73°
  const downhill = normalised(sub(normal, scale(up, level)));
  const { z, x } = levelAxes(up);
  return { azimuth: Math.atan2(dot(downhill, x), dot(downhill, z)) / degree - 68, elevation: 12 };
}

/** For a vertical field of view in degrees and an aspect (width over height). */
export function fitView(subject: Subject, up: V3, fov: number, aspect: number, angles: Angles = {}): View {
  const back = backwards(up, angles.azimuth ?? usualAzimuth, angles.elevation ?? usualElevation);
  const forward = scale(back, -1);
  const across = cross(forward, up);
  const right = norm(across) > 1e-9 ? normalised(across) : perpendicular(forward);
  const upward = cross(right, forward);
  const halfV = 0.5 * fov * degree;
  const halfH = Math.atan(Math.tan(halfV) * aspect);
  const pair = (side: V3, half: number): { at: number; ahead: number } => {
    const one = add(scale(side, Math.cos(half)), scale(forward, Math.sin(half)));
    const two = add(scale(side, -Math.cos(half)), scale(forward, Math.sin(half)));
    let lowOne = Infinity;
    let lowTwo = Infinity;
    for (const p of subject.corners) {
      lowOne = Math.min(lowOne, dot(one, p));
      lowTwo = Math.min(lowTwo, dot(two, p));
    }
    return { at: (lowOne - lowTwo) / (2 * Math.cos(half)), ahead: (lowOne + lowTwo) / (2 * Math.sin(half)) };
  };
  const horizontal = pair(right, halfH * margin);
  const vertical = pair(upward, halfV * margin);
  const position = add(
    add(scale(right, horizontal.at), scale(upward, vertical.at)),
    scale(forward, Math.min(horizontal.ahead, vertical.ahead)),
  );
  const distance = Math.max(dot(sub(position, subject.centre), back), 1e-3 * subject.radius);
  return { position, target: sub(position, scale(back, distance)) };
}

/** An orbit around a target: angles in radians, kept away from the poles. */
export class Orbit {
  azimuth = 0;
  elevation = 0;
  distance = 1;
  target: V3 = [0, 0, 0];

  constructor(public up: V3 = [0, 1, 0]) {}

  look(view: View): void {
    const arm = sub(view.position, view.target);
    const { z, x } = levelAxes(this.up);
    this.distance = Math.max(norm(arm), 1e-9);
    this.target = view.target;
    const height = dot(arm, this.up) / this.distance;
    this.elevation = Math.asin(Math.min(1, Math.max(-1, height)));
    this.azimuth = Math.atan2(dot(arm, x), dot(arm, z));
  }

  back(): V3 {
    return backwards(this.up, this.azimuth / degree, this.elevation / degree);
  }

  position(): V3 {
    return add(this.target, scale(this.back(), this.distance));
  }

  /** By angles; the pole is never crossed. */
  turn(dAzimuth: number, dElevation: number): void {
    const limit = 89 * degree;
    this.azimuth += dAzimuth;
    this.elevation = Math.min(limit, Math.max(-limit, this.elevation + dElevation));
  }

  /** By parts of the picture's height, with this vertical field of view in degrees. */
  pan(dx: number, dy: number, fov: number): void {
    const back = this.back();
    const right = normalised(cross(this.up, back));
    const upward = cross(back, right);
    const metres = 2 * this.distance * Math.tan(0.5 * fov * degree);
    this.target = add(this.target, add(scale(right, -dx * metres), scale(upward, dy * metres)));
  }

  zoom(factor: number): void {
    this.distance = Math.min(Math.max(this.distance * factor, 1e-6), 1e9);
  }
}

export const boxAround = (points: readonly V3[]): Box => points.reduce(grown, emptyBox());
