import * as THREE from 'three';
import { findSubject } from '../core/fit';
import type { Extent, Subject } from '../core/fit';
import { dot, rotate, scale, add, sub, normalised } from '../core/math';
import type { Quat, V3 } from '../core/math';
import { bodyColour, bodyColours, colourOf } from '../core/palette';
import { along, meetPlane } from '../core/picking';
import type { Ray } from '../core/picking';
import type { Cell, Contact, DragMark, FrameMessage, FrameMeta, Joint, PinMark, SceneMessage, SceneMeta } from '../core/protocol';
import { BodyView } from './body_view';
import { SharedMesh } from './surface';

// What the page knows of one world: its bodies, and what the last frames said.

export interface Picked {
  body: BodyView;
  point: V3;
  distance: number;
  triangle: number;
  weights: V3;
}

export class WorldView {
  readonly group = new THREE.Group();
  readonly bodies = new Map<number, BodyView>();
  meta: SceneMeta | undefined;
  frame: FrameMeta = { step: 0, time: 0 };
  contacts: Contact[] = [];
  cells: Cell[] = [];
  joints: Joint[] = [];
  drags: DragMark[] = [];
  pins: PinMark[] = [];
  inverted = new Map<number, Uint32Array>();
  frameBytes = 0;
  frames = 0;
  /** Counts what was replaced: a new scene, a body more, a cut. */
  revision = 0;
  private meshes = new Map<number, SharedMesh>();
  private colours = new Map<number, V3>();

  takeScene(message: SceneMessage): void {
    if (message.type === 'scene') {
      this.clear();
      this.meta = message.meta as SceneMeta;
      this.frames = 0;
    } else if (this.meta) {
      const kept = this.meta.bodies.filter((b) => !message.meta.bodies.some((n) => n.index === b.index));
      this.meta.bodies = [...kept, ...message.meta.bodies].sort((a, b) => a.index - b.index);
      this.meta.revision = message.meta.revision;
    }
    for (const [subject, data] of message.meshes) this.meshes.set(subject, new SharedMesh(data));
    if (message.type === 'scene') this.paint(message);
    for (const meta of message.meta.bodies) {
      const colour = this.colours.get(meta.index) ?? (typeof meta.colour === 'number' ? colourOf(meta.colour) : bodyColour(meta.index));
      const old = this.bodies.get(meta.index);
      const body = new BodyView(meta, this.meshes.get(meta.mesh), colour);
      if (old) {
        body.tets = old.tets;
        if (meta.points === 0) body.setPose(old.position, old.quaternion);
        old.dispose();
      }
      const tets = message.tets.get(meta.index);
      if (tets) body.tets = tets;
      this.bodies.set(meta.index, body);
      this.group.add(body.group);
    }
    ++this.revision;
  }

  private paint(message: SceneMessage): void {
    const painted = message.meta.bodies.map((b) => ({
      moves: b.kind !== 'fixed',
      plane: b.normal !== null,
      shape: b.mesh,
      colour: b.colour,
    }));
    const colours = bodyColours(painted);
    this.colours = new Map(message.meta.bodies.map((b, i) => [b.index, colours[i]!]));
  }

  takeFrame(frame: FrameMessage): void {
    this.frame = frame.meta;
    this.frameBytes = frame.bytes;
    ++this.frames;
    if (frame.poses) {
      const { ints, floats: f, count } = frame.poses;
      for (let i = 0; i < count; ++i) {
        const at = 8 * i;
        const place: V3 = [f[at + 1]!, f[at + 2]!, f[at + 3]!];
        const turn: Quat = [f[at + 4]!, f[at + 5]!, f[at + 6]!, f[at + 7]!];
        this.bodies.get(ints[at]!)?.setPose(place, turn);
      }
    }
    for (const [index, points] of frame.points) this.bodies.get(index)?.setPoints(points);
    if (frame.flags) for (const b of this.bodies.values()) b.asleep = ((frame.flags[b.meta.index] ?? 0) & 1) !== 0;
    for (const [index, strain] of frame.strain) {
      const body = this.bodies.get(index);
      if (body) body.strain = strain;
    }
    for (const [index, v] of frame.velocities) {
      const body = this.bodies.get(index);
      if (!body) continue;
      body.speeds = new Float32Array(v.length / 3);
      for (let i = 0; i < body.speeds.length; ++i) body.speeds[i] = Math.hypot(v[3 * i]!, v[3 * i + 1]!, v[3 * i + 2]!);
    }
    for (const v of frame.bodyVelocities ?? []) {
      const body = this.bodies.get(v.body);
      if (!body) continue;
      body.velocity = v.velocity;
      body.angular = v.angular;
    }
    if (frame.contacts) this.contacts = frame.contacts;
    if (frame.cells) this.cells = frame.cells;
    if (frame.joints) this.joints = frame.joints;
    this.inverted = frame.inverted;
    this.drags = frame.drags;
    this.pins = frame.pins;
  }

  /** What a layer showed before it was switched off is no longer true. */
  forgetLayers(on: readonly string[]): void {
    if (!on.includes('contacts')) this.contacts = [];
    if (!on.includes('cells')) this.cells = [];
    if (!on.includes('joints')) this.joints = [];
  }

  get up(): V3 {
    return this.meta?.up ?? [0, 1, 0];
  }

  planes(): { point: V3; normal: V3 }[] {
    const out: { point: V3; normal: V3 }[] = [];
    for (const b of this.bodies.values()) {
      if (b.meta.normal) out.push({ point: b.position, normal: normalised(rotate(b.quaternion, b.meta.normal)) });
    }
    return out;
  }

  subject(): Subject {
    const extents: Extent[] = [];
    for (const b of this.bodies.values()) {
      if (!b.meta.normal) extents.push({ box: b.box(), moves: b.moves });
    }
    const subject = findSubject(extents);
    // What hangs in the air will fall: the place below it belongs to the picture.
    const ground = this.planes().find((p) => dot(p.normal, this.up) > 0.7);
    if (ground) {
      const below = subject.corners.map((c) => sub(c, scale(this.up, dot(sub(c, ground.point), this.up))));
      const drop = Math.max(...subject.corners.map((c, i) => dot(sub(c, below[i]!), this.up)));
      if (drop < 6 * subject.radius) {
        const all = [...subject.corners, ...below];
        const low = [0, 1, 2].map((k) => Math.min(...all.map((c) => c[k]!))) as unknown as V3;
        const high = [0, 1, 2].map((k) => Math.max(...all.map((c) => c[k]!))) as unknown as V3;
        return {
          corners: all,
          centre: scale(add(low, high), 0.5),
          radius: 0.5 * Math.hypot(...sub(high, low)),
        };
      }
    }
    return subject;
  }

  triangles(): number {
    let sum = 0;
    for (const b of this.bodies.values()) sum += (b.mesh?.triangles.length ?? 0) / 3;
    return sum;
  }

  /** The first surface that a ray meets; `near` is how far off a ray may pass a rope. */
  pick(ray: Ray, near: number): Picked | undefined {
    let limit = Infinity;
    for (const plane of this.planes()) {
      if (dot(plane.normal, ray.direction) >= 0) continue;
      limit = Math.min(limit, meetPlane(ray, plane.point, plane.normal) ?? Infinity);
    }
    let best: Picked | undefined;
    for (const body of this.bodies.values()) {
      const hit = body.meet(ray, best?.distance ?? limit, near);
      if (!hit) continue;
      best = { body, ...hit, point: along(ray, hit.distance) };
    }
    return best;
  }

  update(thinnest: number): void {
    for (const body of this.bodies.values()) body.update(thinnest);
  }

  clear(): void {
    for (const body of this.bodies.values()) body.dispose();
    for (const mesh of this.meshes.values()) mesh.dispose();
    this.bodies.clear();
    this.meshes.clear();
    this.contacts = [];
    this.cells = [];
    this.joints = [];
    this.drags = [];
    this.pins = [];
  }
}
