import type { Session } from '../app/session';
import { centreOf } from '../core/math';
import type { BodyView } from '../scene/body_view';
import type { Tools } from '../app/tools';
import type { Viewer } from '../app/viewer';
import { el, icon, quantity, replace } from './dom';

// What is written and drawn over the picture in its own plane: the force of a drag, the line of a cut, labels of variants, and
// the hint that tells a newcomer how to drag, with a hand that pulls at a body until somebody has dragged one.

/** ms between two choices of the body at which the hand pulls */
const spotEvery = 500;
/** More triangles than this are not searched for a hint. */
const mostTriangles = 250_000;

export class Over {
  readonly element: HTMLElement;
  private readonly line: SVGLineElement;
  private readonly force = el('div', { id: 'force', class: 'tag', hidden: true });
  private readonly labels = el('div', { id: 'labels' });
  readonly hint: HTMLElement;
  private readonly hintText = el('span');
  private readonly spot = el('div', { id: 'hint-spot', hidden: true, 'aria-hidden': 'true' }, el('i'), icon('hand'));
  private spotBody: BodyView | undefined;
  private spotAt = -Infinity;
  private hintShown = '';
  private readonly divider = el('div', { id: 'divider', hidden: true });
  private hintDone = false;

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly tools: Tools,
  ) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    this.line = document.createElementNS(space, 'line');
    svg.append(this.line);
    this.hint = el('div', { id: 'hint', hidden: true }, el('span', { class: 'hint-hand' }, icon('hand')), this.hintText);
    this.element = el('div', { id: 'over' }, svg, this.divider, this.labels, this.spot, this.force, this.hint);
  }

  update(): void {
    const { line } = this.tools;
    this.line.style.display = line ? '' : 'none';
    if (line) {
      for (const [name, value] of [['x1', line.from[0]], ['y1', line.from[1]], ['x2', line.to[0]], ['y2', line.to[1]]] as const) {
        this.line.setAttribute(name, String(value));
      }
    }
    this.updateForce();
    this.updateLabels();
    this.updateHint();
  }

  private updateForce(): void {
    const held = this.tools.held;
    const mark = held && this.session.worlds[held.world]?.drags.find((d) => d.drag === held.drag);
    this.force.hidden = !mark;
    if (!held || !mark) return;
    const [x, y] = this.viewer.project(mark.target, held.world);
    const size = Math.hypot(...mark.force);
    this.force.textContent = quantity(size, 'N');
    this.force.classList.toggle('full', size > 0.97 * mark.maxForce);
    this.force.style.transform = `translate(${Math.round(x + 16)}px, ${Math.round(y - 34)}px)`;
  }

  private updateLabels(): void {
    const worlds = this.session.state?.worlds ?? [];
    const wanted = worlds.length > 1 ? worlds.map((w) => w.label || w.name) : [];
    const parts = this.viewer.parts();
    while (this.labels.children.length > wanted.length) this.labels.lastChild!.remove();
    while (this.labels.children.length < wanted.length) this.labels.append(el('div', { class: 'tag label' }));
    wanted.forEach((text, i) => {
      const label = this.labels.children[i] as HTMLElement;
      if (label.textContent !== text) label.textContent = text;
      const p = parts[i];
      if (!p) return;
      const middle = p.x + (p.width + p.insets.left - p.insets.right) / 2;
      label.style.transform = `translate(${Math.round(middle)}px, ${Math.round(p.y + (p.y > 0 ? 10 : p.insets.top + 4))}px) translateX(-50%)`;
    });
    this.divider.hidden = wanted.length < 2;
    const second = parts[1];
    if (second) {
      this.divider.style.left = `${second.x}px`;
      this.divider.style.top = `${second.y}px`;
      this.divider.className = second.y > 0 ? 'level' : 'upright';
    }
  }

  /** What can be dragged. */
  private movable(): BodyView[] {
    return [...(this.session.worlds[0]?.bodies.values() ?? [])].filter((b) => b.moves && b.meta.kind !== 'scripted');
  }

  private updateHint(): void {
    const { session, tools } = this;
    if (tools.dragged > 0) this.hintDone = true;
    const paused = session.state?.playing === false;
    const acts = session.live && session.acts;
    const first = acts && !this.hintDone && this.movable().length > 0;
    const waits = acts && tools.held !== undefined && paused;
    this.hint.hidden = !first && !waits;
    const now = waits ? 'waits' : first && paused ? 'paused' : 'first';
    if (now !== this.hintShown) {
      this.hintShown = now;
      const words: (Node | string)[] = [el('b', {}, now === 'waits' ? 'The world is paused' : 'Drag any body'), now === 'waits' ? '' : ' with the mouse or a finger'];
      const press = window.matchMedia('(hover: none)').matches ? '▶' : 'Space or ▶';
      if (now !== 'first') words.push(el('small', {}, now === 'waits' ? `it follows your hand when it runs: ${press}` : `${press} lets the world run`));
      replace(this.hintText, ...words);
    }
    this.updateSpot(first && tools.held === undefined);
  }

  private updateSpot(show: boolean): void {
    const now = performance.now();
    if (show && now - this.spotAt > spotEvery) {
      this.spotAt = now;
      this.spotBody = this.chooseSpot();
    }
    this.spot.hidden = !show || !this.spotBody;
    if (this.spot.hidden) return;
    const [x, y] = this.viewer.project(centreOf(this.spotBody!.box()));
    this.spot.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  /** The body nearest to the middle of the view whose middle is seen; it stays until it is seen no longer. */
  private chooseSpot(): BodyView | undefined {
    const world = this.session.worlds[0];
    if (!world || world.frames === 0 || world.triangles() > mostTriangles) return undefined;
    const part = this.viewer.parts()[0]!;
    const middle = [part.x + (part.width + part.insets.left - part.insets.right) / 2, part.y + (part.height + part.insets.top - part.insets.bottom) / 2];
    const far = (b: BodyView): number => {
      const [x, y] = this.viewer.project(centreOf(b.box()));
      return Math.hypot(x - middle[0]!, y - middle[1]!);
    };
    const inView = this.movable()
      .map((b) => ({ b, apart: b === this.spotBody ? -1 : far(b) }))
      .sort((a, b) => a.apart - b.apart)
      .slice(0, 4);
    return inView.find(({ b }) => this.viewer.pick(...this.viewer.project(centreOf(b.box())))?.body === b)?.b;
  }
}
