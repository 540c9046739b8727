import { roundNumberBelow } from './math';

// Numbers over time for the running plots: what was kept, how it is thinned for the pixels there are, and where lines with
// round numbers go.

export class History {
  private readonly names: string[] = [];
  readonly times: number[] = [];
  private readonly columns = new Map<string, number[]>();

  constructor(private readonly limit = 4096) {}

  /** A row at a later time; after a jump back in time what was later is forgotten. */
  add(time: number, row: Record<string, number>): void {
    while (this.times.length > 0 && this.times.at(-1)! >= time) this.cut(this.times.length - 1, this.times.length);
    this.times.push(time);
    for (const [name, value] of Object.entries(row)) {
      let column = this.columns.get(name);
      if (!column) {
        column = new Array<number>(this.times.length - 1).fill(NaN);
        this.columns.set(name, column);
        this.names.push(name);
      }
      column.push(value);
    }
    for (const column of this.columns.values()) if (column.length < this.times.length) column.push(NaN);
    if (this.times.length > this.limit) this.cut(0, this.limit / 4);
  }

  private cut(from: number, to: number): void {
    this.times.splice(from, to - from);
    for (const column of this.columns.values()) column.splice(from, to - from);
  }

  clear(): void {
    this.times.length = 0;
    this.columns.clear();
    this.names.length = 0;
  }

  column(name: string): readonly number[] {
    return this.columns.get(name) ?? [];
  }
  last(name: string): number | undefined {
    return this.columns.get(name)?.at(-1);
  }
}

export interface Range {
  low: number;
  high: number;
}

/** The range of the finite values of columns; with zero in it where they are all on one side and near it. */
export function rangeOf(columns: readonly (readonly number[])[]): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const v of column) {
      if (!Number.isFinite(v)) continue;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  }
  if (!(low <= high)) return { low: 0, high: 1 };
  if (low > 0 && low < 0.7 * high) low = 0;
  if (high < 0 && high > 0.7 * low) high = 0;
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
    const play = Math.max(Math.abs(high) * 0.1, 1e-12);
    return { low: low === 0 ? 0 : low - play, high: high + play };
  }
  return { low, high };
}

/** Round numbers inside a range, about so many. */
export function ticks(range: Range, about: number): number[] {
  const gap = roundNumberBelow(((range.high - range.low) / about) * 1.6);
  const out: number[] = [];
  for (let k = Math.ceil(range.low / gap - 1e-9); k * gap <= range.high + 1e-9 * gap; ++k) out.push(k === 0 ? 0 : k * gap);
  return out;
}

/** At most about two points a pixel, that keep the lowest and highest of each column of pixels. */
export function thin(times: readonly number[], values: readonly number[], pixels: number): [number, number][] {
  const out: [number, number][] = [];
  const from = times[0] ?? 0;
  const span = (times.at(-1) ?? 1) - from || 1;
  let column = -1;
  let low = -1;
  let high = -1;
  const flush = (): void => {
    if (low < 0) return;
    const [first, second] = low < high ? [low, high] : [high, low];
    out.push([times[first]!, values[first]!]);
    if (second !== first) out.push([times[second]!, values[second]!]);
  };
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i]!)) continue;
    const here = Math.floor(((times[i]! - from) / span) * pixels);
    if (here !== column) {
      flush();
      column = here;
      low = high = i;
    } else {
      if (values[i]! < values[low]!) low = i;
      if (values[i]! > values[high]!) high = i;
    }
  }
  flush();
  return out;
}
