import { el, icon } from './dom';

// What every key, button and finger does.

const keys: [string, string][] = [
  ['Space', 'play or pause'],
  ['.', 'one step'],
  ['Home', 'back to the start'],
  ['+  −', 'faster, slower'],
  ['← →', 'a frame back or on (recorded runs)'],
  ['L', 'loop (recorded runs)'],
  ['D  P  C  B', 'tools: drag, pin, cut, drop a body'],
  ['1 … 8', 'contacts, friction, pressure, overlap, cells, joints, tets, sleep'],
  ['V  S  N', 'colour by velocity, by strain, by body'],
  ['F', 'the whole scene in view'],
  ['G', 'gallery of scenes'],
  ['R', 'read the scene file again'],
  ['T', 'light or dark'],
  ['O', 'picture as PNG'],
  ['H  ?', 'this help'],
  ['Esc', 'close what is open'],
];
const hands: [string, string][] = [
  ['Drag a body', 'pulls it at the point you took: a spring, with its force in newtons. Let go while moving: a throw'],
  ['Wheel while dragging', 'pulls it nearer or pushes it away'],
  ['Drag beside bodies', 'turns the view'],
  ['Wheel, pinch', 'comes nearer'],
  ['Right button', 'turns the view, over bodies too'],
  ['Shift + drag, two fingers', 'moves the view'],
  ['Pin', 'click a point: it stays where it is. Click the pin: it comes out'],
  ['Cut', 'draw a line across a soft body'],
  ['Drop', 'click where the new body shall fall'],
];

export class Help {
  readonly element: HTMLElement;
  constructor() {
    const close = el('button', { class: 'button', type: 'button', id: 'help-close', 'aria-label': 'Close', title: 'Close (Esc)' }, icon('close'));
    close.addEventListener('click', () => this.toggle(false));
    const table = (rows: [string, string][], plain: boolean): HTMLElement =>
      el('dl', {}, ...rows.flatMap(([k, v]) => [el('dt', {}, ...(plain ? [k] : k.split(/\s+/).map((x) => (x === '…' ? ' … ' : el('kbd', {}, x))))), el('dd', {}, v)]));
    const card = el(
      'div',
      { class: 'help-card plate', role: 'dialog', 'aria-label': 'Help' },
      el('header', {}, el('h2', { class: 'grow' }, 'How to use this'), close),
      el('div', { class: 'help-columns' }, el('section', {}, el('h3', {}, 'Mouse and fingers'), table(hands, true)), el('section', {}, el('h3', {}, 'Keys'), table(keys, false))),
    );
    this.element = el('div', { id: 'help', hidden: true }, card);
    this.element.addEventListener('click', (e) => {
      if (e.target === this.element) this.toggle(false);
    });
  }
  toggle(on = this.element.hidden): void {
    this.element.hidden = !on;
  }
  get isOpen(): boolean {
    return !this.element.hidden;
  }
}
