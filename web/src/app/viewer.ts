import * as THREE from 'three';
import { fitView, Orbit, slopeAngles } from '../core/fit';
import type { Subject } from '../core/fit';
import type { V3 } from '../core/math';
import type { Ray } from '../core/picking';
import { shared } from '../scene/materials';
import { MarkMeasure, Marks, SteadyScale } from '../scene/marks';
import { Studio, dark, light } from '../scene/studio';
import { TetsOverlay } from '../scene/tets_overlay';
import type { Picked, WorldView } from '../scene/world_view';
import type { Session } from './session';
import type { Choices } from './settings';

// The canvas: one studio and one camera for all worlds, each in a part of the picture.

export interface Insets {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
  /** What panels cover of it. */
  insets: Insets;
}

interface Shown {
  marks: Marks;
  tets: TetsOverlay;
  seenScene: number;
}

export class Viewer {
  readonly studio: Studio;
  readonly orbit = new Orbit();
  /** Frames drawn, how many of them of the scene that is there now, and how many in the last second. */
  drawn = 0;
  drawnOfScene = 0;
  rate = 0;
  private readonly shown = new Map<WorldView, Shown>();
  private subject: Subject | undefined;
  private fitted = '';
  private readonly speeds = new SteadyScale();
  private readonly strains = new SteadyScale();
  private readonly measure = new MarkMeasure();
  private needed = true;
  private rateFrom = performance.now();
  private rateCount = 0;
  private insets: Insets = { left: 0, right: 0, top: 0, bottom: 0 };
  fov = 30;
  hovered: Picked['body'] | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly session: Session,
    private readonly choices: Choices,
  ) {
    this.studio = new Studio(canvas);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    session.on('scene', () => (this.needed = true));
    session.on('frame', () => (this.needed = true));
    const loop = (): void => {
      requestAnimationFrame(loop);
      this.frame();
    };
    requestAnimationFrame(loop);
  }

  redraw(): void {
    this.needed = true;
  }

  private resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    this.studio.resize(Math.max(1, box.width), Math.max(1, box.height));
    this.needed = true;
  }

  /** What panels cover at the borders; the camera looks at the middle of the rest. */
  setInsets(insets: Insets): void {
    if (JSON.stringify(insets) === JSON.stringify(this.insets)) return;
    this.insets = insets;
    this.needed = true;
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.studio.setTones(theme === 'dark' ? dark : light);
    for (const s of this.shown.values()) {
      s.marks.setDark(theme === 'dark');
      s.tets.setDark(theme === 'dark');
    }
    this.needed = true;
  }

  get size(): { width: number; height: number } {
    const s = this.studio.renderer.getSize(new THREE.Vector2());
    return { width: s.x, height: s.y };
  }

  /** One world has all of the canvas; two stand side by side, or one below the other where it is narrow. */
  parts(): Part[] {
    const { width, height } = this.size;
    const { left, right, top, bottom } = this.insets;
    const count = Math.max(1, this.session.worlds.length);
    // What is free of panels is shared out evenly; the first and the last part have the panels' room in addition.
    const upright = width < height;
    const [before, after, whole] = upright ? [top, bottom, height] : [left, right, width];
    const free = Math.max(1, whole - before - after) / count;
    return Array.from({ length: count }, (_, i) => {
      const first = i === 0;
      const last = i === count - 1;
      const from = first ? 0 : before + i * free;
      const size = (last ? whole : before + (i + 1) * free) - from;
      const inFront = first ? before : 0;
      const behind = last ? after : 0;
      return upright
        ? { x: 0, y: from, width, height: size, insets: { left, right, top: inFront, bottom: behind } }
        : { x: from, y: 0, width: size, height, insets: { left: inFront, right: behind, top, bottom } };
    });
  }

  partAt(x: number, y: number): { world: WorldView; index: number; part: Part } | undefined {
    const parts = this.parts();
    const index = parts.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
    const world = this.session.worlds[index];
    return world ? { world, index, part: parts[index]! } : undefined;
  }

  /** The height, in CSS pixels, that the field of view is for. */
  private share(): number {
    const { width, height } = this.size;
    return width < height ? height / Math.max(1, this.session.worlds.length) : height;
  }

  private aim(part: Part): void {
    const camera = this.studio.camera;
    // The field of view is that of the whole canvas's height, or of an equal share: so all parts have one scale.
    camera.fov = (2 * Math.atan(Math.tan((this.fov * Math.PI) / 360) * (part.height / this.share())) * 180) / Math.PI;
    camera.aspect = part.width / Math.max(1, part.height);
    camera.up.set(...this.orbit.up);
    camera.position.set(...this.orbit.position());
    camera.lookAt(...this.orbit.target);
    // The middle of what is free of panels is the middle of the view.
    const shiftX = (part.insets.right - part.insets.left) / 2;
    const shiftY = (part.insets.bottom - part.insets.top) / 2;
    camera.setViewOffset(part.width, part.height, shiftX, shiftY, part.width, part.height);
    camera.updateMatrixWorld();
  }

  ray(x: number, y: number): { world: WorldView; index: number; ray: Ray } | undefined {
    const found = this.partAt(x, y);
    if (!found) return undefined;
    const { part } = found;
    this.aim(part);
    const at = new THREE.Vector2(((x - part.x) / part.width) * 2 - 1, 1 - ((y - part.y) / part.height) * 2);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.studio.camera);
    return {
      world: found.world,
      index: found.index,
      ray: { origin: caster.ray.origin.toArray() as V3, direction: caster.ray.direction.toArray() as V3 },
    };
  }

  /** Where a point of the world is on the canvas, in CSS pixels. */
  project(point: V3, index = 0): [number, number] {
    const part = this.parts()[index]!;
    this.aim(part);
    const v = new THREE.Vector3(...point).project(this.studio.camera);
    return [part.x + ((v.x + 1) / 2) * part.width, part.y + ((1 - v.y) / 2) * part.height];
  }

  pick(x: number, y: number): (Picked & { world: WorldView; index: number; ray: Ray }) | undefined {
    const found = this.ray(x, y);
    if (!found) return undefined;
    const near = 0.012 * this.studio.subjectRadius;
    const picked = found.world.pick(found.ray, near);
    return picked && { ...picked, ...found };
  }

  /** The camera's first place, or again on request. */
  fit(): void {
    const world = this.session.worlds[0];
    if (!world?.meta) return;
    const subject = world.subject();
    this.subject = subject;
    this.orbit.up = world.up;
    this.studio.setSubject(subject.centre, subject.radius, world.up);
    const part = this.parts()[0]!;
    const { left, right, top, bottom } = part.insets;
    const free = { w: Math.max(1, part.width - left - right), h: Math.max(1, part.height - top - bottom) };
    // Fitted into the free part: the field of view that this part has of the whole.
    const fovFree = (2 * Math.atan(Math.tan((this.fov * Math.PI) / 360) * (free.h / this.share())) * 180) / Math.PI;
    const given = world.meta.camera;
    const slope = world.planes().map((p) => slopeAngles(p.normal, world.up)).find((a) => a !== undefined);
    const view = fitView(subject, world.up, Math.max(4, fovFree), Math.max(0.2, free.w / free.h), slope);
    this.orbit.look(view);
    if (given?.position) {
      // The scene's own picture, whose sides are as 8 to 5, has room in the free part.
      if (given.fov) this.fov = given.fov;
      this.orbit.look({ position: given.position, target: given.target ?? subject.centre });
      this.orbit.zoom(Math.max(this.share() / free.h, (1.6 * this.share()) / free.w) * 0.9);
    }
    this.needed = true;
  }

  private prepare(world: WorldView): Shown {
    let shown = this.shown.get(world);
    if (!shown) {
      shown = { marks: new Marks(), tets: new TetsOverlay(), seenScene: -1 };
      shown.marks.setDark(this.studio.isDark);
      shown.tets.setDark(this.studio.isDark);
      this.shown.set(world, shown);
      this.studio.scene.add(world.group, shown.marks.group, shown.tets.group);
    }
    return shown;
  }

  /** What arrows and discs measure, for all worlds. */
  get scales(): MarkMeasure['scales'] {
    return this.measure.scales;
  }
  tetsOf(index: number): TetsOverlay | undefined {
    const world = this.session.worlds[index];
    return world && this.shown.get(world)?.tets;
  }
  /** The value at the upper end of the scale of colours. */
  get scaleTop(): number {
    return shared.uRange.value.y;
  }

  private removeGone(): void {
    for (const [world, shown] of this.shown) {
      if (this.session.worlds.includes(world)) continue;
      this.studio.scene.remove(world.group, shown.marks.group, shown.tets.group);
      world.clear();
      this.shown.delete(world);
    }
  }

  private frame(): void {
    const now = performance.now();
    if (now - this.rateFrom > 1000) {
      this.rate = (1000 * this.rateCount) / (now - this.rateFrom);
      this.rateFrom = now;
      this.rateCount = 0;
    }
    if (!this.needed) return;
    this.needed = false;
    this.removeGone();
    const worlds = this.session.worlds;
    const first = worlds[0];
    if (first?.meta && first.frames > 0) {
      const key = `${first.meta.name}/${worlds.length}/${first.meta.bodies.length > 0}`;
      if (key !== this.fitted) {
        this.fitted = key;
        this.drawnOfScene = 0;
        this.fov = 30;
        this.fit();
      }
    }
    this.colour();
    this.measure.take(worlds, this.subject?.radius ?? 1);
    const parts = this.parts();
    for (const world of worlds) {
      this.prepare(world);
      world.update(0.003 * (this.subject?.radius ?? 1));
    }
    worlds.forEach((world, i) => this.drawWorld(world, parts[i]!, worlds.length > 1));
    if (worlds.length === 0) this.studio.draw();
    ++this.drawn;
    if (this.fitted !== '' && first?.meta && first.frames > 0) ++this.drawnOfScene;
    ++this.rateCount;
  }

  private drawWorld(world: WorldView, part: Part, several: boolean): void {
    const o = this.choices.overlays;
    for (const [other, shown] of this.shown) {
      other.group.visible = shown.marks.group.visible = other === world;
      shown.tets.group.visible = other === world && o.has('tets');
    }
    const shown = this.shown.get(world)!;
    this.studio.ground.setPlanes(world.planes());
    shown.marks.update(
      world,
      {
        contacts: o.has('contacts'),
        friction: o.has('friction'),
        pressure: o.has('pressure'),
        overlap: o.has('overlap'),
        cells: o.has('cells'),
        joints: o.has('joints'),
      },
      this.subject?.radius ?? 1,
      this.measure,
    );
    shown.tets.update(world, o.has('tets'));
    this.aim(part);
    this.studio.draw(several ? part : undefined);
  }

  /** Colours of bodies: their own, or by a quantity; paler where marks have to be seen through them. */
  private colour(): void {
    const { colourBy, overlays } = this.choices;
    const marks: readonly string[] = ['contacts', 'friction', 'pressure', 'overlap', 'cells', 'joints', 'tets'];
    shared.uPale.value = colourBy === 'body' && marks.some((m) => overlays.has(m as 'contacts')) ? 0.62 : 0;
    const values: number[] = [];
    for (const world of this.session.worlds) {
      for (const body of world.bodies.values()) {
        const u = body.look.uniforms;
        u.uAsleep.value = overlays.has('sleep') && body.asleep ? 0.85 : 0;
        u.uGlow.value = body === this.hovered ? 0.12 : 0;
        const scalars = colourBy === 'velocity' ? body.speeds : colourBy === 'strain' ? body.strain : undefined;
        // What has no strain keeps its own colour.
        body.look.byScalar(colourBy === 'velocity' ? body.moves : scalars !== undefined);
        body.setScalars(scalars);
        const moving = colourBy === 'velocity' && body.meta.points === 0;
        u.uLinear.value.set(...(moving ? body.velocity : ([0, 0, 0] as V3)));
        u.uAngular.value.set(...(moving ? body.angular : ([0, 0, 0] as V3)));
        u.uCentre.value.set(...body.position);
        if (moving) values.push(Math.hypot(...body.velocity));
        for (let i = 0; scalars && i < scalars.length; i += 7) values.push(scalars[i]!);
      }
    }
    const usual = colourBy === 'velocity' ? this.speeds.take(values) : colourBy === 'strain' ? this.strains.take(values) : 1;
    shared.uRange.value.set(0, Math.max(usual * 1.5, colourBy === 'velocity' ? 0.05 : 0.005));
  }

  /** The picture as it is now; asked for in the same turn in which it is drawn, while the buffer still has it. */
  picture(): Promise<Blob | null> {
    this.needed = true;
    this.frame();
    return new Promise((done) => this.canvas.toBlob(done, 'image/png'));
  }
}
