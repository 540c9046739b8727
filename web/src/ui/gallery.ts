import type { GalleryScene } from '../core/protocol';
import type { Session } from '../app/session';
import { el, icon, replace } from './dom';

// All built-in scenes with their pictures: one click runs one. Two variants of a scene, or two contact methods, can be opened side by
// side.

export class Gallery {
  readonly element = el('section', { id: 'gallery', hidden: true, 'aria-label': 'Gallery of scenes' });
  private readonly grid = el('div', { class: 'cards' });
  private readonly filter = el('input', { type: 'search', id: 'gallery-filter', placeholder: 'Find a scene', 'aria-label': 'Find a scene' });
  private scenes: GalleryScene[] | undefined;
  private readonly pictures = new Map<string, string>();
  private readonly note = el('p', { class: 'soft', id: 'gallery-note' });

  constructor(
    private readonly session: Session,
    private readonly closed: () => void,
  ) {
    const close = el('button', { class: 'button', id: 'gallery-close', type: 'button', title: 'Back to the scene (Esc)', 'aria-label': 'Back to the scene' }, icon('close'));
    close.addEventListener('click', () => this.close());
    this.filter.addEventListener('input', () => this.show());
    this.element.append(
      el('header', {}, el('div', { class: 'grow' }, el('h1', {}, 'Plush'), el('p', {}, 'Rigid and soft bodies in frictional contact. Choose a scene: it runs at once, and you can take hold of everything in it.')), this.filter, close),
      this.note,
      this.grid,
    );
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  async open(): Promise<void> {
    this.element.hidden = false;
    this.element.querySelector<HTMLElement>('#gallery-close')!.hidden = this.session.worlds.length === 0;
    if (!this.scenes) {
      this.note.textContent = 'Reading the list of scenes …';
      try {
        this.scenes = await this.session.client.gallery();
      } catch (error) {
        this.note.textContent = `The list of scenes cannot be read: ${error instanceof Error ? error.message : ''}`;
        return;
      }
    }
    this.show();
  }

  close(): void {
    if (this.session.worlds.length === 0) return;
    this.element.hidden = true;
    this.closed();
  }

  private show(): void {
    const wanted = this.filter.value.trim().toLowerCase();
    const scenes = (this.scenes ?? []).filter((s) => `${s.name} ${s.description}`.toLowerCase().includes(wanted));
    this.note.textContent = scenes.length === 0 ? 'No scene has this in its name or description.' : '';
    if (!this.session.acts && this.session.state?.acting) this.note.textContent = 'This page watches: take control to open a scene.';
    replace(this.grid, ...scenes.map((s) => this.card(s)));
  }

  private card(scene: GalleryScene): HTMLElement {
    const picture = el('div', { class: 'card-picture' });
    if (scene.picture) this.loadPicture(scene.name, picture);
    const open = el(
      'button',
      { class: 'card-open', type: 'button', 'data-scene': scene.name },
      picture,
      el('strong', {}, scene.name.replaceAll('_', ' ')),
      el('span', {}, scene.description),
    );
    open.addEventListener('click', () => this.start(scene.name));
    return el('article', { class: 'card' }, open, this.compare(scene));
  }

  /** Two variants, or two methods where there are none, side by side: behind a word, since most people run one. */
  private compare(scene: GalleryScene): HTMLElement {
    const what = scene.variants.length > 1 ? 'variants' : 'methods';
    const words = what === 'variants' ? scene.variants : (this.session.state?.methods ?? []).filter((m) => m !== 'none');
    const pick = (id: string, at: number): HTMLSelectElement => {
      const select = el('select', { 'aria-label': id }, ...words.map((v) => el('option', { value: v }, v.replaceAll('_', ' '))));
      select.selectedIndex = at;
      return select;
    };
    const a = pick('left', Math.max(0, words.indexOf('points')));
    const b = pick('right', Math.max(1, words.indexOf('volume')));
    const go = el('button', { class: 'small', type: 'button', 'data-compare': scene.name }, 'Run');
    go.addEventListener('click', () => this.start(scene.name, { [what]: [...new Set([a.value, b.value])] }));
    const row = el('div', { class: 'card-variants' }, a, el('span', { class: 'soft' }, 'and'), b, go);
    return el('details', { class: 'card-compare' }, el('summary', {}, what === 'variants' ? 'Compare variants' : 'Compare contact methods'), row);
  }

  private async start(scene: string, beside: Record<string, string[]> = {}): Promise<void> {
    this.note.textContent = `Building ${scene} …`;
    const result = await this.session.send({ do: 'open', scene, ...beside });
    this.note.textContent = '';
    if (!result.ok) return;
    this.element.hidden = true;
    this.closed();
    this.session.do('play');
  }

  /** Pictures need the token, so they come as blobs; only those that are near the view are fetched. */
  private loadPicture(name: string, into: HTMLElement): void {
    const show = (url: string): void => {
      const image = el('img', { src: url, alt: '', loading: 'lazy', decoding: 'async' });
      replace(into, image);
    };
    const known = this.pictures.get(name);
    if (known) {
      show(known);
      return;
    }
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      watch.disconnect();
      this.session.client.blob(`/api/picture/${encodeURIComponent(name)}.png`).then(
        (blob) => {
          const url = URL.createObjectURL(blob);
          this.pictures.set(name, url);
          show(url);
        },
        () => undefined,
      );
    });
    watch.observe(into);
  }
}
