import type { Choices } from '../app/settings';
import type { Viewer } from '../app/viewer';
import type { Session } from '../app/session';
import { roundNumberBelow } from '../core/math';
import { cssOf, colourOf, hues, rampAt } from '../core/palette';
import { el, quantity, replace, digits } from './dom';

// What the colours, dots and arrows mean, with an arrow of a round number of newtons.

const hex = (rgb: number): string => cssOf(colourOf(rgb));

function dot(colour: string, text: string): HTMLElement {
  const sign = el('i', { class: 'dot' });
  sign.style.background = colour;
  return el('div', { class: 'legend-line' }, el('span', { class: 'sign' }, sign), text);
}

function arrow(colour: string, pixels: number, text: string): HTMLElement {
  const sign = el('i', { class: 'arrow' });
  sign.style.color = colour;
  sign.style.width = `${Math.min(Math.max(pixels, 10), 90)}px`;
  return el('div', { class: 'legend-line' }, el('span', { class: 'sign' }, sign), text);
}

function scaleOf(top: string, title: string): HTMLElement {
  const bar = el('div', { class: 'ramp' });
  const stops = [0, 1, 2, 3, 4, 5, 6].map((i) => `rgb(${rampAt(i / 6).join(' ')})`);
  bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  return el('div', { class: 'legend-scale' }, el('div', {}, title), bar, el('div', { class: 'ends' }, el('span', {}, '0'), el('span', {}, top)));
}

export class Legend {
  readonly element = el('div', { id: 'legend', class: 'plate', hidden: true });
  private shown = '';

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly choices: Choices,
  ) {}

  update(): void {
    const lines = this.lines();
    const key = lines.map((l) => l.outerHTML).join();
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = lines.length === 0;
    replace(this.element, ...lines);
  }

  /** Pixels for a metre in the middle of the scene. */
  private pixels(): number {
    const { height } = this.viewer.parts()[0]!;
    return height / (2 * this.viewer.orbit.distance * Math.tan((this.viewer.fov * Math.PI) / 360));
  }

  private lines(): HTMLElement[] {
    const o = this.choices.overlays;
    const marks = this.viewer.marksOf(0);
    const world = this.session.worlds[0];
    if (!marks || !world) return [];
    const ink = this.choices.theme === 'dark' ? '#e8ebef' : hex(hues.ink);
    const s = marks.scales;
    const radius = this.viewer.studio.subjectRadius;
    const out: HTMLElement[] = [];
    if (this.choices.colourBy === 'velocity') out.push(scaleOf(quantity(this.viewer.scaleTop, 'm/s'), 'velocity'));
    if (this.choices.colourBy === 'strain') out.push(scaleOf(`${digits(100 * this.viewer.scaleTop)} %`, 'von Mises strain'));
    if (o.has('contacts') || o.has('friction') || o.has('overlap')) {
      out.push(dot(hex(hues.stick), 'sticks'), dot(hex(hues.slip), 'slips'), dot(hex(hues.gap), 'touches without force'));
    }
    const newtons = roundNumberBelow((0.25 * radius) / Math.max(s.metresPerNewton, 1e-30));
    const long = newtons * s.metresPerNewton * this.pixels();
    if (o.has('contacts') && s.force > 0) out.push(arrow(ink, long, `presses, ${quantity(newtons, 'N')}`));
    if (o.has('friction') && s.force > 0) out.push(arrow(hex(hues.friction), long, `friction, ${quantity(newtons, 'N')}`));
    if (o.has('overlap')) {
      const deepest = Math.max(0, ...world.contacts.map((c) => (c.depth > 0 ? Math.max(c.depth, c.largestDepth) : 0)));
      if (deepest > 0) {
        const depth = roundNumberBelow((0.25 * radius) / s.magnification);
        out.push(arrow(hex(hues.slip), depth * s.magnification * this.pixels(), `overlap, ${quantity(depth, 'm')} (drawn ${digits(s.magnification)}×)`));
        out.push(el('div', { class: 'legend-line' }, `deepest ${quantity(deepest, 'm')}`));
      } else out.push(el('div', { class: 'legend-line' }, 'no overlap'));
    }
    if (o.has('pressure')) {
      if (s.pressure > 0) out.push(scaleOf(quantity(1.25 * s.pressure, 'Pa'), 'pressure'));
      else out.push(el('div', { class: 'legend-line' }, 'no contact by volume: no pressure'));
    }
    if (o.has('cells')) {
      const volume = world.cells.reduce((sum, c) => sum + c.volume, 0);
      const pairs = new Set(world.cells.map((c) => `${c.a}/${c.b}`)).size;
      out.push(dot(hex(hues.slip), pairs === 0 ? 'no pair shares a volume' : `${pairs} ${pairs === 1 ? 'pair shares' : 'pairs share'} ${digits(1e6 * volume)} cm³ in ${world.cells.length} cells`));
    }
    if (o.has('joints')) {
      out.push(dot(hex(hues.torque), world.joints.length === 0 ? 'no joints in this scene' : `joint${world.joints.length > 1 ? `s: ${world.joints.length}` : ''}`));
      if (s.joint > 0) out.push(arrow(ink, 0.3 * radius * this.pixels(), `holds with ${quantity(s.joint, 'N')}`));
    }
    if (o.has('tets')) {
      const tets = this.viewer.tetsOf(0);
      out.push(el('div', { class: 'legend-line' }, tets && tets.drawn > 0 ? `${tets.drawn} tets, ${tets.inverted} inverted` : 'no tets in this scene'));
    }
    if (o.has('sleep')) {
      const asleep = [...world.bodies.values()].filter((b) => b.moves && b.asleep).length;
      const moving = [...world.bodies.values()].filter((b) => b.moves).length;
      out.push(dot('#77797c', `${asleep} of ${moving} bodies sleep`));
    }
    return out;
  }
}
