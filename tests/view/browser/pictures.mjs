// node tests/view/browser/pictures.mjs build/release/bin/plush web docs/pictures
// Draws the pictures of docs/viewer.md: the page on built-in scenes, in a browser without a graphics card.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, launch, open, placeOf, read, serve, stepBy, until } from './harness.mjs';

const out = process.argv[4] ?? 'docs/pictures';
const only = process.argv[5];
const wide = { viewport: { width: 1000, height: 625 } };

async function shoot(page, name) {
  for (const id of ['hint', 'hint-spot']) await page.evaluate((name) => (document.getElementById(name).style.visibility = 'hidden'), id);
  const before = await read(page, () => window.plush.view.drawn);
  await page.evaluate(() => window.dispatchEvent(new Event('resize')));
  await until(page, (n) => window.plush.view.drawn > n || !window.plush.state.playing, 'a picture is drawn', before);
  await page.waitForTimeout(1500);
  const file = path.join(out, `${name}.png`);
  await page.screenshot({ path: `${file}.whole.png` });
  // Written again, smaller: pictures of a repository stay below 300 KiB.
  await new Promise((done, fail) => {
    const child = spawn('ffmpeg', ['-loglevel', 'error', '-y', '-i', `${file}.whole.png`, '-pix_fmt', 'rgb24', '-pred', 'mixed', '-compression_level', '100', file]);
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error('ffmpeg failed'))));
  });
  fs.rmSync(`${file}.whole.png`);
  console.log(`${file}: ${fs.statSync(file).size >> 10} KiB`);
}

const quality = (address, theme) => address.replace('/#', `/?quality=high&theme=${theme}#`);

async function shot(name, args, theme, options, act) {
  if (only && only !== name) return;
  const server = await serve(...args);
  const browser = await launch();
  try {
    const page = await open(browser, quality(server.address, theme), { ...wide, ...options });
    if (args.length > 0) await drawn(page);
    await act(page);
    await shoot(page, name);
  } finally {
    await browser.close();
    await server.end();
  }
}

await shot('viewer', ['soft_toys_10'], 'light', {}, async (page) => {
  await stepBy(page, 150);
  const bear = await read(page, () => window.plush.bodies().find((b) => window.plush.body(b).kind === 'deformable'));
  const [x, y] = await placeOf(page, bear, 0.8);
  const found = await read(page, ([a, b]) => window.plush.pick(a, b), [x, y]);
  if (!found) return;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, () => window.plush.counts[0].drags.length === 1, 'a toy is held');
  await page.mouse.move(x - 20, y - 190, { steps: 3 });
  await until(page, () => Math.hypot(...window.plush.counts[0].drags[0].target.map((v, i) => v - window.plush.held.target[i])) < 1e-3, 'it is pulled');
  await stepBy(page, 45);
});

await shot('viewer-contacts', ['incline'], 'light', {}, async (page) => {
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await stepBy(page, 40);
  await page.keyboard.press('f');
  await until(page, () => window.plush.counts[0].scales.force > 0, 'forces are drawn');
});

await shot('viewer-phone', ['jelly_bears'], 'dark', { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }, async (page) => {
  await page.click('#tab-see');
  await page.click('#colour-strain');
  await page.click('#tab-see');
  await stepBy(page, 60);
  await page.click('#tab-see');
  await until(page, () => window.plush.view.scaleTop > 0.006, 'strain is drawn');
});

await shot('viewer-compare', ['incline', '--method', 'points', 'volume'], 'dark', {}, async (page) => {
  await until(page, () => window.plush.counts.length === 2 && window.plush.counts[1].frames > 0, 'two worlds');
  await page.keyboard.press('1');
  await page.click('#toggle-panel');
  await stepBy(page, 40);
  await page.keyboard.press('f');
});

