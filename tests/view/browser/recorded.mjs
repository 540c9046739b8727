// Recorded runs: scrub, speed, loop, modes; two variants side by side, recorded and live; a phone.
import { spawnSync } from 'node:child_process';
import { check, distance, drawn, open, paused, play, program, read, run, scenes, seen, slide, steps, unseen, until } from './harness.mjs';

const standing = (page, frame) => until(page, (f) => window.plush.frame[0].frame === f && !window.plush.state.playing, `it stands at frame ${frame}`, frame);

async function scrub(page) {
  const world = await read(page, () => window.plush.state.worlds[0]);
  check('it is a recorded run', (await read(page, () => window.plush.state.mode)) === 'recorded' && world.frames > 10, world.frames);
  await slide(page, 'scrub', 7);
  await standing(page, 7);
  const at7 = await read(page, () => window.plush.body(1).position);
  await page.keyboard.press('ArrowRight');
  await standing(page, 8);
  await slide(page, 'scrub', world.frames - 1);
  await standing(page, world.frames - 1);
  await page.keyboard.press('ArrowLeft');
  await standing(page, world.frames - 2);
  await slide(page, 'scrub', 7);
  await standing(page, 7);
  check('a frame is the same whenever it is seen', distance(await read(page, () => window.plush.body(1).position), at7) === 0);
}

async function playing(page) {
  await page.click('#loop');
  await until(page, () => window.plush.state.loop, 'it loops');
  await page.selectOption('#speed', '4');
  await until(page, () => window.plush.state.speed === 4, 'it is four times as fast');
  // From its last frame, so that every one that follows is an earlier one, however few of them a slow page sees.
  const from = await read(page, () => window.plush.state.worlds[0].frames - 1);
  await slide(page, 'scrub', from);
  await standing(page, from);
  await play(page);
  await until(page, (f) => window.plush.frame[0].frame < f, 'it begins again', from);
  await page.click('#play');
  await until(page, () => !window.plush.state.playing, 'it stands');
}

async function modes(page) {
  await slide(page, 'scrub', 7); // the first frame, where it may stand after the loop, has no contacts yet
  await standing(page, 7);
  await page.click('label:has(#see-contacts)');
  await until(page, () => window.plush.counts[0].contacts > 0, 'recorded contacts are there');
  await until(page, () => document.querySelector('#see-tets').disabled, 'what a run does not hold is off');
  await page.click('#colour-velocity');
  await slide(page, 'scrub', 1);
  await until(page, () => window.plush.frame[0].frame === 1 && Math.hypot(...window.plush.body(1).velocity) > 0, 'the box is coloured by its speed');
  await seen(page, '#legend', 'Velocity');
  await page.click('#colour-body');
  await unseen(page, '#tools');
  await page.click('#tab-plots');
  await until(page, () => /\d/.test(document.querySelector('.plot-legend').textContent), 'plots of the whole run');
}

await run('recorded', async ({ browser, folder, start }) => {
  const made = spawnSync(program, ['run', `${scenes}/slide.jsonc`, '--out', `${folder}/slide`, '--duration', '0.4', '--quiet'], { encoding: 'utf8' });
  check('a run to look at', made.status === 0, made.stderr);
  const one = await start(`${folder}/slide/points`);
  const page = await open(browser, one.address);
  await drawn(page);
  await scrub(page);
  await playing(page);
  await modes(page);
  check('nothing went wrong in the page', page.faults.length === 0, page.faults);
  await page.context().close();
  await one.end();

  const both = await start(`${folder}/slide/points`, `${folder}/slide/volume`);
  const pair = await open(browser, both.address);
  await drawn(pair);
  await until(pair, () => window.plush.counts.length === 2 && window.plush.counts[1].frames > 0, 'two runs side by side');
  await slide(pair, 'scrub', 9);
  await until(pair, () => window.plush.frame.every((f) => f.frame === 9), 'both at one frame');
  const parts = await read(pair, () => window.plush.view.parts);
  check('side by side', parts.length === 2 && parts[1].x > 0, parts);
  await until(pair, () => document.querySelectorAll('.tag.label').length === 2, 'with their names');
  check('nothing went wrong in the page', pair.faults.length === 0, pair.faults);
  await pair.context().close();
  await both.end();

  const live = await start(`${scenes}/slide.jsonc`, '--variant', 'points', '--variant', 'volume');
  const phone = await open(browser, live.address, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  await drawn(phone);
  await until(phone, () => window.plush.counts.length === 2, 'two live worlds');
  await play(phone);
  await steps(phone, 5);
  await phone.click('#play');
  await paused(phone);
  const stacked = await read(phone, () => window.plush.view.parts);
  check('one below the other on a phone', stacked.length === 2 && stacked[1].y > 0, stacked);
  check('the sheet is closed at first', !(await phone.isVisible('#see')));
  await phone.click('#tab-see');
  await seen(phone, '#see', 'Colour by');
  check('the page is as wide as the screen', (await read(phone, () => document.documentElement.scrollWidth)) <= 390);
  check('nothing went wrong in the page', phone.faults.length === 0, phone.faults);
});
