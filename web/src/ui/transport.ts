import type { Session } from '../app/session';
import type { WorldState } from '../core/protocol';
import { el, icon, iconButton, replace } from './dom';

// Play, pause, one step, back to the start, speed and time; of recorded runs also the scrubber.

const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 0];
const fixed = (x: number | null | undefined): string => (typeof x === 'number' ? x.toFixed(2) : '–');
/** Of a recorded run, s. */
const lengthOf = (w: WorldState): number | null => w.duration ?? (w.frames && w.frame_rate ? (w.frames - 1) / w.frame_rate : null);
const speedWords = (s: number): string => (s === 0 ? 'max' : `${s}×`);

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly time = el('output', { id: 'time', class: 'time' }, '0.00 s');
  private readonly rate = el('output', { id: 'rate', class: 'soft' });
  private readonly speed: HTMLSelectElement;
  private readonly loop: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly scrubRow: HTMLElement;
  private readonly reset: HTMLButtonElement;
  private shown: boolean | undefined;
  private scrubbing = false;
  private seekWaits: number | undefined;
  private seeking = false;

  constructor(private readonly session: Session) {
    this.reset = iconButton('reset', 'back', 'Back to the start (Home)', () => session.do('reset'));
    this.play = iconButton('play', 'play', 'Play or pause (Space)', () => session.toggle());
    this.play.classList.add('primary');
    const step = iconButton('step', 'step', 'One step (.)', () => session.do('step'));
    this.loop = iconButton('loop', 'loop', 'Play again and again (L)', () => session.do('loop', { value: !session.state?.loop }));
    this.speed = el('select', { id: 'speed', title: 'Speed: 1× is real time, max is as fast as it can', 'aria-label': 'Speed' });
    for (const s of speeds) this.speed.append(el('option', { value: String(s) }, speedWords(s)));
    this.speed.addEventListener('change', () => session.do('speed', { value: Number(this.speed.value) }));
    this.scrub = el('input', { id: 'scrub', type: 'range', min: 0, max: 1, step: 1, value: 0, 'aria-label': 'Frame' });
    this.scrub.addEventListener('input', () => {
      this.scrubbing = true;
      this.seek(Number(this.scrub.value));
    });
    this.scrub.addEventListener('change', () => (this.scrubbing = false));
    this.scrubRow = el('div', { class: 'scrub-row' }, this.scrub);
    this.element = el(
      'div',
      { id: 'transport', class: 'plate' },
      this.scrubRow,
      el(
        'div',
        { class: 'transport-row' },
        this.reset,
        this.play,
        step,
        this.loop,
        el('div', { class: 'times' }, this.time, this.rate),
        el('label', { class: 'speed' }, this.speed),
      ),
    );
  }

  /** One seek is under way at a time; the newest frame that was asked for follows. */
  private seek(frame: number): void {
    this.seekWaits = frame;
    if (this.seeking) return;
    this.seeking = true;
    const next = (): void => {
      const wanted = this.seekWaits;
      this.seekWaits = undefined;
      if (wanted === undefined) {
        this.seeking = false;
        return;
      }
      void this.session.send({ do: 'seek', frame: wanted }).then(next);
    };
    next();
  }

  seekBy(frames: number): void {
    const world = this.session.state?.worlds[0];
    if (world?.frames === undefined) return;
    this.seek(Math.min(Math.max((world.frame ?? 0) + frames, 0), world.frames - 1));
  }

  faster(by: number): void {
    const at = speeds.indexOf(this.session.state?.speed ?? 1);
    const next = speeds[Math.min(Math.max((at < 0 ? 3 : at) + by, 0), speeds.length - 1)]!;
    this.session.do('speed', { value: next });
  }

  update(): void {
    const state = this.session.state;
    if (!state) return;
    const world = state.worlds[0];
    const recorded = state.mode === 'recorded';
    if (this.shown !== state.playing) replace(this.play, icon(state.playing ? 'pause' : 'play'));
    this.shown = state.playing;
    this.play.setAttribute('aria-pressed', String(state.playing));
    this.loop.hidden = !recorded;
    this.loop.classList.toggle('on', state.loop);
    this.scrubRow.hidden = !recorded;
    if (recorded && world) {
      this.scrub.max = String(Math.max(0, (world.frames ?? 1) - 1));
      if (!this.scrubbing) this.scrub.value = String(world.frame ?? 0);
    }
    if (!speeds.includes(state.speed)) {
      if (![...this.speed.options].some((o) => Number(o.value) === state.speed))
        this.speed.append(el('option', { value: String(state.speed) }, speedWords(state.speed)));
    }
    // Only where it is another one: a list that is open would jump.
    if (this.speed.value !== String(state.speed)) this.speed.value = String(state.speed);
    for (const e of this.element.querySelectorAll('button, select, input')) (e as HTMLButtonElement).disabled = !this.session.acts;
    this.updateTime();
  }

  updateTime(): void {
    const state = this.session.state;
    const frame = this.session.worlds[0]?.frame;
    if (!state || !frame) return;
    const world = state.worlds[0];
    const wide = window.innerWidth > 500;
    const of = state.mode === 'recorded' && world && wide ? ` of ${fixed(lengthOf(world))}` : '';
    this.time.textContent = `${fixed(frame.time)}${of} s`;
    const steps = `step ${frame.step}`;
    this.rate.textContent = state.playing
      ? state.mode === 'live'
        ? `${fixed(state.real_time_factor)}× ${wide ? 'real time ' : ''}· ${Math.round(state.steps_per_second)} steps/s`
        : `${fixed(state.real_time_factor)}×${wide ? ' real time' : ''}`
      : `${steps} · paused`;
  }
}
