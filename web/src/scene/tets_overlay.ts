import * as THREE from 'three';
import { colourOf, hues } from '../core/palette';
import type { BodyView } from './body_view';
import type { WorldView } from './world_view';

// The tets of soft bodies as lines, against the surfaces embedded in them; inverted tets in a loud colour.

/** The edges of tets, each once, as pairs of vertices. */
export function edgesOfTets(tets: Uint32Array): Uint32Array {
  const seen = new Set<number>();
  const edges: number[] = [];
  for (let t = 0; t + 3 < tets.length; t += 4) {
    for (let i = 0; i < 4; ++i) {
      for (let j = i + 1; j < 4; ++j) {
        const a = Math.min(tets[t + i]!, tets[t + j]!);
        const b = Math.max(tets[t + i]!, tets[t + j]!);
        const key = a * 4294967296 + b;
        if (seen.has(key)) continue;
        seen.add(key);
        edges.push(a, b);
      }
    }
  }
  return Uint32Array.from(edges);
}

interface Lines {
  tets: Uint32Array;
  geometry: THREE.BufferGeometry;
  objects: THREE.LineSegments[];
  points: Float32Array | undefined;
}

const linear = (rgb: number): THREE.Color => new THREE.Color().setRGB(...colourOf(rgb), THREE.LinearSRGBColorSpace);

export class TetsOverlay {
  readonly group = new THREE.Group();
  private readonly lines = new Map<number, Lines>();
  private readonly near = new THREE.LineBasicMaterial({ color: linear(hues.ink), transparent: true, opacity: 0.85 });
  private readonly behind = new THREE.LineBasicMaterial({
    color: linear(hues.ink),
    transparent: true,
    opacity: 0.16,
    depthFunc: THREE.GreaterDepth,
    depthWrite: false,
  });
  private readonly wrong = new THREE.LineBasicMaterial({ color: linear(hues.slip), depthTest: false, transparent: true });
  private readonly wrongLines: THREE.LineSegments;
  drawn = 0;
  inverted = 0;

  constructor() {
    this.wrongLines = new THREE.LineSegments(new THREE.BufferGeometry(), this.wrong);
    this.wrongLines.frustumCulled = false;
    this.wrongLines.renderOrder = 20;
    this.group.add(this.wrongLines);
  }

  setDark(dark: boolean): void {
    for (const m of [this.near, this.behind]) m.color.copy(dark ? linear(0xe8ebef) : linear(hues.ink));
  }

  update(world: WorldView, on: boolean): void {
    this.group.visible = on;
    if (!on) return;
    this.drawn = 0;
    for (const [index, lines] of this.lines) {
      if (world.bodies.get(index)?.tets === lines.tets) continue;
      lines.objects.forEach((o) => this.group.remove(o));
      lines.geometry.dispose();
      this.lines.delete(index);
    }
    for (const body of world.bodies.values()) if (body.tets && body.points) this.updateBody(body);
    this.updateInverted(world);
  }

  private updateBody(body: BodyView): void {
    let lines = this.lines.get(body.meta.index);
    if (!lines) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(body.points!.length), 3));
      geometry.setIndex(new THREE.BufferAttribute(edgesOfTets(body.tets!), 1));
      const objects = [this.near, this.behind].map((m) => new THREE.LineSegments(geometry, m));
      objects.forEach((o, i) => {
        o.frustumCulled = false;
        o.renderOrder = 12 + i;
        this.group.add(o);
      });
      lines = { tets: body.tets!, geometry, objects, points: undefined };
      this.lines.set(body.meta.index, lines);
    }
    this.drawn += body.tets!.length / 4;
    if (lines.points === body.points) return;
    lines.points = body.points;
    const position = lines.geometry.getAttribute('position') as THREE.BufferAttribute;
    (position.array as Float32Array).set(body.points!.subarray(0, position.array.length));
    position.needsUpdate = true;
  }

  private updateInverted(world: WorldView): void {
    const places: number[] = [];
    this.inverted = 0;
    for (const [index, tets] of world.inverted) {
      const body = world.bodies.get(index);
      if (!body?.tets || !body.points) continue;
      this.inverted += tets.length;
      for (const t of tets) {
        for (const v of edgesOfTets(body.tets.subarray(4 * t, 4 * t + 4))) places.push(...body.points.subarray(3 * v, 3 * v + 3));
      }
    }
    this.wrongLines.geometry.dispose();
    this.wrongLines.geometry = new THREE.BufferGeometry();
    this.wrongLines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(places, 3));
    this.wrongLines.visible = places.length > 0;
  }
}
