import type { Session } from '../app/session';
import type { Problem, SessionState, Warning } from '../core/protocol';
import { el, icon, replace } from './dom';

// What has to be said in words, each with its fix: warnings of the engine, what the program refused, a lost line, a page that
// only watches, errors of a scene file.

interface Note {
  key: string;
  kind: 'warn' | 'bad' | 'info';
  text: string;
  fix?: string;
  button?: { label: string; act: () => void; id: string };
  closable?: boolean;
  /** It is shown for a while, and then only behind the button with their number. */
  passing?: boolean;
}

/** ms */
const shownFor = 7000;

export class Alerts {
  readonly element = el('div', { id: 'alerts', role: 'status', 'aria-live': 'polite' });
  private readonly closed = new Set<string>();
  private shown = '';
  private readonly drawn = new Map<string, { kind: Note['kind']; element: HTMLElement }>();
  private readonly since = new Map<string, number>();
  private all = false;
  readonly button = el('button', { id: 'warnings', class: 'button', type: 'button', hidden: true, title: 'Warnings' });
  private refusal: { problem: Problem; until: number } | undefined;

  constructor(private readonly session: Session) {
    session.on('refused', () => {
      this.refusal = { problem: session.refusal!, until: performance.now() + 8000 };
      this.update();
      setTimeout(() => this.update(), 8100);
    });
    this.button.addEventListener('click', () => {
      this.all = !this.all;
      this.update();
    });
  }

  private notes(): Note[] {
    const s = this.session;
    const notes: Note[] = [];
    if (s.line === 'lost' || s.line === 'refused') {
      notes.push({ key: 'line', kind: 'bad', text: s.lineProblem?.problem ?? 'The line is lost.', fix: s.lineProblem?.fix });
      return notes;
    }
    const state = s.state;
    if (!state) return notes;
    if (state.busy) notes.push({ key: 'busy', kind: 'info', text: `${state.busy[0]!.toUpperCase()}${state.busy.slice(1)} …` });
    if (!s.acts && state.acting) {
      notes.push({
        key: 'watch',
        kind: 'info',
        text: 'Another page acts; this one watches.',
        button: { label: 'Take control', id: 'take-control', act: () => s.do('take_control') },
      });
    }
    if (state.ended) notes.push({ key: 'ended', kind: 'bad', text: state.ended.problem, fix: state.ended.fix });
    for (const [kind, list] of [['bad', state.open_errors], ['warn', state.open_warnings]] as const) {
      for (const p of list ?? []) {
        const place = [p.file, p.place].filter(Boolean).join(', ');
        const key = `open/${state.reads}/${place}/${p.problem}`;
        notes.push({ key, kind, text: place ? `${place}: ${p.problem}` : p.problem, fix: p.fix, closable: true });
      }
    }
    notes.push(...this.warnings(state));
    const told = state.open_errors.some((p) => p.problem === this.refusal?.problem.problem);
    if (this.refusal && !told && performance.now() < this.refusal.until) {
      notes.push({ key: 'refusal', kind: 'warn', text: this.refusal.problem.problem, fix: this.refusal.problem.fix });
    }
    return notes.filter((n) => !this.closed.has(n.key));
  }

  /** One note for each kind of warning: the newest in its own words, and how many bodies have the same. */
  private warnings(state: SessionState): Note[] {
    const found = new Map<string, { newest: Warning; who: Set<string>; count: number }>();
    state.worlds.forEach((world, i) => {
      for (const w of world.warnings ?? []) {
        const key = w.id === 'log' ? `log/${w.text}` : w.id;
        const same = found.get(key) ?? { newest: w, who: new Set<string>(), count: 0 };
        if (w.last_step >= same.newest.last_step) same.newest = w;
        same.who.add(`${i}/${w.body}`);
        same.count += w.count;
        found.set(key, same);
      }
    });
    return [...found].map(([key, { newest, who, count }]) => {
      const more = who.size > 1 ? ` ${who.size - 1} more ${who.size === 2 ? 'body has' : 'bodies have'} the same.` : '';
      const when = count > 1 ? `${count} times, last in step ${newest.last_step}` : `step ${newest.last_step}`;
      return { key: `warn/${key}`, kind: 'warn', text: `${newest.text}${more}`, fix: [newest.fix, `(${when})`].filter(Boolean).join(' '), passing: true };
    });
  }

  update(): void {
    const notes = this.notes();
    const now = performance.now();
    for (const key of this.since.keys()) if (!notes.some((n) => n.key === key)) this.since.delete(key);
    const passing = notes.filter((n) => n.passing);
    for (const n of passing) {
      if (this.since.has(n.key)) continue;
      this.since.set(n.key, now);
      setTimeout(() => this.update(), shownFor + 50);
    }
    this.button.hidden = passing.length === 0;
    const number = String(passing.length);
    if (this.button.textContent !== number) replace(this.button, icon('warn'), el('i', {}, number));
    this.button.classList.toggle('on', this.all && passing.length > 0);
    const some = notes.filter((n) => !n.passing || this.all || now - this.since.get(n.key)! < shownFor).slice(0, 5);
    const key = JSON.stringify(some);
    if (key === this.shown) return;
    this.shown = key;
    this.show(some);
  }

  /** Notes that stay keep their elements: a count that changes while the world runs must not take a button from under a finger. */
  private show(notes: Note[]): void {
    for (const [key, old] of this.drawn) {
      if (notes.some((n) => n.key === key && n.kind === old.kind)) continue;
      old.element.remove();
      this.drawn.delete(key);
    }
    for (const note of notes) {
      const known = this.drawn.get(note.key) ?? { kind: note.kind, element: this.draw(note) };
      this.drawn.set(note.key, known);
      const [text, fix] = known.element.querySelectorAll('p');
      if (text!.textContent !== note.text) text!.textContent = note.text;
      if (fix!.textContent !== (note.fix ?? '')) fix!.textContent = note.fix ?? '';
      fix!.hidden = !note.fix;
    }
    notes.forEach((n, i) => {
      const { element } = this.drawn.get(n.key)!;
      if (this.element.children[i] !== element) this.element.insertBefore(element, this.element.children[i] ?? null);
    });
  }

  private draw(note: Note): HTMLElement {
    const out = el(
      'div',
      { class: `alert plate ${note.kind}`, 'data-key': note.key },
      note.kind === 'info' ? null : el('span', { class: 'alert-sign' }, icon('warn')),
      el('div', { class: 'grow' }, el('p', {}), el('p', { class: 'fix' })),
    );
    if (note.button) {
      const { label, act, id } = note.button;
      out.append(el('button', { class: 'small', type: 'button', id, onclick: act }, label));
    }
    if (note.closable) {
      const close = el('button', { class: 'button tiny', type: 'button', 'aria-label': 'Close' }, icon('close'));
      close.addEventListener('click', () => {
        this.closed.add(note.key);
        this.update();
      });
      out.append(close);
    }
    return out;
  }
}
