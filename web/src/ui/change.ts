import type { Session } from '../app/session';
import type { Tools } from '../app/tools';
import type { WorldState } from '../core/protocol';
import { digits, el, quantity, replace } from './dom';

// What can be changed while it runs: gravity, step, cells and contact method of the world; friction, damping and stiffness of
// all bodies or of one.

interface Slider {
  input: HTMLInputElement;
  shown: HTMLOutputElement;
  set(value: number | null): void;
}

function slider(
  id: string,
  label: string,
  unit: string,
  range: [number, number],
  log: boolean,
  act: (value: number) => void,
  tip: string,
): Slider & { row: HTMLElement } {
  const [low, high] = log ? range.map(Math.log10) : range;
  const input = el('input', { id, type: 'range', min: low, max: high, step: (high! - low!) / 200, 'aria-label': label });
  const shown = el('output', { class: 'value', for: id });
  const valueOf = (): number => log ? Number((10 ** Number(input.value)).toPrecision(2)) : Number(Number(input.value).toPrecision(3));
  const words = (v: number): string => (unit === '' || unit === '1/s' ? `${digits(v)}${unit ? ` ${unit}` : ''}` : quantity(v, unit));
  let busyUntil = 0;
  input.addEventListener('input', () => {
    busyUntil = performance.now() + 1500;
    shown.textContent = words(valueOf());
  });
  input.addEventListener('change', () => act(valueOf()));
  const row = el('label', { class: 'slider', title: tip }, el('span', {}, label), shown, input);
  return {
    row,
    input,
    shown,
    set(value) {
      row.hidden = value === null;
      if (value === null || performance.now() < busyUntil || input.matches(':active')) return;
      input.value = String(log ? Math.log10(Math.max(value, 1e-30)) : value);
      shown.textContent = words(value);
    },
  };
}

const methodWords: Record<string, string> = {
  automatic: 'automatic: the engine chooses for each pair',
  volume: 'volume: the volume that bodies share',
  points: 'points: vertices against distances',
};

export class ChangePanel {
  readonly element: HTMLElement;
  private readonly gravity;
  private readonly step;
  private readonly cells;
  private readonly friction;
  private readonly damping;
  private readonly young;
  private readonly method = el('select', { id: 'method', 'aria-label': 'Contact method' });
  private readonly body = el('select', { id: 'body', 'aria-label': 'Which body' });
  private readonly world = el('select', { id: 'world', 'aria-label': 'Which world' });
  private readonly note = el('p', { class: 'soft' });
  private listed = '';
  private readonly size: HTMLInputElement;

  constructor(
    private readonly session: Session,
    private readonly tools: Tools,
    private readonly save: (what: 'state' | 'input') => void,
  ) {
    const send = (what: string, fields: Record<string, unknown>): void => session.do(what, { world: this.which, ...fields });
    const one = (): { body?: number } => (this.body.value === '' ? {} : { body: Number(this.body.value) });
    this.gravity = slider('gravity', 'Gravity', 'm/s²', [0, 30], false, (v) => send('set_gravity', { value: this.downwards(v) }), 'Downwards; 9.81 on earth');
    this.step = slider('set-step', 'Step', 's', [0.0005, 0.05], true, (v) => send('set_step', { value: v }), 'Simulated time of one step');
    this.cells = slider('cells', 'Cells across a contact', '', [1, 64], true, (v) => send('set_cells', { value: Math.round(v) }), 'How finely shared volumes are measured');
    this.friction = slider('friction', 'Friction', '', [0, 1.5], false, (v) => send('set_friction', { value: v, ...one() }), 'Coulomb coefficient');
    this.damping = slider('damping', 'Damping', '1/s', [0, 10], false, (v) => send('set_damping', { value: v, ...one() }), 'Of velocity');
    this.young = slider('young', 'Stiffness', 'Pa', [1e3, 1e8], true, (v) => send('set_young', { value: v, ...one() }), "Young's modulus of soft bodies");
    this.method.addEventListener('change', () => send('set_method', { value: this.method.value }));
    this.body.addEventListener('change', () => this.update());
    this.world.addEventListener('change', () => this.update());
    this.size = el('input', { id: 'drop-size', type: 'number', min: 0.001, step: 'any', placeholder: 'auto', 'aria-label': 'Size in metres' });
    this.size.addEventListener('change', () => (tools.drop.size = Number(this.size.value) || 0));
    this.element = el(
      'div',
      { id: 'change' },
      this.note,
      el('h3', {}, 'World'),
      el('label', { class: 'field', id: 'world-field' }, el('span', {}, 'Side'), this.world),
      this.gravity.row,
      this.step.row,
      el('label', { class: 'field' }, el('span', {}, 'Contact method'), this.method),
      this.cells.row,
      el('h3', {}, 'Bodies'),
      el('label', { class: 'field' }, el('span', {}, 'Which'), this.body),
      this.friction.row,
      this.damping.row,
      this.young.row,
      el('h3', {}, 'What is dropped'),
      this.dropRow(),
      el('h3', {}, 'Files'),
      this.fileRow(),
    );
  }

  private fileRow(): HTMLElement {
    const button = (id: string, label: string, tip: string, act: () => void): HTMLElement => el('button', { class: 'small', type: 'button', id, title: tip, onclick: act }, label);
    return el(
      'div',
      { class: 'files' },
      button('change-state', 'Present state', 'Opened again with plush view FILE', () => this.save('state')),
      button('change-input', 'What was done', 'Every command with its step: plush run SCENE --replay-input FILE does it all again', () => this.save('input')),
      button('change-reload', 'Read the scene again', 'Reads the file of the command line anew (R)', () => this.session.do('reload')),
    );
  }

  private dropRow(): HTMLElement {
    const shape = el('select', { id: 'drop-shape', 'aria-label': 'Shape' });
    for (const s of ['ball', 'box', 'bear'] as const) shape.append(el('option', { value: s }, s));
    shape.addEventListener('change', () => (this.tools.drop.shape = shape.value as 'ball'));
    const soft = el('select', { id: 'drop-soft', 'aria-label': 'Rigid or soft' }, el('option', { value: 'soft' }, 'soft'), el('option', { value: 'rigid' }, 'rigid'));
    soft.addEventListener('change', () => (this.tools.drop.soft = soft.value === 'soft'));
    return el(
      'div',
      {},
      el('div', { class: 'field two' }, soft, shape),
      el('label', { class: 'field' }, el('span', {}, 'Size, m'), this.size),
      el('p', { class: 'soft' }, 'Take the tool Drop and click where it shall fall.'),
    );
  }

  private get which(): number {
    return Number(this.world.value) || 0;
  }

  private downwards(value: number): number[] {
    const up = this.session.worlds[this.which]?.up ?? [0, 1, 0];
    return up.map((x) => (x === 0 ? 0 : -x * value));
  }

  private list(state: WorldState): void {
    const meta = this.session.worlds[this.which]?.meta;
    const worlds = this.session.state?.worlds ?? [];
    const key = JSON.stringify([this.which, meta?.bodies.map((b) => b.name), state.bodies.map((b) => b.index), worlds.map((w) => w.label)]);
    if (key === this.listed) return;
    this.listed = key;
    const chosen = this.body.value;
    replace(this.body, el('option', { value: '' }, 'all bodies'));
    for (const b of state.bodies) {
      const name = meta?.bodies.find((m) => m.index === b.index)?.name;
      this.body.append(el('option', { value: String(b.index) }, name ? `${name} (${b.index})` : `body ${b.index}`));
    }
    if ([...this.body.options].some((o) => o.value === chosen)) this.body.value = chosen;
    const side = this.world.value;
    replace(this.world, ...worlds.map((w, i) => el('option', { value: String(i) }, w.label || `world ${i}`)));
    if (side && Number(side) < worlds.length) this.world.value = side;
    replace(this.method, ...(this.session.state?.methods ?? []).map((m) => el('option', { value: m }, methodWords[m] ?? m)));
  }

  update(): void {
    const session = this.session.state;
    const state = session?.worlds[this.which] ?? session?.worlds[0];
    if (!session || !state) return;
    this.list(state);
    this.element.querySelector<HTMLElement>('#world-field')!.hidden = session.worlds.length < 2;
    const live = session.mode === 'live';
    this.note.textContent = live ? (this.session.acts ? '' : 'This page watches: take control to change something.') : 'A recorded run cannot be changed.';
    this.note.hidden = this.note.textContent === '';
    const s = state.settings;
    const up = this.session.worlds[this.which]?.up ?? [0, 1, 0];
    this.gravity.set(s ? Math.max(0, -(s.gravity[0] * up[0] + s.gravity[1] * up[1] + s.gravity[2] * up[2])) : null);
    this.step.set(s?.step ?? null);
    this.cells.set(s?.cells ?? null);
    if (s && document.activeElement !== this.method) this.method.value = s.method;
    const chosen = this.body.value === '' ? state.bodies : state.bodies.filter((b) => b.index === Number(this.body.value));
    const mean = (values: (number | null)[]): number | null => {
      const known = values.filter((v): v is number => v !== null);
      return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
    };
    this.friction.set(mean(chosen.map((b) => b.friction)));
    this.damping.set(mean(chosen.map((b) => b.damping)));
    this.young.set(mean(chosen.map((b) => b.young)));
    for (const e of this.element.querySelectorAll('input, select')) {
      const local = e.id.startsWith('drop') || e === this.body || e === this.world;
      (e as HTMLInputElement).disabled = !live || (!local && !this.session.acts);
    }
  }
}
