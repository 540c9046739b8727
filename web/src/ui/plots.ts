import { History, rangeOf, thin, ticks } from '../core/series';
import type { FrameMeta } from '../core/protocol';
import { el, quantity, digits, replace } from './dom';

// Running plots: energies, contacts, the largest overlap, the residual, milliseconds of each phase.

interface Line {
  name: string;
  label: string;
  colour: string;
}
interface Plot {
  title: string;
  unit: string;
  lines: Line[];
  /** Powers of ten. */
  log?: boolean;
  floor?: number;
}

const phases = ['predict', 'detect', 'model', 'solve', 'correct', 'stabilise'];
const hues = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#8a7f00'];

const plots: Plot[] = [
  {
    title: 'Energy',
    unit: 'J',
    lines: [
      { name: 'kinetic', label: 'kinetic', colour: hues[1]! },
      { name: 'elastic', label: 'elastic', colour: hues[2]! },
      { name: 'gravity', label: 'gravity', colour: hues[0]! },
      { name: 'total', label: 'total', colour: hues[3]! },
    ],
  },
  { title: 'Contacts', unit: '', lines: [{ name: 'contacts', label: 'contacts', colour: hues[0]! }] },
  { title: 'Largest overlap', unit: 'm', lines: [{ name: 'largest_depth', label: 'overlap', colour: hues[3]! }] },
  { title: 'Residual of the solver', unit: '', log: true, floor: 1e-16, lines: [{ name: 'residual', label: 'residual', colour: hues[4]! }] },
  {
    title: 'Time of a step',
    unit: 'ms',
    lines: phases.map((p, i) => ({ name: p, label: p, colour: hues[i]! })),
  },
];

interface Drawn {
  plot: Plot;
  canvas: HTMLCanvasElement;
  legend: HTMLElement;
}

export class Plots {
  readonly element: HTMLElement;
  private histories: History[] = [];
  private readonly drawn: Drawn[];
  private dirty = true;
  /** In recorded runs all is known, and a line stands at the present time. */
  now: number | undefined;

  constructor(private readonly labelOf: (world: number) => string) {
    this.drawn = plots.map((plot) => ({
      plot,
      canvas: el('canvas', { class: 'plot', role: 'img', 'aria-label': plot.title }),
      legend: el('div', { class: 'plot-legend' }),
    }));
    this.element = el('div', { id: 'plots' });
    for (const d of this.drawn) {
      this.element.append(el('section', { class: 'plot-box' }, el('h3', {}, d.plot.title), d.canvas, d.legend));
    }
  }

  history(world: number): History {
    return (this.histories[world] ??= new History());
  }

  clear(worlds: number): void {
    this.histories = Array.from({ length: worlds }, () => new History());
    this.dirty = true;
  }

  take(world: number, frame: FrameMeta): void {
    if (!frame.report) {
      this.now = frame.time;
      this.dirty = true;
      return;
    }
    this.now = undefined;
    const r = frame.report;
    this.history(world).add(frame.time, {
      kinetic: r.kinetic,
      elastic: r.elastic,
      gravity: r.gravity,
      total: r.kinetic + r.elastic + r.gravity,
      contacts: r.contacts,
      largest_depth: r.largest_depth,
      residual: r.residual,
      ...r.ms,
    });
    this.dirty = true;
  }

  /** The whole of a recorded run, or the last steps of a live one, as `/api/metrics` gives it. */
  load(world: number, columns: Record<string, number[]>): void {
    const live = 'ms_predict' in columns;
    const history = live ? new History() : new History(1 << 20);
    const of = (name: string, i: number): number => columns[name]?.[i] ?? NaN;
    (columns.time ?? []).forEach((time, i) => {
      const row: Record<string, number> = {
        kinetic: of('kinetic', i),
        elastic: of('elastic', i),
        gravity: of('gravity', i),
        contacts: of('contacts', i),
        largest_depth: of('largest_depth', i),
        residual: of('residual', i),
      };
      row.total = row.kinetic! + row.elastic! + row.gravity!;
      for (const p of phases) row[p] = live ? of(`ms_${p}`, i) : 1000 * of(p, i);
      history.add(time, row);
    });
    this.histories[world] = history;
    this.dirty = true;
  }

  draw(visible: boolean): void {
    if (!this.dirty || !visible) return;
    this.dirty = false;
    for (const d of this.drawn) this.drawOne(d);
  }
  redraw(): void {
    this.dirty = true;
  }

  private drawOne({ plot, canvas, legend }: Drawn): void {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width < 10) {
      this.dirty = true;
      return;
    }
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext('2d')!;
    g.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const ink = style.getPropertyValue('--ink-soft').trim() || '#666';
    const grid = style.getPropertyValue('--line').trim() || '#ccc';
    const value = (v: number): number => (plot.log ? Math.log10(Math.max(v, plot.floor ?? 1e-16)) : v);
    const worlds = this.histories.filter((h) => h && h.times.length > 0);
    const all = worlds.flatMap((h) => plot.lines.map((l) => h.column(l.name).map(value)));
    const range = rangeOf(all);
    if (plot.log) {
      range.low = Math.floor(range.low);
      range.high = Math.max(Math.ceil(range.high), range.low + 1);
    }
    const from = Math.min(...worlds.map((h) => h.times[0]!), Infinity);
    const to = Math.max(...worlds.map((h) => h.times.at(-1)!), -Infinity);
    const left = 42;
    const bottom = 15;
    const x = (t: number): number => left + ((t - from) / (to - from || 1)) * (width - left - 4);
    const y = (v: number): number => 5 + (1 - (v - range.low) / (range.high - range.low)) * (height - bottom - 8);
    g.font = '10px system-ui, "DejaVu Sans", sans-serif';
    g.fillStyle = ink;
    g.strokeStyle = grid;
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (const t of ticks(range, 3).filter((v) => !plot.log || Number.isInteger(v))) {
      g.beginPath();
      g.moveTo(left, Math.round(y(t)) + 0.5);
      g.lineTo(width - 4, Math.round(y(t)) + 0.5);
      g.stroke();
      const words = plot.log ? `1e${digits(t)}` : plot.unit === 'ms' ? digits(t) : quantity(t, plot.unit);
      g.fillText(words, left - 5, y(t));
    }
    g.textAlign = 'center';
    g.textBaseline = 'alphabetic';
    if (worlds.length > 0) for (const t of ticks({ low: from, high: to }, 4)) g.fillText(`${digits(t)} s`, Math.min(Math.max(x(t), left + 8), width - 14), height - 3);
    worlds.forEach((h, w) => {
      g.setLineDash(w > 0 ? [4, 3] : []);
      for (const line of plot.lines) {
        g.strokeStyle = line.colour;
        g.lineWidth = 1.4;
        g.beginPath();
        thin(h.times, h.column(line.name).map(value), width - left).forEach(([t, v], i) => (i ? g.lineTo(x(t), y(v)) : g.moveTo(x(t), y(v))));
        g.stroke();
      }
    });
    g.setLineDash([]);
    if (this.now !== undefined && this.now >= from && this.now <= to) {
      g.strokeStyle = ink;
      g.beginPath();
      g.moveTo(x(this.now), 4);
      g.lineTo(x(this.now), height - bottom);
      g.stroke();
    }
    this.write(plot, legend, worlds);
  }

  private valueNow(h: History, name: string): number | undefined {
    if (this.now === undefined) return h.last(name);
    const at = h.times.findIndex((t) => t >= this.now! - 1e-9);
    return h.column(name)[at < 0 ? h.times.length - 1 : at];
  }

  private write(plot: Plot, legend: HTMLElement, worlds: History[]): void {
    const rows = worlds.map((h, w) => {
      const items = plot.lines.map((line) => {
        const swatch = el('i', { class: 'swatch' });
        swatch.style.background = line.colour;
        const now = this.valueNow(h, line.name);
        const words = now === undefined || !Number.isFinite(now) ? '–' : plot.unit === 'ms' ? `${digits(now)} ms` : quantity(now, plot.unit);
        return el('span', { class: 'plot-item' }, swatch, plot.lines.length > 1 ? `${line.label} ` : '', el('b', {}, words));
      });
      return el('div', { class: 'plot-row' }, worlds.length > 1 ? el('em', {}, this.labelOf(w)) : null, ...items);
    });
    replace(legend, ...(rows.length > 0 ? rows : [el('span', { class: 'soft' }, 'nothing yet: press play')]));
  }
}
