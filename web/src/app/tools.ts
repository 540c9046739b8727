import type { V3 } from '../core/math';
import { add, dot, norm, scale, sub } from '../core/math';
import type { Ray } from '../core/picking';
import { along, meetPlane } from '../core/picking';
import type { Session } from './session';
import type { Choices } from './settings';
import type { Viewer } from './viewer';

// The hand on the scene. One finger, or the main button: on a body it uses the tool, beside it it turns the view. Two fingers,
// or another button: the view. The wheel comes nearer.

export interface DropSettings {
  shape: 'ball' | 'box' | 'bear';
  soft: boolean;
  size: number;
}

interface Held {
  world: number;
  drag: number | undefined;
  /** A release that came before the answer. */
  released: boolean;
  distance: number;
  target: V3;
  at: number;
}

export class Tools {
  drop: DropSettings = { shape: 'ball', soft: true, size: 0 };
  /** Whether a person has dragged a body: the hint goes away. */
  dragged = 0;
  held: Held | undefined;
  /** The line of a cut under way, in CSS pixels. */
  line: { from: [number, number]; to: [number, number] } | undefined;
  onChange: () => void = () => undefined;
  private readonly pointers = new Map<number, [number, number]>();
  private mode: 'none' | 'orbit' | 'pan' | 'drag' | 'cut' = 'none';
  private pinch = 0;
  private last: [number, number] = [0, 0];
  private moved = 0;
  private start: [number, number] = [0, 0];
  private hoverAt = 0;

  constructor(
    private readonly viewer: Viewer,
    private readonly session: Session,
    private readonly choices: Choices,
  ) {
    const c = viewer.canvas;
    c.addEventListener('pointerdown', (e) => this.down(e));
    c.addEventListener('pointermove', (e) => this.move(e));
    c.addEventListener('pointerup', (e) => this.up(e));
    c.addEventListener('pointercancel', (e) => this.up(e));
    c.addEventListener('pointerleave', () => this.hover(undefined));
    c.addEventListener('contextmenu', (e) => e.preventDefault());
    c.addEventListener(
      'wheel',
      (e) => {
        e.preventDefault();
        const lines = e.deltaMode === 1 ? 16 : 1;
        if (this.held) this.reach(Math.exp(-e.deltaY * lines * 0.0008));
        else viewer.orbit.zoom(Math.exp(e.deltaY * lines * 0.0012));
        viewer.redraw();
      },
      { passive: false },
    );
  }

  private place(e: PointerEvent): [number, number] {
    const box = this.viewer.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  private down(e: PointerEvent): void {
    this.viewer.canvas.setPointerCapture(e.pointerId);
    const at = this.place(e);
    this.pointers.set(e.pointerId, at);
    this.last = this.start = at;
    this.moved = 0;
    if (this.pointers.size > 1) {
      this.endDrag();
      this.line = undefined;
      this.mode = 'orbit';
      this.pinch = this.spread();
      this.last = this.middle();
      return;
    }
    if (e.button === 1 || (e.button === 0 && e.shiftKey)) this.mode = 'pan';
    else if (e.button === 2) this.mode = 'orbit';
    else this.begin(at);
    this.cursor();
    this.onChange();
  }

  private begin(at: [number, number]): void {
    const acts = this.session.live && this.session.acts;
    const tool = acts ? this.choices.tool : 'drag';
    if (tool === 'cut') {
      this.mode = 'cut';
      this.line = { from: at, to: at };
      return;
    }
    this.mode = 'orbit';
    if (!acts) return;
    const picked = this.viewer.pick(...at);
    if (tool === 'drag' && picked?.body.moves && picked.body.meta.kind !== 'scripted') {
      this.mode = 'drag';
      void this.beginDrag(picked.index, picked.ray, picked.distance, {
        body: picked.body.meta.index,
        triangle: picked.triangle,
        weights: picked.weights,
      });
    }
  }

  private async beginDrag(world: number, ray: Ray, distance: number, at: Record<string, unknown>): Promise<void> {
    const held: Held = { world, drag: undefined, released: false, distance, target: along(ray, distance), at: performance.now() };
    this.held = held;
    const result = await this.session.send({ do: 'drag', world, at });
    if (!result.ok) {
      if (this.held === held) this.held = undefined;
      this.onChange();
      return;
    }
    held.drag = result.drag as number;
    ++this.dragged;
    if (held.released) this.session.do('release', { world, drag: held.drag });
    else if (this.moved > 0) this.sendTarget(held);
    this.onChange();
  }

  private sendTarget(held: Held): void {
    if (held.drag === undefined) return;
    void this.session.send({ do: 'drag_to', world: held.world, drag: held.drag, target: held.target }, true);
  }

  /** The target moves in a plane that faces the camera, through the point that was picked. */
  private moveTarget(x: number, y: number): void {
    const held = this.held;
    const found = held && this.viewer.ray(x, y);
    if (!held || !found || found.index !== held.world) return;
    const back = this.viewer.orbit.back();
    const distance = meetPlane(found.ray, held.target, back);
    if (distance === undefined) return;
    held.target = this.above(found.index, along(found.ray, distance));
    this.sendTarget(held);
  }

  /** Nothing is dragged far under the ground. */
  private above(world: number, point: V3): V3 {
    let out = point;
    for (const plane of this.session.worlds[world]?.planes() ?? []) {
      const height = dot(sub(out, plane.point), plane.normal);
      if (height < 0) out = sub(out, scale(plane.normal, height));
    }
    return out;
  }

  /** The wheel while something is held: nearer or farther. */
  private reach(factor: number): void {
    const held = this.held!;
    const eye = this.viewer.orbit.position();
    held.target = this.above(held.world, add(eye, scale(sub(held.target, eye), factor)));
    this.sendTarget(held);
  }

  private endDrag(): void {
    const held = this.held;
    this.held = undefined;
    if (!held) return;
    held.released = true;
    if (held.drag !== undefined) this.session.do('release', { world: held.world, drag: held.drag });
    this.onChange();
  }

  private spread(): number {
    const [a, b] = [...this.pointers.values()];
    return a && b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  }
  private middle(): [number, number] {
    const all = [...this.pointers.values()];
    return [all.reduce((s, p) => s + p[0], 0) / all.length, all.reduce((s, p) => s + p[1], 0) / all.length];
  }

  private move(e: PointerEvent): void {
    const at = this.place(e);
    if (!this.pointers.has(e.pointerId)) {
      this.hover(at);
      return;
    }
    this.pointers.set(e.pointerId, at);
    const { height } = this.viewer.size;
    if (this.pointers.size > 1) {
      const middle = this.middle();
      const spread = this.spread();
      if (this.pinch > 0 && spread > 0) this.viewer.orbit.zoom(this.pinch / spread);
      this.pinch = spread;
      this.viewer.orbit.pan((middle[0] - this.last[0]) / height, (middle[1] - this.last[1]) / height, this.viewer.fov);
      this.last = middle;
      this.viewer.redraw();
      return;
    }
    const dx = at[0] - this.last[0];
    const dy = at[1] - this.last[1];
    this.moved += Math.hypot(dx, dy);
    this.last = at;
    if (this.mode === 'orbit') this.viewer.orbit.turn((-dx / height) * 3.6, (dy / height) * 3.6);
    else if (this.mode === 'pan') this.viewer.orbit.pan(dx / height, dy / height, this.viewer.fov);
    else if (this.mode === 'drag') this.moveTarget(...at);
    else if (this.mode === 'cut' && this.line) this.line.to = at;
    this.viewer.redraw();
    this.onChange();
  }

  private up(e: PointerEvent): void {
    const tapped = this.moved < 6 && this.pointers.size === 1;
    this.pointers.delete(e.pointerId);
    if (this.mode === 'drag') this.endDrag();
    if (this.mode === 'cut' && this.line) this.endCut();
    if (tapped && this.session.live && this.session.acts && e.type === 'pointerup' && e.button === 0) this.tap(this.start);
    if (this.pointers.size === 1) this.last = this.middle();
    else this.mode = 'none';
    this.cursor();
    this.onChange();
  }

  private endCut(): void {
    const { from, to } = this.line!;
    this.line = undefined;
    const a = this.viewer.ray(...from);
    const b = this.viewer.ray(...to);
    if (a && b && a.index === b.index && Math.hypot(from[0] - to[0], from[1] - to[1]) > 12) {
      this.session.do('cut', { world: a.index, from: a.ray, to: b.ray });
    }
  }

  private tap(at: [number, number]): void {
    if (this.choices.tool === 'pin') this.togglePin(at);
    else if (this.choices.tool === 'drop') this.dropAt(at);
  }

  private togglePin(at: [number, number]): void {
    const found = this.viewer.ray(...at);
    if (!found) return;
    // A pin that is there comes out where one clicks near its head or its point.
    for (const pin of found.world.pins) {
      const r = 0.014 * this.viewer.studio.subjectRadius;
      for (const p of [pin.point, add(pin.point, scale(found.world.up, 5 * r))]) {
        const [x, y] = this.viewer.project(p, found.index);
        if (Math.hypot(x - at[0], y - at[1]) < 14) {
          this.session.do('unpin', { world: found.index, pin: pin.pin });
          return;
        }
      }
    }
    const picked = found.world.pick(found.ray, 0.012 * this.viewer.studio.subjectRadius);
    if (!picked) return;
    const { triangle, weights } = picked;
    this.session.do('pin', { world: found.index, at: { body: picked.body.meta.index, triangle, weights } });
  }

  /** The size of what is dropped where nobody has said one: a third of the usual body's. */
  dropSize(index = 0): number {
    if (this.drop.size > 0) return this.drop.size;
    const world = this.session.worlds[index];
    const sizes = [...(world?.bodies.values() ?? [])]
      .filter((b) => b.moves && !b.meta.normal)
      .map((b) => {
        const box = b.box();
        return Math.max(...[0, 1, 2].map((k) => box.high[k]! - box.low[k]!));
      })
      .filter((s) => Number.isFinite(s) && s > 0)
      .sort((a, b) => a - b);
    const middle = sizes[Math.floor(sizes.length / 2)] ?? 0.5;
    return Number((0.7 * middle).toPrecision(2));
  }

  /** Above the point that was clicked: of a body, or of the ground, or of the plane through what the camera looks at. */
  dropAt(at: [number, number]): void {
    const found = this.viewer.ray(...at);
    if (!found) return;
    const { world, ray, index } = found;
    const size = this.dropSize(index);
    const picked = world.pick(ray, 0);
    let point = picked?.point;
    if (!point) {
      const planes = world.planes().filter((p) => dot(p.normal, world.up) > 0.5);
      const distance = planes[0] ? meetPlane(ray, planes[0].point, planes[0].normal) : undefined;
      const near = distance !== undefined && distance < 6 * norm(sub(ray.origin, this.viewer.orbit.target));
      point = near ? along(ray, distance) : along(ray, norm(sub(ray.origin, this.viewer.orbit.target)));
    }
    const centre = add(point, scale(world.up, 1.2 * size));
    this.session.do('drop', { world: index, shape: this.drop.shape, soft: this.drop.soft, at: centre, size });
  }

  private hover(at: [number, number] | undefined): void {
    const now = performance.now();
    if (at && now - this.hoverAt < 60) return;
    this.hoverAt = now;
    const world = this.session.worlds[0];
    const picked = at && world && world.triangles() < 250_000 ? this.viewer.pick(...at) : undefined;
    const body = picked && picked.body.moves && this.session.live && this.session.acts ? picked.body : undefined;
    if (body !== this.viewer.hovered) {
      this.viewer.hovered = body;
      this.viewer.redraw();
    }
    this.cursor();
  }

  private cursor(): void {
    const style = this.viewer.canvas.style;
    const tool = this.choices.tool;
    if (this.mode === 'drag') style.cursor = 'grabbing';
    else if (tool === 'cut') style.cursor = 'crosshair';
    else if (tool === 'drop') style.cursor = 'copy';
    else if (this.viewer.hovered) style.cursor = tool === 'pin' ? 'cell' : 'grab';
    else style.cursor = this.mode === 'none' ? 'default' : 'move';
  }
}
