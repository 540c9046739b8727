import type { Choices } from '../app/settings';
import type { Viewer } from '../app/viewer';
import type { Session } from '../app/session';
import { roundNumberBelow } from '../core/math';
import { cssOf, colourOf, hues, rampAt } from '../core/palette';
import { depthOf } from '../scene/marks';
import type { WorldView } from '../scene/world_view';
import { el, quantity, replace, digits } from './dom';

// What the colours, dots and arrows mean: a block for each drawing mode that is on, with its name, its scale (an arrow of a round
// number of newtons, a bar of colours) and how many there are now. Of two worlds side by side it has both numbers.

const hex = (rgb: number): string => cssOf(colourOf(rgb));
const orange = hex(hues.slip);
type Sign = 'dot' | 'square' | 'stroke';

function line(sign: Sign, colour: string, text: string): HTMLElement {
  const mark = el('i', { class: sign });
  mark.style.background = colour;
  return el('div', { class: 'legend-line' }, el('span', { class: 'sign' }, mark), text);
}

function arrow(colour: string, pixels: number, text: string): HTMLElement {
  const sign = el('i', { class: 'arrow' });
  sign.style.color = colour;
  sign.style.width = `${Math.min(Math.max(pixels, 10), 90)}px`;
  return el('div', { class: 'legend-line' }, el('span', { class: 'sign' }, sign), text);
}

function scaleOf(top: string): HTMLElement {
  const bar = el('div', { class: 'ramp' });
  const stops = [0, 1, 2, 3, 4, 5, 6].map((i) => `rgb(${rampAt(i / 6).join(' ')})`);
  bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  return el('div', { class: 'legend-scale' }, bar, el('div', { class: 'ends' }, el('span', {}, '0'), el('span', {}, `${top} and more`)));
}

const note = (text: string): HTMLElement => el('div', { class: 'legend-note' }, text);
const block = (title: string, ...lines: (HTMLElement | false)[]): HTMLElement => el('section', {}, el('h4', {}, title), ...lines);

export class Legend {
  readonly element = el('div', { id: 'legend', class: 'plate', hidden: true, role: 'note', 'aria-label': 'Legend' });
  private shown = '';

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly choices: Choices,
  ) {}

  update(): void {
    const blocks = this.session.worlds[0] ? this.blocks() : [];
    const key = blocks.map((l) => l.outerHTML).join();
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = blocks.length === 0;
    replace(this.element, ...blocks);
  }

  /** Pixels for a metre in the middle of the scene. */
  private pixels(): number {
    const { height } = this.viewer.parts()[0]!;
    return height / (2 * this.viewer.orbit.distance * Math.tan((this.viewer.fov * Math.PI) / 360));
  }

  /** A number of each world. */
  private each(count: (world: WorldView) => number | string): string {
    return this.session.worlds.map((w) => String(count(w))).join(' | ');
  }
  private all(test: (world: WorldView) => boolean): boolean {
    return this.session.worlds.every(test);
  }
  private get ink(): string {
    return this.choices.theme === 'dark' ? '#e8ebef' : hex(hues.ink);
  }

  private blocks(): HTMLElement[] {
    const o = this.choices.overlays;
    const out: HTMLElement[] = [];
    if (this.choices.colourBy !== 'body') out.push(this.colours());
    if (o.has('contacts') || o.has('friction')) out.push(this.contacts());
    if (o.has('pressure')) out.push(this.pressure());
    if (o.has('overlap')) out.push(this.overlap());
    if (o.has('cells')) out.push(this.cells());
    if (o.has('joints')) out.push(this.joints());
    if (o.has('tets')) out.push(this.tets());
    if (o.has('sleep')) out.push(this.sleep());
    return out;
  }

  private colours(): HTMLElement {
    const top = this.viewer.scaleTop;
    if (this.choices.colourBy === 'velocity') return block('Velocity', scaleOf(quantity(top, 'm/s')), note('the speed of each point; fixed bodies keep their colour'));
    if (this.all((w) => ![...w.bodies.values()].some((b) => b.strain))) return block('Strain', note('no body of this scene has tets'));
    return block('Strain', scaleOf(`${digits(100 * top)} %`), note('von Mises, of the tets of soft bodies'));
  }

  private contacts(): HTMLElement {
    const o = this.choices.overlays;
    const s = this.viewer.scales;
    const count = (test: (force: number, sticks: boolean) => boolean): string => this.each((w) => w.contacts.filter((c) => test(c.normalForce, c.sticking)).length);
    const newtons = roundNumberBelow((0.25 * this.viewer.studio.subjectRadius) / Math.max(s.metresPerNewton, 1e-30));
    const long = newtons * s.metresPerNewton * this.pixels();
    const any = s.force > 0 && !this.all((w) => w.contacts.length === 0);
    return block(
      !o.has('friction') ? 'Contacts' : o.has('contacts') ? 'Contacts and friction' : 'Friction',
      line('dot', hex(hues.stick), `sticks: ${count((f, sticks) => f > 0 && sticks)}`),
      line('dot', orange, `slips: ${count((f, sticks) => f > 0 && !sticks)}`),
      line('dot', hex(hues.gap), `touches without force: ${count((f) => !(f > 0))}`),
      any && o.has('contacts') && arrow(this.ink, long, `presses, ${quantity(newtons, 'N')}`),
      any && o.has('friction') && arrow(hex(hues.friction), long, `friction, ${quantity(newtons, 'N')}`),
      any && note('forces on the body that moves'),
    );
  }

  private pressure(): HTMLElement {
    if (this.all((w) => !w.contacts.some((c) => c.area > 0))) return block('Pressure', note('no volume contact now: only these have areas'));
    return block('Pressure', scaleOf(quantity(1.25 * this.viewer.scales.pressure, 'Pa')), note('a disc is as large as its contact'));
  }

  private overlap(): HTMLElement {
    const s = this.viewer.scales;
    const deepest = (w: WorldView): number => Math.max(0, ...w.contacts.map(depthOf));
    if (this.all((w) => deepest(w) === 0)) return block('Penetration', note('no body overlaps another now'));
    const depth = roundNumberBelow((0.25 * this.viewer.studio.subjectRadius) / s.magnification);
    return block(
      'Penetration',
      arrow(orange, depth * s.magnification * this.pixels(), `${quantity(depth, 'm')}, drawn ${digits(s.magnification)} times as long`),
      note(`the way out of the overlap; deepest ${this.each((w) => quantity(deepest(w), 'm'))}`),
    );
  }

  private cells(): HTMLElement {
    if (this.all((w) => w.cells.length === 0)) return block('Shared volumes', note('no pair shares a volume now'));
    const volume = (w: WorldView): number => w.cells.reduce((sum, c) => sum + c.volume, 0);
    const pairs = (w: WorldView): number => new Set(w.cells.map((c) => `${c.a}/${c.b}`)).size;
    return block(
      'Shared volumes',
      line('square', orange, `a cell, as thick as the overlap: ${this.each((w) => w.cells.length)}`),
      note(`pairs of bodies: ${this.each(pairs)}; together ${this.each((w) => digits(1e6 * volume(w)))} cm³`),
    );
  }

  private joints(): HTMLElement {
    if (this.all((w) => w.joints.length === 0)) return block('Joints', note('no joints in this scene'));
    const s = this.viewer.scales;
    const newtons = roundNumberBelow((0.25 * this.viewer.studio.subjectRadius) / Math.max(s.metresPerJointNewton, 1e-30));
    const largest = (w: WorldView): number => Math.max(0, ...w.joints.map((j) => Math.hypot(...j.force)));
    return block(
      'Joints',
      line('dot', hex(hues.torque), `a joint: ${this.each((w) => w.joints.length)}`),
      s.joint > 0 && arrow(this.ink, newtons * s.metresPerJointNewton * this.pixels(), `its force on its first body, ${quantity(newtons, 'N')}`),
      note(s.joint > 0 ? `largest ${this.each((w) => quantity(largest(w), 'N'))}` : 'no force yet'),
    );
  }

  private tets(): HTMLElement {
    const drawn = this.session.worlds.map((_, i) => this.viewer.tetsOf(i)?.drawn ?? 0);
    if (drawn.every((n) => n === 0)) return block('Tets', note('no body of this scene has tets'));
    const inverted = this.session.worlds.map((_, i) => this.viewer.tetsOf(i)?.inverted ?? 0);
    return block(
      'Tets',
      line('stroke', this.ink, `edges of ${drawn.join(' | ')} tets, which carry the surface`),
      line('stroke', orange, `inverted: ${inverted.join(' | ')}`),
    );
  }

  private sleep(): HTMLElement {
    const count = (w: WorldView): string => {
      const moving = [...w.bodies.values()].filter((b) => b.moves);
      return `${moving.filter((b) => b.asleep).length} of ${moving.length}`;
    };
    return block('Sleep', line('square', '#77797c', `asleep: ${this.each(count)} bodies`));
  }
}
