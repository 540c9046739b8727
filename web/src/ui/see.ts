import type { Choices, ColourBy, Overlay } from '../app/settings';
import type { Session } from '../app/session';
import { colourLayers, overlayLayers } from '../app/settings';
import { el } from './dom';

// What to see: how bodies are coloured, and what is drawn over them.

const colours: [ColourBy, string, string][] = [
  ['body', 'Body', 'Each body, or each kind, in its own colour'],
  ['velocity', 'Velocity', 'Dark where it rests, yellow where it is fast'],
  ['strain', 'Strain', 'Dark where it is at rest, yellow where it is stretched most (soft bodies)'],
];

const overlays: [Overlay, string, string][] = [
  ['contacts', 'Contacts and normal forces', 'A dot for each contact: blue where it sticks, orange where it slips, grey without force; dark arrows press'],
  ['friction', 'Friction forces', 'Yellow arrows along the surface'],
  ['pressure', 'Pressure', 'A disc as large as the contact, in the colour of its pressure (volume contact)'],
  ['overlap', 'Penetration vectors', 'Along the normal, as long as the overlap times the factor in the legend'],
  ['cells', 'Shared volumes and cells', 'What two bodies share, and the cells it is measured in'],
  ['joints', 'Joints and their forces', 'A ball at each joint, an arrow for the force on its first body'],
  ['tets', 'Tets under the surface', 'The elements of soft bodies; inverted ones in orange'],
  ['sleep', 'Sleeping bodies', 'Grey where a body sleeps'],
];

export class SeePanel {
  readonly element: HTMLElement;
  private readonly colourButtons = new Map<ColourBy, HTMLButtonElement>();
  private readonly boxes = new Map<Overlay, HTMLInputElement>();

  constructor(
    private readonly session: Session,
    private readonly choices: Choices,
    private readonly changed: () => void,
  ) {
    const radio = el('div', { class: 'segments', role: 'radiogroup', 'aria-label': 'Colour by' });
    for (const [value, label, tip] of colours) {
      const button = el('button', { type: 'button', role: 'radio', title: tip, id: `colour-${value}` }, label);
      button.addEventListener('click', () => this.setColour(value));
      this.colourButtons.set(value, button);
      radio.append(button);
    }
    const list = el('div', { class: 'switches' });
    overlays.forEach(([value, label, tip], i) => {
      const box = el('input', { type: 'checkbox', id: `see-${value}` });
      box.addEventListener('change', () => this.toggle(value));
      this.boxes.set(value, box);
      list.append(el('label', { class: 'switch', title: tip }, box, el('span', { class: 'knob' }), el('span', { class: 'grow' }, label), el('kbd', {}, String(i + 1))));
    });
    this.element = el('div', { id: 'see' }, el('h3', {}, 'Colour by'), radio, el('h3', {}, 'Draw'), list);
    this.update();
  }

  setColour(value: ColourBy): void {
    this.choices.colourBy = value;
    this.update();
    this.changed();
  }
  toggle(value: Overlay): void {
    const set = this.choices.overlays;
    if (set.has(value)) set.delete(value);
    else set.add(value);
    this.update();
    this.changed();
  }
  toggleNumber(n: number): void {
    const found = overlays[n - 1];
    if (found && !this.boxes.get(found[0])!.disabled) this.toggle(found[0]);
  }

  /** Recorded runs hold contacts only: the rest is greyed, with the reason. */
  update(): void {
    const layers = this.session.state?.worlds[0]?.layers;
    const has = (names: string[]): boolean => !layers || names.every((n) => layers.includes(n));
    const reason = 'This run holds no such data';
    for (const [value, button] of this.colourButtons) {
      button.setAttribute('aria-checked', String(this.choices.colourBy === value));
      button.disabled = !has(colourLayers[value]);
      if (button.disabled) button.title = reason;
    }
    for (const [value, box] of this.boxes) {
      box.checked = this.choices.overlays.has(value);
      const recorded = this.session.state?.mode === 'recorded';
      box.disabled = !has(overlayLayers[value]) || (value === 'pressure' && recorded);
      box.parentElement!.classList.toggle('disabled', box.disabled);
      if (box.disabled) box.parentElement!.title = reason;
    }
  }
}
