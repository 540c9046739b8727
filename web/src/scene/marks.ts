import * as THREE from 'three';
import { add, dot, norm, quantile, roundNumberBelow, scale, sub } from '../core/math';
import type { V3 } from '../core/math';
import { colourOf, hues, rampAt } from '../core/palette';
import type { Contact, Joint } from '../core/protocol';
import { Instances, ballGeometry, boxGeometry, coneGeometry, discGeometry, rodGeometry } from './rods';
import type { WorldView } from './world_view';

// Arrows, dots and discs for what cannot be seen: contacts, forces, overlaps, shared volumes, joints, and the spring of a drag.
// Each mark is drawn twice: as it is where nothing hides it, and faintly through the bodies in front of it.

const linear = (rgb: number): THREE.Color => new THREE.Color().setRGB(...colourOf(rgb), THREE.LinearSRGBColorSpace);
const paint = {
  stick: linear(hues.stick),
  slip: linear(hues.slip),
  gap: linear(hues.gap),
  friction: linear(hues.friction),
  torque: linear(hues.torque),
  ink: linear(hues.ink),
  pin: linear(hues.slip),
};

// Sizes as parts of the subject's radius.
const dotRadius = 0.014;
const shaftRadius = 0.006;
const headRadius = 0.018;
const headLength = 0.05;
const usualLength = 0.3;
const longestLength = 1.2;
const fewContacts = 40;

/** A quantity's usual value, that changes only when what it measures has changed by much: so that arrows do not pump. */
export class SteadyScale {
  value = 0;
  take(values: number[]): number {
    const usual = quantile(values, 0.9);
    if (usual > 0 && (this.value === 0 || usual > 1.8 * this.value || usual < 0.2 * this.value)) this.value = usual;
    return this.value;
  }
}

type Kind = 'rod' | 'cone' | 'ball' | 'disc' | 'box';
const geometries: Record<Kind, THREE.BufferGeometry> = {
  rod: rodGeometry,
  cone: coneGeometry,
  ball: ballGeometry,
  disc: discGeometry,
  box: boxGeometry,
};

export interface Shown {
  contacts: boolean;
  friction: boolean;
  pressure: boolean;
  overlap: boolean;
  cells: boolean;
  joints: boolean;
}

export interface MarkScales {
  /** N for an arrow as long as `usualLength`, and so on; 0: nothing to show. */
  force: number;
  pressure: number;
  overlap: number;
  joint: number;
  metresPerNewton: number;
  metresPerJointNewton: number;
  magnification: number;
}

/** How deep two bodies overlap at a contact, m. */
export const depthOf = (c: Contact): number => (c.depth > 0 ? Math.max(c.depth, c.largestDepth) : 0);

/** One measure for all worlds that are shown: marks of two worlds side by side can be compared, and one legend is true of both. */
export class MarkMeasure {
  readonly scales: MarkScales = { force: 0, pressure: 0, overlap: 0, joint: 0, metresPerNewton: 0, metresPerJointNewton: 0, magnification: 1 };
  /** Many marks are drawn thinner. */
  thin = 1;
  private readonly forces = new SteadyScale();
  private readonly pressures = new SteadyScale();
  private readonly depths = new SteadyScale();
  private readonly jointForces = new SteadyScale();

  take(worlds: readonly WorldView[], radius: number): void {
    const contacts = worlds.flatMap((w) => w.contacts);
    const most = Math.max(1, ...worlds.map((w) => w.contacts.length));
    this.thin = Math.min(1, Math.max(0.3, Math.sqrt(fewContacts / most)));
    const s = this.scales;
    s.force = this.forces.take(contacts.map((c) => Math.hypot(c.normalForce, ...c.friction)).filter((f) => f > 0));
    s.metresPerNewton = s.force > 0 ? (usualLength * Math.sqrt(this.thin) * radius) / s.force : 0;
    s.overlap = this.depths.take(contacts.map(depthOf).filter((d) => d > 0));
    s.magnification = s.overlap > 0 ? roundNumberBelow((usualLength * radius) / s.overlap) : 1;
    s.pressure = this.pressures.take(contacts.map((c) => c.pressure).filter((p) => p > 0));
    const joints = worlds.flatMap((w) => w.joints);
    s.joint = this.jointForces.take(joints.map((j) => norm(j.force)).filter((f) => f > 0));
    s.metresPerJointNewton = s.joint > 0 ? (usualLength * radius) / s.joint : 0;
  }
}

export class Marks {
  readonly group = new THREE.Group();
  private readonly seen = new Map<Kind, Instances>();
  private readonly hidden = new Map<Kind, Instances>();
  private scales: MarkScales = new MarkMeasure().scales;
  private radius = 1;
  private readonly inkNow = paint.ink.clone();

  constructor() {
    const solid = new THREE.MeshLambertMaterial();
    const ghost = (opacity: number): THREE.Material =>
      new THREE.MeshBasicMaterial({ transparent: true, opacity, depthFunc: THREE.GreaterDepth, depthWrite: false });
    const [faint, strong] = [ghost(0.38), ghost(0.8)];
    for (const kind of Object.keys(geometries) as Kind[]) {
      this.seen.set(kind, new Instances(geometries[kind], solid, this.group));
      // Where two bodies touch lies between them: what has an area there would hardly be seen.
      const hidden = new Instances(geometries[kind], kind === 'disc' || kind === 'box' ? strong : faint, this.group);
      hidden.object.renderOrder = 10;
      this.hidden.set(kind, hidden);
    }
  }

  setDark(dark: boolean): void {
    this.inkNow.copy(dark ? linear(0xe8ebef) : paint.ink);
  }

  update(world: WorldView, shown: Shown, radius: number, measure: MarkMeasure): void {
    this.radius = radius;
    this.scales = measure.scales;
    for (const list of [this.seen, this.hidden]) for (const i of list.values()) i.begin();
    if (shown.contacts || shown.friction || shown.pressure || shown.overlap) this.addContacts(world, shown, measure.thin);
    if (shown.cells) this.addCells(world);
    if (shown.joints) this.addJoints(world.joints);
    this.addDrags(world);
    for (const list of [this.seen, this.hidden]) for (const i of list.values()) i.end();
  }

  private between(kind: Kind, from: V3, to: V3, thickness: number, colour: THREE.Color): void {
    this.seen.get(kind)!.between(from, to, thickness, colour);
    this.hidden.get(kind)!.between(from, to, thickness, colour);
  }
  private at(kind: Kind, point: V3, axis: V3, size: V3, colour: THREE.Color): void {
    this.seen.get(kind)!.at(point, axis, size, colour);
    this.hidden.get(kind)!.at(point, axis, size, colour);
  }
  private ball(point: V3, size: number, colour: THREE.Color): void {
    const r = dotRadius * this.radius * size;
    this.at('ball', point, [0, 1, 0], [r, r, r], colour);
  }

  private arrow(from: V3, along: V3, size: number, colour: THREE.Color): void {
    const length = norm(along);
    const r = this.radius * size;
    if (!(length > shaftRadius * r)) return;
    const cut = Math.min(1, (longestLength * this.radius) / length);
    const drawn = scale(along, cut);
    const shown = length * cut;
    const head = Math.min(headLength * r, 0.6 * shown);
    const neck = add(from, scale(drawn, 1 - head / shown));
    this.between('rod', from, neck, shaftRadius * r, colour);
    this.between('cone', neck, add(from, drawn), headRadius * r * Math.min(1, head / (headLength * r)), colour);
  }

  /** Forces are drawn on the body that moves: the other one may be the ground. */
  private side(world: WorldView, c: Contact): number {
    const fixed = (i: number): boolean => !(world.bodies.get(i)?.moves ?? false);
    return fixed(c.a) && !fixed(c.b) ? -1 : 1;
  }

  private addContacts(world: WorldView, shown: Shown, thin: number): void {
    const s = this.scales;
    const forces = shown.contacts || shown.friction;
    for (const c of world.contacts) {
      const side = this.side(world, c);
      const pressed = c.normalForce > 0;
      if (shown.pressure && c.area > 0) this.addPressure(c);
      if (forces || shown.overlap) {
        // Of penetration vectors alone the dots tell what overlaps, as `plush render --mode penetration` draws them.
        const held = forces ? pressed : c.depth > 0;
        const colour = !held ? paint.gap : forces && c.sticking ? paint.stick : paint.slip;
        this.ball(c.point, (held ? 1 : 0.6) * thin, colour);
      }
      const k = side * s.metresPerNewton;
      if (shown.contacts) this.arrow(c.point, scale(c.normal, c.normalForce * k), thin, this.inkNow);
      if (shown.friction) this.arrow(c.point, scale(c.friction, k), thin, paint.friction);
      if (shown.overlap && c.depth > 0) {
        this.arrow(c.point, scale(c.normal, depthOf(c) * s.magnification * side), thin, paint.slip);
      }
    }
  }

  /** A disc of the contact's area in the colour of its pressure. */
  private addPressure(c: Contact): void {
    const r = Math.sqrt(c.area / Math.PI);
    const [red, green, blue] = rampAt(this.scales.pressure > 0 ? c.pressure / (1.25 * this.scales.pressure) : 0);
    const colour = new THREE.Color().setRGB(red / 255, green / 255, blue / 255, THREE.SRGBColorSpace);
    this.at('disc', c.point, c.normal, [r, 0.004 * this.radius, r], colour);
  }

  /** A cell is a square of its area across the normal, as thick as the overlap; a small gap keeps neighbours apart. */
  private addCells(world: WorldView): void {
    for (const cell of world.cells) {
      if (!(cell.area > 0)) continue;
      const side = 0.93 * cell.side;
      this.at('box', cell.centre, cell.normal, [side, Math.max(cell.depth, 0.004 * this.radius), side], paint.slip);
    }
  }

  private addJoints(joints: readonly Joint[]): void {
    const k = this.scales.metresPerJointNewton;
    for (const j of joints) {
      this.ball(j.anchor, 1.5, paint.torque);
      this.arrow(j.anchor, scale(j.force, k), 1, this.inkNow);
    }
  }

  /** The spring of a drag as a coil from the picked point to the target, and pins. */
  private addDrags(world: WorldView): void {
    for (const d of world.drags) {
      const along = sub(d.target, d.point);
      const pull = Math.min(1, norm(d.force) / Math.max(d.maxForce, 1e-30));
      const colour = paint.stick.clone().lerp(paint.slip, pull);
      this.ball(d.point, 1.1, colour);
      this.ball(d.target, 1.5, colour);
      this.coil(d.point, along, colour);
    }
    for (const p of world.pins) {
      const r = dotRadius * this.radius;
      this.ball(p.point, 1.5, paint.pin);
      const head = add(p.point, scale(world.up, 5 * r));
      this.between('rod', p.point, head, 0.35 * r, this.inkNow);
      this.ball(head, 1.8, paint.pin);
    }
  }

  private coil(from: V3, along: V3, colour: THREE.Color): void {
    const length = norm(along);
    const r = 0.02 * this.radius;
    if (length < 0.5 * r) return;
    const d = scale(along, 1 / length);
    const any: V3 = Math.abs(d[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
    const flat = sub(any, scale(d, dot(any, d)));
    const u = scale(flat, 1 / norm(flat));
    const v: V3 = [d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0]];
    // A short spring has few turns: they stay apart.
    const turns = Math.round(Math.min(9, Math.max(2, length / (1.6 * r))));
    const parts = 12 * turns;
    let last = from;
    for (let i = 1; i <= parts; ++i) {
      const t = i / parts;
      const wide = r * Math.min(1, 8 * t, 8 * (1 - t));
      const a = 2 * Math.PI * turns * t;
      const next = add(add(from, scale(along, t)), add(scale(u, wide * Math.cos(a)), scale(v, wide * Math.sin(a))));
      this.between('rod', last, next, 0.0045 * this.radius, colour);
      last = next;
    }
  }
}
