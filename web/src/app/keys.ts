import type { App } from './app';
import type { Tool } from './settings';

// Keys; src/ui/help.ts has the same list for people.

const tools: Record<string, Tool> = { d: 'drag', p: 'pin', c: 'cut', b: 'drop' };

function act(app: App, key: string): boolean {
  const { session, transport } = app;
  if (key in tools) app.setTool(tools[key]!);
  else if (/^[1-8]$/.test(key)) app.see.toggleNumber(Number(key));
  else if (key === ' ' || key === 'k') session.toggle();
  else if (key === '.') session.do('step');
  else if (key === 'home') session.do('reset');
  else if (key === '+' || key === '=') transport.faster(1);
  else if (key === '-') transport.faster(-1);
  else if (key === 'arrowleft') transport.seekBy(-1);
  else if (key === 'arrowright') transport.seekBy(1);
  else if (key === 'l' && session.state?.mode === 'recorded') session.do('loop', { value: !session.state.loop });
  else if (key === 'v') app.see.setColour('velocity');
  else if (key === 's') app.see.setColour('strain');
  else if (key === 'n') app.see.setColour('body');
  else if (key === 'f') app.viewer.fit();
  else if (key === 'g') app.gallery.isOpen ? app.gallery.close() : void app.gallery.open();
  else if (key === 'r') session.do('reload');
  else if (key === 't') app.toggleTheme();
  else if (key === 'o') void app.savePicture();
  else if (key === 'h' || key === '?') app.help.toggle();
  else return false;
  return true;
}

/** A button that was clicked gives the keyboard back: the next space plays, and does not press it again. */
function giveBack(): void {
  const at = document.activeElement;
  const types = at instanceof HTMLInputElement && (at.type === 'search' || at.type === 'number');
  if (at instanceof HTMLElement && (at.tagName === 'BUTTON' || (at.tagName === 'INPUT' && !types))) at.blur();
}

export function listenToKeys(app: App): void {
  window.addEventListener('pointerup', () => setTimeout(giveBack));
  window.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') {
      if (app.help.isOpen) app.help.toggle(false);
      else if (app.gallery.isOpen) app.gallery.close();
      else (document.activeElement as HTMLElement | null)?.blur();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = e.target as HTMLElement;
    const types = at.tagName === 'SELECT' || at.tagName === 'TEXTAREA' || (at.tagName === 'INPUT' && (at as HTMLInputElement).type !== 'checkbox');
    if (types) return;
    if (e.key === ' ' && (at.tagName === 'BUTTON' || at.tagName === 'INPUT')) return;
    if (act(app, e.key.toLowerCase())) e.preventDefault();
  });
}
