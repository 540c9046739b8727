import { normalised, rotate } from './math';
import type { Quat, V3 } from './math';

// The colours of `plush render` (src/render/palette.cpp): those of Okabe and Ito, a little greyer, that people without red
// or green cones tell apart too. In linear light, as three.js takes them.

const linearOf = (byte: number): number => {
  const s = byte / 255;
  return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
};
export const colourOf = (rgb: number): V3 => [
  linearOf((rgb >> 16) & 255),
  linearOf((rgb >> 8) & 255),
  linearOf(rgb & 255),
];
const encoded = (linear: number): number =>
  Math.round(255 * Math.min(1, linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055));
/** As CSS writes it. */
export const cssOf = (c: V3): string => `rgb(${encoded(c[0])}, ${encoded(c[1])}, ${encoded(c[2])})`;

export const hues = {
  ground: 0xcfc8be,
  china: 0xd3dbe0,
  ink: 0x2b2f36,
  stick: 0x0072b2,
  slip: 0xd55e00,
  gap: 0x8c8c8c,
  friction: 0xf0b000,
  torque: 0x009e73,
} as const;

const okabeIto = [0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7];
const greyness = 0.12;
/** After the seven colours come the same seven, lighter; then darker; then other shades of them. */
const rounds = [0, 0.28, -0.45];
/** Neighbours of one kind differ this much in lightness. */
const shades = [0, 0.07, -0.16, 0.13];
/** Kinds are worth a colour each where there are some, and not too many to tell apart. */
const fewestKinds = 3;
const mostKinds = 14;

const luminance = (c: V3): number => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
const mixed = (c: V3, to: number, part: number): V3 => [
  c[0] + (to - c[0]) * part,
  c[1] + (to - c[1]) * part,
  c[2] + (to - c[2]) * part,
];
const lighter = (c: V3, by: number): V3 =>
  by >= 0 ? mixed(c, 1, by) : [c[0] * (1 + by), c[1] * (1 + by), c[2] * (1 + by)];

const fraction = (x: number): number => x - Math.floor(x);

/** Turned about the grey axis of RGB: another hue, about as light. */
function otherHue(c: V3, degrees: number): V3 {
  const half = (degrees * Math.PI) / 360;
  const [x, y, z] = normalised([1, 1, 1]);
  const turn: Quat = [x * Math.sin(half), y * Math.sin(half), z * Math.sin(half), Math.cos(half)];
  return rotate(turn, c).map((v) => Math.min(Math.max(v, 0), 1)) as unknown as V3;
}

/** The n-th of the bodies whose kind has this colour; after the first few, hue and lightness spread evenly, so that no two are the same. */
function shadeOf(kind: V3, n: number): V3 {
  if (n < shades.length) return lighter(kind, shades[n]!);
  return lighter(otherHue(kind, 36 * (fraction(0.7548776662466927 * n) - 0.5)), 0.6 * fraction(0.618033988749895 * n) - 0.35);
}

/** The k-th colour for bodies. */
export function bodyColour(k: number): V3 {
  const pure = colourOf(okabeIto[k % 7]!);
  const soft = mixed(pure, luminance(pure), greyness);
  const round = Math.floor(k / 7);
  return round < rounds.length ? lighter(soft, rounds[round]!) : shadeOf(soft, round + 1);
}

export interface Painted {
  moves: boolean;
  /** A half-space. */
  plane: boolean;
  /** Bodies of one shape have the same. */
  shape: number;
  /** 0xRRGGBB, as the scene says. */
  colour?: number | null;
}

/** A colour for each body: that of its look; else fixed ones plain, the others by their shape where there are several kinds, else one after the other. */
export function bodyColours(bodies: readonly Painted[]): V3[] {
  const kinds: number[] = [];
  for (const body of bodies) {
    if (body.moves && !kinds.includes(body.shape)) kinds.push(body.shape);
    if (kinds.length > mostKinds) break;
  }
  const byKind = kinds.length >= fewestKinds && kinds.length <= mostKinds;
  const seen = kinds.map(() => 0);
  let next = 0;
  return bodies.map((body) => {
    if (typeof body.colour === 'number') return colourOf(body.colour);
    if (!body.moves) return colourOf(body.plane ? hues.ground : hues.china);
    if (!byKind) return bodyColour(next++);
    const kind = kinds.indexOf(body.shape);
    return shadeOf(bodyColour(kind), seen[kind]!++);
  });
}

/** From blue to yellow; lightness rises evenly, so that it also reads in grey and without red or green cones. */
const ramp = [0x2b4c8f, 0x4f6c9c, 0x788b9f, 0xa2a591, 0xc9bc76, 0xebd352, 0xfff08a];

/** The colour at t in [0, 1] of the scale for pressure, strain and speed, in encoded bytes. */
export function rampAt(t: number): [number, number, number] {
  const x = Math.min(Math.max(Number.isFinite(t) ? t : 0, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(x), ramp.length - 2);
  const f = x - i;
  const part = (shift: number): number =>
    Math.round(((ramp[i]! >> shift) & 255) * (1 - f) + ((ramp[i + 1]! >> shift) & 255) * f);
  return [part(16), part(8), part(0)];
}
