// Everything a person can do with a running scene but hold it: time, modes, changes, themes, files.
import fs from 'node:fs';
import { check, command, drawn, open, pause, paused, play, read, run, scenes, seen, slide, stepBy, steps, unseen, until } from './harness.mjs';

async function time(page) {
  check('a scene of the command line waits at its start', (await read(page, () => window.plush.state.playing)) === false);
  await page.click('#step');
  await until(page, () => window.plush.frame[0].step === 1, 'one step is done');
  let world = await paused(page);
  check('one step is one step', world.step === 1, world.step);
  const first = world.hash;
  await page.keyboard.press('.');
  await until(page, () => window.plush.frame[0].step === 2, 'the key makes a step too');
  await page.selectOption('#speed', '0');
  await until(page, () => window.plush.state.speed === 0, 'it runs as fast as it can');
  await play(page);
  await steps(page, 5);
  world = await pause(page);
  check('time is steps times the step', Math.abs(world.time - world.step * world.settings.step) < 1e-9, world.time, world.step);
  await until(page, (t) => document.getElementById('time').textContent.startsWith(t), 'the time that is shown is the engine’s', world.time.toFixed(2));
  await page.keyboard.press('Home');
  await until(page, () => window.plush.frame[0].step === 0, 'it is back at the start');
  await page.click('#step');
  await until(page, () => window.plush.frame[0].step === 1, 'one step again');
  world = await paused(page);
  check('the same step gives the same bits', world.hash === first, world.hash, first);
}

async function modes(page) {
  await page.keyboard.press('Home');
  await until(page, () => window.plush.frame[0].step === 0, 'it is back at the start');
  await stepBy(page, 40);
  await page.click('label:has(#see-contacts)');
  await until(page, () => window.plush.counts[0].contacts > 0, 'contacts are there');
  const report = await read(page, () => [window.plush.counts[0].contacts, window.plush.frame[0].report.contacts]);
  check('as many contacts as the engine reports', report[0] === report[1], ...report);
  await page.keyboard.press('2');
  await page.keyboard.press('3');
  await page.keyboard.press('4');
  await until(page, () => window.plush.counts[0].scales.force > 0, 'forces have a scale');
  await page.click('label:has(#see-cells)');
  await until(page, () => window.plush.counts[0].cells > 0, 'cells are there');
  await page.click('label:has(#see-joints)');
  await until(page, () => window.plush.counts[0].joints === 1, 'the joint is there');
  await page.click('label:has(#see-tets)');
  await until(page, () => window.plush.counts[0].tets > 50, 'tets are drawn');
  await page.click('label:has(#see-sleep)');
  // Each mode that is on has its block in the legend, with numbers of now.
  const words = ['Contacts and friction', 'sticks: \\d', 'slips: \\d', 'presses, [\\d.]+ [mk]?N', 'friction, [\\d.]+ [mk]?N', 'Pressure', 'Pa and more',
    'Penetration', 'drawn [\\d.]+ times', 'Shared volumes', 'a cell, .*: \\d', 'Joints', 'a joint: 1', 'Tets', 'edges of \\d+ tets', 'inverted: 0', 'asleep: \\d of 3'];
  for (const word of words) await seen(page, '#legend', word);
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '8']) await page.keyboard.press(key);
  await until(page, () => window.plush.view.overlays.length === 0, 'all are off again');
  await page.click('#colour-strain');
  await until(page, () => window.plush.body(1).strain > 0, 'strain is there');
  await seen(page, '#legend', 'Strain.*% and more.*von Mises');
  await page.click('#colour-velocity');
  await play(page);
  await until(page, () => window.plush.body(2).velocity.length === 3 && window.plush.view.colourBy === 'velocity', 'velocities are there');
  await seen(page, '#legend', 'Velocity.*m/s and more');
  await page.click('#colour-body');
  await unseen(page, '#legend');
  await page.click('#tab-plots');
  await steps(page, 3);
  await until(page, () => /\d/.test(document.querySelector('.plot-legend').textContent), 'plots have numbers');
  await pause(page);
}

async function changes(page) {
  await page.click('#tab-change');
  await play(page);  // all of it while the world runs
  await slide(page, 'gravity', 3);
  await until(page, () => Math.abs(window.plush.state.worlds[0].settings.gravity[1] + 3) < 1e-9, 'gravity is 3 m/s²');
  await slide(page, 'set-step', Math.log10(0.01));
  await until(page, () => Math.abs(window.plush.state.worlds[0].settings.step - 0.01) < 1e-9, 'the step is 0.01 s');
  await slide(page, 'cells', Math.log10(4));
  await until(page, () => window.plush.state.worlds[0].settings.cells === 4, 'cells are 4');
  await page.selectOption('#method', 'volume');
  await until(page, () => window.plush.state.worlds[0].settings.method === 'volume', 'contact is by volume');
  await page.selectOption('#body', '1');
  await slide(page, 'young', Math.log10(2e4));
  await until(page, () => Math.abs(window.plush.state.worlds[0].bodies.find((b) => b.index === 1).young - 2e4) < 200, 'the bear is softer');
  await slide(page, 'damping', 2);
  await until(page, () => window.plush.state.worlds[0].bodies.find((b) => b.index === 1).damping === 2, 'the bear is damped');
  const other = await read(page, () => window.plush.state.worlds[0].bodies.find((b) => b.index === 2).damping);
  check('and only the bear', other === 0, other);
  await steps(page, 2);
  await pause(page);
  const before = await read(page, () => window.plush.frame[0].step);
  await page.click('#step');
  await until(page, (n) => window.plush.frame[0].step === n + 1, 'it steps with all that', before);
}

/** A button is pressed as slowly as people do, while the world runs and the page is told so again and again. */
async function slowPress(page) {
  await play(page);
  const { x, y, width, height } = await page.locator('#play').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  const versions = await read(page, () => window.plush.states);
  await until(page, (n) => window.plush.states > n + 3, 'states come while the button is down', versions);
  await page.mouse.up();
  await until(page, () => !window.plush.state.playing, 'the world stands after a slow press');
}

/** A scene file that is read again: its errors are those of plush check, as text; what is too fast is told with the fix. */
async function messages(browser, folder, start) {
  const file = `${folder}/mine.jsonc`;
  const good = fs.readFileSync(`${scenes}/slide.jsonc`, 'utf8');
  const write = (text) => fs.writeFileSync(file, text);
  write(good.replace('"description": "A box on a slope of 20 degrees"', '"description": "<b id=evil>A box</b>"'));
  const server = await start(file, '--variant', 'points');
  const page = await open(browser, server.address);
  await drawn(page);
  await seen(page, '#scene-name', '<b id=evil>A box</b>');
  check('names are text and never HTML', (await page.locator('#evil').count()) === 0);
  await stepBy(page, 3);
  write(good.replace('"density"', '"densty"'));
  await page.click('#reload-scene');
  await seen(page, '#alerts', 'densty.*did you mean "density"');
  check('once', (await page.locator('#alerts .alert').count()) === 1, await page.textContent('#alerts'));
  await page.click('#alerts [aria-label="Close"]');
  await unseen(page, '#alerts .bad');
  await page.click('#tab-change');
  await page.click('#change-reload');
  await seen(page, '#alerts .bad', 'densty'); // although it was closed: it is still so
  const kept = await read(page, () => window.plush.frame[0].step);
  check('the world that runs stays', kept === 3, kept);
  write(good.replace('20 degrees"', '25 degrees"'));
  await page.keyboard.press('r');
  await until(page, () => window.plush.frame[0].step === 0 && window.plush.state.open_errors.length === 0, 'the mended file is read');
  await unseen(page, '#alerts .bad');
  await command(page, { do: 'drop', shape: 'ball', at: [0, 3, 0], size: 0.1, velocity: [0, 500, 0] });
  await stepBy(page, 2);
  // A warning is shown for a while; the button with their number shows it for as long as one wants.
  await seen(page, '#warnings', '\\d');
  await page.click('#warnings');
  await seen(page, '#alerts', 'moves .* m in a step, farther than it is thick.*Take a smaller step');
  check('nothing went wrong in the page', page.faults.length === 0, page.faults);
  await page.context().close();
  await server.end();
}

/** The buttons and keys that the rest of this test has no need of. */
async function otherControls(page) {
  await page.keyboard.press('f');
  const fitted = await read(page, () => window.plush.view.camera);
  const moved = (from) => until(page, (c) => Math.hypot(...window.plush.view.camera.map((x, i) => x - c[i])) > 0.02, 'the camera has moved', from);
  const over = async (act) => {
    await page.mouse.move(480, 90);
    await act(() => page.mouse.move(560, 130, { steps: 3 }));
    await moved(fitted);
    await page.click('#fit');
    await until(page, (c) => Math.hypot(...window.plush.view.camera.map((x, i) => x - c[i])) < 1e-6, 'the whole scene is in view again', fitted);
  };
  await over(async (move) => {
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await move();
    await page.mouse.up();
    await page.keyboard.up('Shift');
  });
  await over(async (move) => {
    await page.mouse.down({ button: 'right' });
    await move();
    await page.mouse.up({ button: 'right' });
  });
  const theme = await read(page, () => window.plush.view.theme);
  await page.click('#theme');
  await until(page, (was) => window.plush.view.theme !== was, 'the button changes the theme too', theme);
  await page.click('#open-help');
  await seen(page, '#help', 'Let go while moving: a throw');
  await page.click('#help-close');
  await unseen(page, '#help');
  await page.click('#toggle-panel');
  await unseen(page, '#change');
  await page.click('#toggle-panel');
  await page.click('#tab-see');
  await seen(page, '#see', 'Colour by');
  for (const [key, colour] of [['v', 'velocity'], ['s', 'strain'], ['n', 'body']]) {
    await page.keyboard.press(key);
    await until(page, (c) => window.plush.view.colourBy === c, `${key} colours by ${colour}`, colour);
  }
  for (const [key, tool] of [['c', 'cut'], ['b', 'drop'], ['p', 'pin'], ['d', 'drag']]) {
    await page.keyboard.press(key);
    await until(page, (t) => window.plush.view.tool === t, `${key} takes the tool ${tool}`, tool);
  }
  await page.click('#tool-pin');
  await until(page, () => window.plush.view.tool === 'pin', 'the button takes the tool too');
  const speed = await read(page, () => window.plush.state.speed);
  await page.selectOption('#speed', '1');
  await until(page, () => window.plush.state.speed === 1, 'the list sets the speed');
  for (const [key, value] of [['+', 2], ['-', 1]]) {
    await page.keyboard.press(key);
    await until(page, (v) => window.plush.state.speed === v, `${key}: ${value} times as fast`, value);
  }
  await page.selectOption('#speed', String(speed));
  await page.click('#reset');
  await until(page, () => window.plush.frame[0].step === 0 && !window.plush.state.playing, 'the button goes back to the start');
  await page.keyboard.press('k');
  await until(page, () => window.plush.state.playing, 'k plays');
  await pause(page);
}

async function files(page, folder) {
  const take = async (button, name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    await download.saveAs(`${folder}/${name}`);
    return fs.readFileSync(`${folder}/${name}`);
  };
  const picture = await take('#picture', 'picture.png');
  check('the picture is a PNG', picture.subarray(1, 4).toString() === 'PNG' && picture.length > 10_000, picture.length);
  const state = await take('#save-state', 'state.plush');
  check('the state is saved', state.length > 1000, state.length);
  const input = (await take('#change-input', 'input.jsonl')).toString();
  check('what was done is saved', input.includes('set_gravity') && input.includes('set_young'), input);
  const again = await take('#change-state', 'again.plush');
  check('the other button saves the same state', again.equals(state), again.length, state.length);
}

async function looks(page) {
  const before = await read(page, () => window.plush.view.theme);
  await page.keyboard.press('t');
  await until(page, (was) => window.plush.view.theme !== was, 'the other theme', before);
  await page.keyboard.press('h');
  await seen(page, '#help', 'Drag a body');
  await page.keyboard.press('Escape');
  await unseen(page, '#help');
  const camera = await read(page, () => window.plush.view.camera);
  await page.mouse.move(480, 90);
  await page.mouse.down();
  await page.mouse.move(560, 110, { steps: 3 });
  await page.mouse.up();
  await until(page, (c) => Math.hypot(...window.plush.view.camera.map((x, i) => x - c[i])) > 0.05, 'dragging beside bodies turns the view', camera);
  const turned = await read(page, () => window.plush.view.camera);
  await page.mouse.wheel(0, -300);
  await until(page, (c) => Math.hypot(...window.plush.view.camera.map((x, i) => x - c[i])) > 0.05, 'the wheel comes nearer', turned);
  await page.keyboard.press('f');
}

async function gallery(page) {
  await page.click('#open-gallery');
  await page.click('#gallery-close');
  await unseen(page, '#gallery');
  await page.click('#open-gallery');
  await until(page, () => document.querySelectorAll('.card').length > 30, 'the gallery has all scenes');
  await page.fill('#gallery-filter', 'incline');
  await page.waitForSelector('.card img');
  await page.click('[data-scene="incline"]');
  await until(page, () => window.plush.state.worlds[0]?.name === 'incline' && window.plush.state.playing && window.plush.counts[0].frames > 2, 'one click runs a scene');
  await unseen(page, '#gallery');
  // Two contact methods of a scene without variants, side by side.
  await page.keyboard.press('g');
  await page.fill('#gallery-filter', 'chain');
  await page.click('.card:has([data-scene="chain"]) summary');
  await page.selectOption('.card:has([data-scene="chain"]) [aria-label="left"]', 'points');
  await page.selectOption('.card:has([data-scene="chain"]) [aria-label="right"]', 'volume');
  await page.click('[data-compare="chain"]');
  await until(page, () => window.plush.counts.length === 2 && window.plush.counts[1].frames > 2, 'two methods run side by side');
  const methods = await read(page, () => window.plush.state.worlds.map((w) => [w.label, w.settings.method]));
  await page.click('#play');
  await until(page, () => !window.plush.state.playing, 'they stand');
  await page.click('#tab-change');
  await page.selectOption('#world', '1');
  await slide(page, 'cells', Math.log10(5));
  await until(page, () => window.plush.state.worlds[1].settings.cells === 5, 'the second world has 5 cells');
  check('and only that one', (await read(page, () => window.plush.state.worlds[0].settings.cells)) !== 5);
  check('with the methods that were chosen', JSON.stringify(methods) === '[["points","points"],["volume","volume"]]', methods);
}

await run('live', async ({ browser, folder, start }) => {
  await messages(browser, folder, start);
  const server = await start(`${scenes}/touch.jsonc`);
  const page = await open(browser, server.address);
  check('the token is not left in the address bar', !(await page.evaluate(() => location.href)).includes('#'));
  await drawn(page);
  await time(page);
  await slowPress(page);
  await modes(page);
  await changes(page);
  await files(page, folder);
  await looks(page);
  await otherControls(page);
  await gallery(page);
  check('nothing went wrong in the page', page.faults.length === 0, page.faults);
  const status = await server.end();
  check('Ctrl-C ends it with status 0', status === 0, status, server.errors());
  await until(page, () => window.plush.line === 'lost' && /ended|answer/.test(document.querySelector('#alerts').textContent), 'the page says that the program has ended');
});
