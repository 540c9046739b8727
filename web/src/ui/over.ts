import type { Session } from '../app/session';
import type { Tools } from '../app/tools';
import type { Viewer } from '../app/viewer';
import { el, icon, quantity } from './dom';

// What is written and drawn over the picture in its own plane: the force of a drag, the line of a cut, labels of variants, and
// the hint that tells a newcomer how to drag.

export class Over {
  readonly element: HTMLElement;
  private readonly line: SVGLineElement;
  private readonly force = el('div', { id: 'force', class: 'tag', hidden: true });
  private readonly labels = el('div', { id: 'labels' });
  readonly hint: HTMLElement;
  private readonly divider = el('div', { id: 'divider', hidden: true });
  private readonly started = performance.now();
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
    this.hint = el('div', { id: 'hint', hidden: true }, el('span', { class: 'hint-hand' }, icon('hand')), el('span', {}, el('b', {}, 'Drag any body'), ' with the mouse or a finger'));
    this.element = el('div', { id: 'over' }, svg, this.divider, this.labels, this.force, this.hint);
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

  private updateHint(): void {
    const some = [...(this.session.worlds[0]?.bodies.values() ?? [])].some((b) => b.moves && b.meta.kind !== 'scripted');
    if (this.tools.dragged > 0) this.hintDone = true;
    const show = !this.hintDone && this.session.live && this.session.acts && some && performance.now() - this.started > 300;
    this.hint.hidden = !show;
  }
}
