import './style.css';
import './panels.css';
import './pages.css';
import './narrow.css';
import { App } from './app/app';

const root = document.getElementById('app')!;
try {
  const app = new App(root);
  app.start();
} catch (error) {
  root.textContent = `This page cannot start: ${error instanceof Error ? error.message : String(error)}. It needs WebGL 2.`;
}
