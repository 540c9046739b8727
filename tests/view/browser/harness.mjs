// What the tests of the page share: the program, a browser on it, and checks that say what they measured.
// Each test is a file of its own: node TEST.mjs PROGRAM WEB. Exit status 0: passed; 1: failed; 77: it cannot run here.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const [program, web] = process.argv.slice(2).map((given) => path.resolve(given));
export const scenes = path.join(path.dirname(fileURLToPath(import.meta.url)), 'scenes');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((p) => fs.existsSync(p));
// For each state that is waited for: a machine may be a hundred times as slow as another. Shorter than ctest's limit for a whole
// test (tests/view/page.cmake), so that a test that waits in vain says for what.
const patience = Number(process.env.PLUSH_PATIENCE ?? 300_000);

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

let checks = 0;
export function check(what, is, ...numbers) {
  ++checks;
  if (!is) throw new Error(`${what}: ${numbers.map((n) => JSON.stringify(n)).join(' ')}`);
}

/** The program with these arguments; `address` is what it printed, `end()` is Ctrl-C and its exit status. */
export async function serve(...args) {
  const child = spawn(program, ['view', '--threads', '2', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stderr.on('data', (d) => (errors += d));
  const ended = new Promise((done) => child.on('exit', (code, signal) => done(code ?? signal)));
  const address = await new Promise((done, fail) => {
    child.stdout.on('data', (d) => {
      out += d;
      const found = /http:\/\/\S+/.exec(out);
      if (found) done(found[0]);
    });
    void ended.then((status) => fail(new Error(`plush view ended with ${status}: ${errors}`)));
  });
  return {
    address,
    ended,
    child,
    errors: () => errors,
    async end(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
  };
}

export async function launch() {
  if (!chromium) skip('chromium is not installed');
  let playwright;
  try {
    playwright = createRequire(path.join(web, 'package.json'))('playwright-core');
  } catch {
    skip('playwright-core is not installed: npm could not fetch it');
  }
  return playwright.chromium.launch({
    executablePath: chromium,
    timeout: patience,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
    ],
  });
}

/** A page on the address. What goes wrong in it, and what it asks of other hosts, is kept in `faults`. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.faults = [];
  const origin = new URL(address).origin;
  page.on('pageerror', (e) => page.faults.push(`error: ${e.message}`));
  page.on('console', (m) => {
    const text = m.text();
    // The browser reports refused requests and lost lines here; tests that cause them look at the page instead.
    if (m.type() === 'error' && !/Failed to load resource|ERR_/.test(text)) page.faults.push(`console: ${text}`);
  });
  page.on('request', (r) => {
    if (!r.url().startsWith(origin) && !/^(blob|data):/.test(r.url())) page.faults.push(`asks elsewhere: ${r.url()}`);
  });
  if (process.env.PLUSH_PAGE) await serveFrom(context, process.env.PLUSH_PAGE, origin);
  // Few pixels, since they are drawn without a graphics card; pictures ask for another quality.
  await page.goto(address.includes('?') ? address : address.replace('/#', '/?quality=least#'));
  await until(page, () => window.plush?.line === 'open' && window.plush.state !== undefined, 'the page has its line');
  return page;
}

/** While one works on the page: its files from a folder (`npx vite build` writes web/dist), everything else from the program. */
async function serveFrom(context, folder, origin) {
  await context.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/api/')) return route.continue();
    return route.fulfill({ path: path.join(folder, pathname === '/' ? 'index.html' : pathname) });
  });
}

/** Waits for a state of the page, never for a time. */
export async function until(page, condition, what, argument) {
  try {
    await page.waitForFunction(condition, argument, { timeout: patience, polling: 50 });
    ++checks;
  } catch (error) {
    const known = await page
      .evaluate(() => JSON.stringify({ state: window.plush?.state, counts: window.plush?.counts, frame: window.plush?.frame?.[0] }))
      .catch(() => 'the page is gone');
    throw new Error(`waited in vain until ${what}: ${error.message.split('\n')[0]}\n${known.slice(0, 3000)}\n${page.faults?.join('\n')}`);
  }
}

export const read = (page, what, argument) => page.evaluate(what, argument);
/** The scene is there, the camera has found it, and the first picture of it is drawn. */
export const drawn = (page) => until(page, () => window.plush.view.drawnOfScene > 0 && window.plush.counts[0]?.frames > 0, 'the scene is drawn');

/** Paused, with the last frame arrived. Returns the world's state document. */
export async function paused(page) {
  await until(
    page,
    () => {
      const s = window.plush.state;
      return !s.playing && s.worlds[0].hash !== null && window.plush.frame[0].step === s.worlds[0].step;
    },
    'the world stands still',
  );
  return read(page, () => window.plush.state.worlds[0]);
}
export async function pause(page) {
  if (await read(page, () => window.plush.state.playing)) await page.click('#play');
  return paused(page);
}
export async function play(page) {
  if (!(await read(page, () => window.plush.state.playing))) await page.click('#play');
  await until(page, () => window.plush.state.playing, 'it plays');
}
export async function steps(page, count) {
  const from = await read(page, () => window.plush.frame[0].step);
  await until(page, (n) => window.plush.frame[0].step >= n, `${count} steps are done`, from + count);
}

/** So many steps, neither more nor less: what follows does not depend on how fast the machine is. */
export async function stepBy(page, count) {
  for (let left = count; left > 0; ) {
    // A few at a time: on a loaded machine each may take many seconds.
    // Another command of the page, such as the last target of a hand, ends the steps early: the rest follows.
    const answer = await command(page, { do: 'step', count: Math.min(left, 5) });
    const made = answer?.[0];
    check('steps are made', made?.ok && made.done >= 0, answer ?? (await read(page, () => window.lastAnswer)));
    left -= made.done;
  }
  return paused(page);
}
/** What is written in the page follows its state within a frame or two. */
export const seen = (page, selector, words = '') =>
  until(page, ([s, w]) => { const e = document.querySelector(s); return e?.checkVisibility() && new RegExp(w).test(e.textContent); }, `${selector} says ${words}`, [selector, words]);
export const unseen = (page, selector) => until(page, (s) => !document.querySelector(s)?.checkVisibility(), `${selector} is gone`, selector);

export async function slide(page, id, value) {
  await page.evaluate(
    ([name, v]) => {
      const input = document.getElementById(name);
      input.value = String(v);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    },
    [id, value],
  );
}

/** A place in the window where a body is seen, as near to the middle of its box as there is one. */
export async function placeOf(page, body, up = 0.5) {
  const place = await read(
    page,
    ([b, t]) => {
      const { low, high } = window.plush.body(b);
      const corner = (i) => [0, 1, 2].map((k) => (i & (1 << k) ? high[k] : low[k]));
      const seen = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => window.plush.project(corner(i)));
      const wide = Math.max(...seen.map((p) => p[0])) - Math.min(...seen.map((p) => p[0]));
      const middle = window.plush.project([(low[0] + high[0]) / 2, low[1] + t * (high[1] - low[1]), (low[2] + high[2]) / 2]);
      for (let ring = 0; ring < 12; ++ring) {
        for (let k = 0; k < 12; ++k) {
          const r = (wide / 24) * ring;
          const at = [middle[0] + r * Math.cos(k), middle[1] + r * Math.sin(k)];
          const top = document.elementFromPoint(...at);
          if (top?.id === 'scene' && window.plush.pick(...at)?.body === b) return at;
        }
      }
      return null;
    },
    [body, up],
  );
  check(`body ${body} is seen`, place !== null);
  return place;
}

/** A command as the page would send it, with its token: for what has no control. */
export async function command(page, ...commands) {
  return page.evaluate(async (list) => {
    const headers = {
      'Plush-Token': sessionStorage.getItem('plush-token'),
      'Plush-Page': sessionStorage.getItem('plush-page'),
      'Content-Type': 'application/json',
    };
    const response = await fetch('/api/command', { method: 'POST', headers, body: JSON.stringify({ commands: list }) });
    window.lastAnswer = await response.json();
    return window.lastAnswer.results;
  }, commands);
}

export const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** Runs a test with a browser and a folder of its own, and cleans up after it. */
export async function run(name, test) {
  const started = Date.now();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plush-browser-'));
  const browser = await launch();
  const servers = [];
  const start = async (...args) => {
    const server = await serve(...args);
    servers.push(server);
    return server;
  };
  let status = 0;
  try {
    await test({ browser, folder, start });
    console.log(`${name}: ${checks} checks in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(error.stack ?? error);
    status = 1;
  }
  await browser.close().catch(() => undefined);
  for (const server of servers) server.child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(status);
}
