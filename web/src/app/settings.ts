// What a person has chosen to see. It stays for the next visit, apart from the tool in hand.

export type Tool = 'drag' | 'pin' | 'cut' | 'drop';
export type ColourBy = 'body' | 'velocity' | 'strain';
export type Overlay = 'contacts' | 'friction' | 'pressure' | 'overlap' | 'cells' | 'joints' | 'tets' | 'sleep';

export interface Choices {
  theme: 'light' | 'dark';
  colourBy: ColourBy;
  overlays: Set<Overlay>;
  tool: Tool;
  panel: boolean;
}

export const overlayLayers: Record<Overlay, string[]> = {
  contacts: ['contacts'],
  friction: ['contacts'],
  pressure: ['contacts'],
  overlap: ['contacts'],
  cells: ['cells'],
  joints: ['joints'],
  tets: ['tets'],
  sleep: [],
};
export const colourLayers: Record<ColourBy, string[]> = { body: [], velocity: ['velocity'], strain: ['strain'] };

export function layersOf(choices: Choices): string[] {
  const layers = new Set(colourLayers[choices.colourBy]);
  for (const overlay of choices.overlays) for (const layer of overlayLayers[overlay]) layers.add(layer);
  return [...layers].sort();
}

const remembered = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

export function firstChoices(): Choices {
  const theme = new URLSearchParams(location.search).get('theme') ?? remembered('plush-theme');
  const darkSystem = window.matchMedia('(prefers-color-scheme: dark)').matches;
  return {
    theme: theme === 'dark' || theme === 'light' ? theme : darkSystem ? 'dark' : 'light',
    colourBy: 'body',
    overlays: new Set(),
    tool: 'drag',
    panel: window.innerWidth > 860,
  };
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing still shows everything.
  }
}
export const isRemembered = (key: string): boolean => remembered(key) !== null;
