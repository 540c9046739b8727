// Elements of the page. All text goes in as text nodes: names and messages come from files and are never read as HTML.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value as EventListener);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  append(node, children);
  return node;
}

function append(node: Element, children: Child[]): void {
  for (const child of children) if (child) node.append(child);
}

export function replace(node: Element, ...children: Child[]): void {
  node.replaceChildren();
  append(node, children);
}

const svgSpace = 'http://www.w3.org/2000/svg';

/** Paths on a square of 24 units, drawn as lines unless their name says that they are filled. */
const shapes = {
  play: { fill: true, d: 'M8 5.2v13.6c0 .8.9 1.3 1.6.9l10.6-6.8c.6-.4.6-1.3 0-1.7L9.6 4.3C8.9 3.9 8 4.4 8 5.2z' },
  pause: { fill: true, d: 'M7 4.5h3a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1zm7 0h3a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1z' },
  step: { fill: true, d: 'M5 5.4v13.2c0 .8.9 1.3 1.5.8l9-6.6c.6-.4.6-1.2 0-1.6l-9-6.6C5.9 4.1 5 4.6 5 5.4zM17 5h2.5v14H17z' },
  back: { fill: true, d: 'M19 5.4v13.2c0 .8-.9 1.3-1.5.8l-9-6.6c-.6-.4-.6-1.2 0-1.6l9-6.6c.6-.5 1.5 0 1.5.8zM7 5H4.5v14H7z' },
  loop: { d: 'M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3m13-2v2a3 3 0 0 1-3 3H4' },
  hand: { d: 'M8 13V5.5a1.5 1.5 0 0 1 3 0V11m0-.5v-7a1.5 1.5 0 0 1 3 0V11m0-5.5a1.5 1.5 0 0 1 3 0V12m0-4.5a1.5 1.5 0 0 1 3 0V15a7 7 0 0 1-7 7h-1.2a6 6 0 0 1-4.9-2.5L4.3 14.4c-.6-.9-.3-2 .6-2.5.7-.4 1.6-.2 2.1.4l1 1.2' },
  pin: { d: 'M12 16v6M8 3h8l-1 6 3 4v2H6v-2l3-4-1-6z' },
  cut: { d: 'M6 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm0 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM20 4L8.1 15.9M14.5 14.5L20 20M8.1 8.1L12 12' },
  drop: { d: 'M12 3v9m0 0l-3.5-3.5M12 12l3.5-3.5M5 15h14v4a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-4z' },
  gallery: { d: 'M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z' },
  sun: { d: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2v2m0 16v2M4.9 4.9l1.4 1.4m11.4 11.4l1.4 1.4M2 12h2m16 0h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4' },
  moon: { d: 'M20.5 14.5A8.5 8.5 0 1 1 9.5 3.5a7 7 0 0 0 11 11z' },
  camera: { d: 'M4 8h3l1.5-2.5h7L17 8h3a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1zm8 8.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z' },
  save: { d: 'M12 3v12m0 0l-4.5-4.5M12 15l4.5-4.5M4 17v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3' },
  help: { d: 'M9 9a3 3 0 1 1 4.5 2.6c-.9.6-1.5 1.1-1.5 2.4m0 3.5v.1M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20z' },
  close: { d: 'M5 5l14 14M19 5L5 19' },
  eye: { d: 'M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z' },
  sliders: { d: 'M4 6h9m4 0h3M4 12h3m4 0h9M4 18h7m4 0h5M15 4v4M9 10v4M13 16v4' },
  chart: { d: 'M4 4v16h16M7 15l4-5 3 3 5-7' },
  frame: { d: 'M4 9V5a1 1 0 0 1 1-1h4m6 0h4a1 1 0 0 1 1 1v4m0 6v4a1 1 0 0 1-1 1h-4m-6 0H5a1 1 0 0 1-1-1v-4' },
  reload: { d: 'M20 4v5h-5M4 20v-5h5M5 9a7.5 7.5 0 0 1 12.5-2.5L20 9M4 15l2.5 2.5A7.5 7.5 0 0 0 19 15' },
  warn: { d: 'M12 4L2.5 20h19L12 4zm0 6v4.5m0 2.8v.1' },
  panel: { d: 'M4 4h16v16H4zM15 4v16' },
  more: { fill: true, d: 'M5 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm7 0a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm7 0a2 2 0 1 1 0 4 2 2 0 0 1 0-4z' },
} satisfies Record<string, { d: string; fill?: boolean }>;

export type Icon = keyof typeof shapes;

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS(svgSpace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const shape: { d: string; fill?: boolean } = shapes[name];
  svg.classList.add('icon', shape.fill ? 'filled' : 'lined');
  const path = document.createElementNS(svgSpace, 'path');
  path.setAttribute('d', shape.d);
  svg.append(path);
  return svg;
}

/** A button with a sign, and its meaning as a tip and for screen readers. */
export function iconButton(id: string, name: Icon, tip: string, act: () => void, label?: string): HTMLButtonElement {
  const button = el('button', { id, class: label ? 'button labelled' : 'button', title: tip, 'aria-label': tip, type: 'button', onclick: act });
  button.append(icon(name));
  if (label) button.append(el('span', {}, label));
  return button;
}

/** Numbers as people read them: three digits, and a unit with a prefix. */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return `– ${unit}`;
  if (value === 0) return `0 ${unit}`;
  const size = Math.abs(value);
  if (unit === '') return digits(value);
  const prefixes: [number, string][] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
    [1e-9, 'n'],
  ];
  const [factor, prefix] = prefixes.find(([f]) => size >= 0.9995 * f) ?? [1e-9, 'n'];
  return size < 1e-12 ? `0 ${unit}` : `${digits(value / factor)} ${prefix}${unit}`;
}

export function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e');
  return value.toLocaleString('en', {
    maximumSignificantDigits: 3,
    useGrouping: false,
  });
}
