// Bodies in the hand: dragged, thrown, pinned, cut, dropped; then the record of it all replays to the same hash.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { check, command, distance, drawn, open, pause, paused, placeOf, program, read, run, scenes, seen, slide, stepBy, unseen, until } from './harness.mjs';

/** What the engine meets in the direction of a place in the window is what the page has drawn there. */
async function samePoint(page, body) {
  // The camera may still be on its way to what it shows: the place and the eye are those of one moment.
  let seen = null;
  let eye = null;
  for (let tries = 0; tries < 50 && seen?.body !== body; ++tries) {
    const at = await placeOf(page, body);
    [seen, eye] = await read(page, ([a, b]) => [window.plush.pick(a, b), [...window.plush.view.camera]], at);
  }
  check('the page picks the body', seen?.body === body, seen);
  const direction = seen.point.map((p, i) => p - eye[i]);
  const length = Math.hypot(...direction);
  const [met] = await command(page, { do: 'pick', ray: { origin: eye, direction: direction.map((d) => d / length) } });
  check('the engine meets it too', met.ok && met.hit?.body === body, met);
  const apart = distance(met.hit.point, seen.point);
  check('at the same place', apart < 1e-4, apart, met.hit.point, seen.point); // 1e-7: single precision
}

/** The hand's target is at this place in the window, and has come to the engine and back. */
const follows = (page, hand) =>
  until(page, (at) => {
    const [mark, held] = [window.plush.counts[0].drags[0], window.plush.held];
    if (!mark || !held) return false;
    const seen = window.plush.project(held.target);
    return Math.hypot(seen[0] - at[0], seen[1] - at[1]) < 2 && Math.hypot(...mark.target.map((x, i) => x - held.target[i])) < 1e-4;
  }, 'the target is where the hand is', hand);

/** In a world that stands, so that every machine does the same: the steps between are counted. */
async function drag(page) {
  await page.click('#tool-drag');
  await seen(page, '#hint', 'Drag any body');
  await seen(page, '#hint-spot');
  const before = await read(page, () => window.plush.body(1).high[1]);
  const [x, y] = await placeOf(page, 1, 0.7);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, () => window.plush.counts[0].drags.length === 1, 'the bear is held');
  await seen(page, '#hint', 'paused');
  await unseen(page, '#hint-spot');
  await page.mouse.move(x, y - 150, { steps: 6 });
  await follows(page, [x, y - 150]);
  await stepBy(page, 40);
  const lifted = await read(page, () => window.plush.body(1).high[1]);
  check('the bear is lifted', lifted > before + 0.1, before, lifted);
  await seen(page, '#force', '[\\d.]+ k?N$');
  const mark = await read(page, () => window.plush.counts[0].drags[0]);
  check('the force is bounded', Math.hypot(...mark.force) <= mark.maxForce * 1.0001, mark);
  // The wheel pulls what is held nearer.
  const away = () => read(page, () => Math.hypot(...window.plush.view.camera.map((c, i) => c - window.plush.held.target[i])));
  const far = await away();
  await page.mouse.wheel(0, 200);
  await until(page, (was) => Math.hypot(...window.plush.view.camera.map((c, i) => c - window.plush.held.target[i])) < 0.95 * was, 'the wheel pulls it nearer', far);
  await page.mouse.wheel(0, -200);
  await until(page, (was) => Math.hypot(...window.plush.view.camera.map((c, i) => c - window.plush.held.target[i])) > 0.99 * was, 'and pushes it away', far);
  await follows(page, [x, y - 150]);
  // A throw: let go while it moves.
  await page.mouse.move(x + 120, y - 170, { steps: 3 });
  await follows(page, [x + 120, y - 170]);
  await stepBy(page, 6);
  const middle = () => read(page, () => [0, 2].map((i) => (window.plush.body(1).low[i] + window.plush.body(1).high[i]) / 2));
  const released = await middle();
  await page.mouse.up();
  await until(page, () => window.plush.counts[0].drags.length === 0, 'the bear is let go');
  await unseen(page, '#hint');
  await unseen(page, '#force');
  await stepBy(page, 10);
  check('it flies on', distance(await middle(), released) > 0.05, released, await middle());
  await stepBy(page, 30);
  await page.keyboard.press('f');
  await samePoint(page, 1);
  const bad = await read(page, () => window.plush.body(1).points.some((p) => !Number.isFinite(p)));
  check('all places are numbers', !bad);
}

/** While the world runs, as people do it. It stands when the box is picked, so that the box is there when the button goes down. */
async function dragLive(page) {
  await page.click('#tool-drag');
  await page.keyboard.press('f');
  const top = await read(page, () => window.plush.body(2).high[1]);
  const [x, y] = await placeOf(page, 2);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, () => window.plush.counts[0].drags.length === 1, 'the box is held');
  await page.keyboard.press(' ');
  await until(page, () => window.plush.state.playing, 'the key lets it run');
  await page.mouse.move(x, y - 60, { steps: 6 });
  await until(page, (was) => window.plush.body(2).high[1] > was + 0.03, 'the box is lifted', top);
  await page.mouse.up();
  await until(page, () => window.plush.counts[0].drags.length === 0, 'the box is let go');
  await pause(page);
}

/** One finger drags a body, two come nearer; on a phone. */
async function fingers(page) {
  const touch = await page.context().newCDPSession(page);
  const send = (type, ...points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const [x, y] = await placeOf(page, 1);
  await send('touchStart', [x, y]);
  await until(page, () => window.plush.counts[0].drags.length === 1, 'the box is held by a finger');
  for (const up of [30, 70, 110]) await send('touchMove', [x, y - up]);
  await follows(page, [x, y - 110]);
  const before = await read(page, () => window.plush.body(1).position[1]);
  await stepBy(page, 40);
  const after = await read(page, () => window.plush.body(1).position[1]);
  check('a finger pulls it', after > before + 0.005, before, after); // 0.012: friction and the slope hold it back
  await send('touchEnd');
  await until(page, () => window.plush.counts[0].drags.length === 0, 'it is let go');
  const away = () => read(page, () => Math.hypot(...window.plush.view.camera.map((c, i) => c - window.plush.view.target[i])));
  const far = await away();
  await send('touchStart', [150, 250], [240, 250]);
  for (const wide of [20, 40, 60]) await send('touchMove', [150 - wide, 250], [240 + wide, 250]);
  await send('touchEnd');
  await until(page, (was) => Math.hypot(...window.plush.view.camera.map((c, i) => c - window.plush.view.target[i])) < 0.7 * was, 'two fingers come nearer', far);
}

async function pins(page) {
  await page.keyboard.press('p');
  await page.mouse.click(...(await placeOf(page, 1, 0.8)));
  await until(page, () => window.plush.counts[0].pins.length === 1, 'the bear is pinned');
  const held = await read(page, () => window.plush.counts[0].pins[0].point);
  await stepBy(page, 20);
  const now = await read(page, () => window.plush.counts[0].pins[0].point);
  check('a pin holds its point where it was', distance(held, now) < 0.02, distance(held, now));
  const at = await read(page, (p) => window.plush.project(p), now);
  await page.mouse.click(...at);
  await until(page, () => window.plush.counts[0].pins.length === 0, 'the pin is out');
}

/** The ends of a line across the window through a point, where nothing lies over the scene. */
async function stroke(page, point) {
  return read(
    page,
    (p) => {
      const [x, y] = window.plush.project(p);
      const free = (at) => document.elementFromPoint(at, y)?.id === 'scene';
      let [from, to] = [x, x];
      while (from - 8 > 0 && free(from - 8)) from -= 8;
      while (to + 8 < window.innerWidth && free(to + 8)) to += 8;
      return { from: [from, y + 4], to: [to, y - 4], wide: to - from };
    },
    point,
  );
}

async function cut(page) {
  await page.keyboard.press('f');
  await page.click('#tool-cut');
  const middle = await read(page, () => {
    const { low, high } = window.plush.body(1);
    return [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
  });
  const line = await stroke(page, middle);
  check('there is room for a cut', line.wide > 100, line);
  await page.mouse.move(...line.from);
  await page.mouse.down();
  await page.mouse.move(...line.to, { steps: 4 });
  await page.mouse.up();
  await until(page, () => window.plush.body(1).pieces >= 2 && window.plush.body(1).version > 0, 'the bear is in pieces');
  await stepBy(page, 5);
  await samePoint(page, 1);
}

async function drop(page) {
  await page.click('#tab-change');
  await page.selectOption('#drop-shape', 'ball');
  await page.selectOption('#drop-soft', 'rigid');
  await page.fill('#drop-size', '0.15');
  await page.keyboard.press('Tab');
  await page.click('#tool-drop');
  const count = await read(page, () => window.plush.bodies().length);
  await page.mouse.click(...(await read(page, () => window.plush.project([0.3, 0, 0.5]))));
  await until(page, (n) => window.plush.bodies().length === n + 1, 'a ball was dropped', count);
  await page.selectOption('#drop-soft', 'soft');
  await page.selectOption('#drop-shape', 'box');
  await page.mouse.click(...(await read(page, () => window.plush.project([-0.3, 0, 0.6]))));
  await until(page, (n) => window.plush.bodies().length === n + 2, 'a soft box was dropped', count);
  await stepBy(page, 15);
}

async function friction(page) {
  await until(page, () => window.plush.frame[0].step === 0, 'it stands at the start');
  const world = await stepBy(page, 15);
  const held = await read(page, () => window.plush.body(1).position);
  check('friction holds the box on its slope', distance(held, [0.0171, 0.04698, 0]) < 2e-3, held);
  await page.click('#tab-change');
  await slide(page, 'friction', 0);
  await until(page, () => window.plush.state.worlds[0].bodies.every((b) => b.friction === 0), 'friction is 0');
  const later = await stepBy(page, 20);
  const slid = distance(await read(page, () => window.plush.body(1).position), held);
  const t = later.time - world.time;
  // Without friction it slides as a point: g sin θ t² / 2.
  const expected = 0.5 * 9.81 * Math.sin((20 * Math.PI) / 180) * t * t;
  check('without it, it slides as far as it must', Math.abs(slid - expected) < 0.1 * expected, slid, expected); // measured: 2.5 %, half a step
}

await run('touch', async ({ browser, folder, start }) => {
  const server = await start(`${scenes}/touch.jsonc`, '--save-input', `${folder}/input.json`);
  const page = await open(browser, server.address);
  await drawn(page);
  await stepBy(page, 25);
  await drag(page);
  await pins(page);
  await cut(page);
  await drop(page);
  await dragLive(page);
  const last = await paused(page);
  check('nothing went wrong in the page', page.faults.length === 0, page.faults);
  check('Ctrl-C ends it with status 0', (await server.end()) === 0, server.errors());
  const out = `${folder}/again`;
  const again = spawnSync(program, ['run', `${scenes}/touch.jsonc`, '--replay-input', `${folder}/input.json`, '--out', out, '--steps', String(last.step), '--no-frames', '--quiet'], { encoding: 'utf8' });
  check('the record is replayed', again.status === 0, again.stderr);
  const hash = JSON.parse(fs.readFileSync(`${out}/summary.json`, 'utf8')).state_hash;
  check('to the same hash', hash === last.hash, hash, last.hash);

  const slope = await start(`${scenes}/slide.jsonc`, '--variant', 'points');
  await page.context().close();
  const second = await open(browser, slope.address);
  await drawn(second);
  await friction(second);
  check('nothing went wrong in the page', second.faults.length === 0, second.faults);
  await second.context().close();
  const phone = await open(browser, slope.address, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  await drawn(phone);
  await until(phone, () => window.plush.acts, 'the phone acts');
  await command(phone, { do: 'reset' });
  await stepBy(phone, 1);
  await fingers(phone);
  check('nothing went wrong in the page', phone.faults.length === 0, phone.faults);
});
