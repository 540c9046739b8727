import { download } from '../core/client';
import { Alerts } from '../ui/alerts';
import { ChangePanel } from '../ui/change';
import { el, icon, iconButton, replace } from '../ui/dom';
import type { Icon } from '../ui/dom';
import { Gallery } from '../ui/gallery';
import { Help } from '../ui/help';
import { Legend } from '../ui/legend';
import { Over } from '../ui/over';
import { Plots } from '../ui/plots';
import { SeePanel } from '../ui/see';
import { Transport } from '../ui/transport';
import { listenToKeys } from './keys';
import { Session } from './session';
import { firstChoices, layersOf, remember } from './settings';
import type { Tool } from './settings';
import { exposeState } from './test_state';
import { Tools } from './tools';
import { Viewer } from './viewer';

// The page put together: the canvas, what lies over it, and who tells whom that something has changed.

type Tab = 'see' | 'change' | 'plots';

const toolWords: [Tool, Icon, string, string][] = [
  ['drag', 'hand', 'Drag', 'Take hold of a body and pull (D)'],
  ['pin', 'pin', 'Pin', 'Click a point: it stays where it is; click the pin again to take it out (P)'],
  ['cut', 'cut', 'Cut', 'Draw a line across a soft body (C)'],
  ['drop', 'drop', 'Drop', 'Click where a new body shall fall (B)'],
];

export class App {
  readonly choices = firstChoices();
  readonly session = new Session();
  readonly viewer: Viewer;
  readonly tools: Tools;
  readonly transport: Transport;
  readonly see: SeePanel;
  readonly gallery: Gallery;
  readonly help = new Help();
  private readonly change: ChangePanel;
  private readonly plots: Plots;
  private readonly legend: Legend;
  private readonly over: Over;
  private readonly alerts: Alerts;
  private readonly canvas = el('canvas', { id: 'scene', 'aria-label': 'The simulated scene', tabindex: 0 });
  private readonly name = el('div', { id: 'scene-name' });
  private readonly side: HTMLElement;
  private readonly toolButtons = new Map<Tool, HTMLButtonElement>();
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private readonly top: HTMLElement;
  private readonly dock: HTMLElement;
  private tab: Tab = 'see';
  private metricsFor = '';
  private uiAt = 0;

  constructor(private readonly root: HTMLElement) {
    const stage = el('main', { id: 'stage' }, this.canvas);
    root.append(stage);
    this.viewer = new Viewer(this.canvas, this.session, this.choices);
    this.tools = new Tools(this.viewer, this.session, this.choices);
    this.transport = new Transport(this.session);
    this.see = new SeePanel(this.session, this.choices, () => this.choose());
    this.change = new ChangePanel(this.session, this.tools, (what) => void this.saveFile(what));
    this.plots = new Plots((i) => this.session.state?.worlds[i]?.label ?? '');
    this.legend = new Legend(this.session, this.viewer, this.choices);
    this.over = new Over(this.session, this.viewer, this.tools);
    this.alerts = new Alerts(this.session);
    this.gallery = new Gallery(this.session, () => this.viewer.redraw());
    this.top = this.makeTop();
    this.side = this.makeSide();
    this.dock = el('div', { id: 'dock' }, this.makeTools(), this.transport.element);
    stage.append(this.over.element, this.top, this.legend.element, this.side, this.dock, this.alerts.element);
    root.append(this.gallery.element, this.help.element);
    this.listen();
    listenToKeys(this);
    exposeState(this);
    this.setTheme(this.choices.theme);
    this.setTool('drag');
    const open = this.choices.panel;
    this.showTab('see');
    this.showPanel(open);
  }

  start(): void {
    this.session.client.subscribe(layersOf(this.choices));
    void this.session.client.run();
    const tick = (): void => {
      requestAnimationFrame(tick);
      this.often();
    };
    requestAnimationFrame(tick);
  }

  private makeTop(): HTMLElement {
    const theme = iconButton('theme', 'moon', 'Light or dark (T)', () => this.toggleTheme());
    return el(
      'header',
      { id: 'top' },
      el('div', { class: 'plate group' }, iconButton('open-gallery', 'gallery', 'Gallery of scenes (G)', () => void this.gallery.open()), this.name),
      el('div', { class: 'grow' }),
      el(
        'div',
        { class: 'plate group' },
        this.alerts.button,
        iconButton('fit', 'frame', 'The whole scene in view (F)', () => this.viewer.fit()),
        iconButton('reload-scene', 'reload', 'Read the scene file again (R)', () => this.session.do('reload')),
        iconButton('picture', 'camera', 'Picture as PNG (O)', () => void this.savePicture()),
        iconButton('save-state', 'save', 'Save the present state', () => void this.saveFile('state')),
        theme,
        iconButton('open-help', 'help', 'Help (H)', () => this.help.toggle()),
        iconButton('toggle-panel', 'panel', 'Show or hide the panel', () => this.showPanel(!this.choices.panel)),
      ),
    );
  }

  private makeTools(): HTMLElement {
    const bar = el('div', { id: 'tools', class: 'plate', role: 'toolbar', 'aria-label': 'Tools' });
    for (const [tool, sign, label, tip] of toolWords) {
      const button = iconButton(`tool-${tool}`, sign, tip, () => this.setTool(tool), label);
      this.toolButtons.set(tool, button);
      bar.append(button);
    }
    return bar;
  }

  private makeSide(): HTMLElement {
    const words: [Tab, Icon, string][] = [
      ['see', 'eye', 'See'],
      ['change', 'sliders', 'Change'],
      ['plots', 'chart', 'Plots'],
    ];
    const bar = el('nav', { class: 'tabs', role: 'tablist' });
    for (const [tab, sign, label] of words) {
      const button = el('button', { type: 'button', role: 'tab', id: `tab-${tab}` }, icon(sign), label);
      button.addEventListener('click', () => (this.choices.panel && this.tab === tab && this.isNarrow ? this.showPanel(false) : this.showTab(tab)));
      this.tabs.set(tab, button);
      bar.append(button);
    }
    const body = el('div', { class: 'side-body' }, this.see.element, this.change.element, this.plots.element);
    return el('aside', { id: 'side', class: 'plate' }, bar, body);
  }

  get isNarrow(): boolean {
    return window.innerWidth <= 860;
  }

  showTab(tab: Tab): void {
    this.tab = tab;
    for (const [name, button] of this.tabs) button.setAttribute('aria-selected', String(name === tab));
    this.see.element.hidden = tab !== 'see';
    this.change.element.hidden = tab !== 'change';
    this.plots.element.hidden = tab !== 'plots';
    this.showPanel(true);
    this.plots.redraw();
  }

  showPanel(on: boolean): void {
    this.choices.panel = on;
    this.root.classList.toggle('panel', on);
    this.measure();
  }

  setTool(tool: Tool): void {
    this.choices.tool = tool;
    for (const [name, button] of this.toolButtons) button.setAttribute('aria-pressed', String(name === tool));
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.choices.theme = theme;
    document.documentElement.dataset.theme = theme;
    replace(document.getElementById('theme')!, icon(theme === 'dark' ? 'sun' : 'moon'));
    this.viewer.setTheme(theme);
    this.plots.redraw();
  }
  toggleTheme(): void {
    this.setTheme(this.choices.theme === 'dark' ? 'light' : 'dark');
    remember('plush-theme', this.choices.theme);
  }

  private choose(): void {
    const layers = layersOf(this.choices);
    this.session.client.subscribe(layers);
    for (const world of this.session.worlds) world.forgetLayers(layers);
    this.viewer.redraw();
  }

  async savePicture(): Promise<void> {
    const blob = await this.viewer.picture();
    const world = this.session.worlds[0];
    if (blob) download(blob, `${world?.meta?.name ?? 'plush'}-${(world?.frame.time ?? 0).toFixed(2)}s.png`);
  }
  async saveFile(what: 'state' | 'input'): Promise<void> {
    const world = this.session.state?.worlds[0];
    const name = `${(world?.name ?? 'plush').replace(/[^\w-]+/g, '-')}-${world?.step ?? 0}`;
    try {
      if (what === 'state') download(await this.session.client.blob('/api/save?world=0'), `${name}.plush`);
      else download(await this.session.client.blob('/api/input'), `${name}-input.jsonl`);
    } catch (error) {
      this.session.refuse({ problem: error instanceof Error ? error.message : 'This cannot be saved.' });
    }
  }

  private listen(): void {
    const s = this.session;
    s.on('state', () => this.stateChanged());
    s.on('line', () => this.stateChanged());
    s.on('scene', () => this.sceneChanged());
    s.on('frame', () => this.frameCame());
    window.addEventListener('resize', () => this.measure());
  }

  private stateChanged(): void {
    this.transport.update();
    this.see.update();
    this.change.update();
    this.alerts.update();
    const state = this.session.state;
    this.root.classList.toggle('several', (state?.worlds.length ?? 0) > 1);
    this.root.classList.toggle('recorded', state?.mode === 'recorded');
    this.root.classList.toggle('watching', !this.session.acts);
    if (state && state.worlds.length === 0 && !state.busy && !this.gallery.isOpen) void this.gallery.open();
    this.measure();
  }

  private sceneChanged(): void {
    const meta = this.session.worlds[0]?.meta;
    replace(this.name, el('b', {}, meta ? meta.name.replaceAll('_', ' ') : 'Plush'), meta?.description ? el('span', { class: 'soft' }, meta.description) : null);
    document.title = meta ? `${meta.name} – Plush` : 'Plush';
    const key = `${this.session.worlds.length}/${meta?.name}/${this.session.state?.mode}`;
    if (key !== this.metricsFor && meta) {
      this.metricsFor = key;
      this.plots.clear(this.session.worlds.length);
      this.session.worlds.forEach((_, i) => {
        this.session.client.metrics(i).then(
          (m) => this.plots.load(i, m.columns),
          () => undefined,
        );
      });
    }
    this.see.update();
  }

  private frameCame(): void {
    this.session.worlds.forEach((w, i) => this.plots.take(i, w.frame));
  }

  /** What is written follows the picture, but not more than twenty times a second. */
  private often(): void {
    this.over.update();
    const now = performance.now();
    if (now - this.uiAt < 50) return;
    this.uiAt = now;
    this.transport.updateTime();
    this.legend.update();
    this.plots.draw(this.choices.panel && this.tab === 'plots');
  }

  /** Tells the camera what the panels cover. */
  private measure(): void {
    const narrow = this.isNarrow;
    const height = (e: HTMLElement): number => e.getBoundingClientRect().height;
    const panel = this.choices.panel;
    this.root.style.setProperty('--dock', `${Math.round(height(this.dock))}px`);
    this.viewer.setInsets({
      left: narrow ? 0 : 84,
      right: narrow ? 0 : panel ? 320 : 0,
      top: height(this.top) + 12,
      bottom: narrow ? height(this.dock) + (panel ? height(this.side) : 52) : 84,
    });
  }
}
