// Two pages, a reload in the middle, a wrong token, a slow reader, a killed server: none does harm.
import { check, command, drawn, open, pause, paused, play, read, run, scenes, seen, steps, until } from './harness.mjs';

async function two(browser, address, first) {
  const second = await open(browser, address);
  await drawn(second);
  check('the second page watches', (await read(second, () => window.plush.acts)) === false);
  await until(second, () => document.querySelector('#play').disabled, 'its controls are off');
  check('what it sends is refused', (await command(second, { do: 'play' })) === undefined); // 403 without results
  await play(first);
  await steps(second, 5);
  await pause(first);
  await paused(second);
  const hashes = [await read(first, () => window.plush.state.worlds[0].hash), await read(second, () => window.plush.state.worlds[0].hash)];
  check('both see one world', hashes[0] === hashes[1], ...hashes);
  const places = [await read(first, () => window.plush.body(1).points), await read(second, () => window.plush.body(1).points)];
  check('at the same places', JSON.stringify(places[0]) === JSON.stringify(places[1]));
  await second.click('#take-control');
  await until(second, () => window.plush.acts, 'it has control');
  await until(first, () => !window.plush.acts, 'the first one watches now');
  await play(second);
  await steps(second, 3);
  // The acting page goes: the world pauses, and the other page acts.
  await second.context().close();
  await until(first, () => window.plush.acts && !window.plush.state.playing, 'the page that is left acts, and the world stands');
}

async function reload(page) {
  await play(page);
  await steps(page, 5);
  const before = await read(page, () => window.plush.frame[0].step);
  await page.reload();
  await until(page, () => window.plush?.acts && window.plush.counts[0]?.frames > 0, 'the reloaded page acts again');
  await until(page, () => !window.plush.state.playing, 'and the world stands');
  const world = await pause(page);
  check('nothing is lost', world.step >= before, world.step, before);
}

/** A tab that the browser has made from this one has its storage, and so its name and its secret: it is another page all the same. */
async function duplicate(page) {
  const [other] = await Promise.all([page.context().waitForEvent('page'), page.evaluate(() => void window.open(location.href))]);
  await until(other, () => window.plush?.line === 'open' && window.plush.state?.pages === 2, 'the second tab has a line of its own');
  await until(page, () => window.plush.line === 'open' && window.plush.state.pages === 2, 'and the first keeps its own');
  const names = [await read(page, () => window.plush.page), await read(other, () => window.plush.page)];
  check('they are two pages', names[0] !== names[1], ...names);
  check('the first one acts', (await read(page, () => window.plush.acts)) && !(await read(other, () => window.plush.acts)));
  await other.close();
  await until(page, () => window.plush.state.pages === 1, 'it is gone');
}

/** A reader that takes nothing for a while must not hold up the engine, nor other pages. */
async function slow(page) {
  await page.evaluate(async () => {
    const headers = { 'Plush-Token': sessionStorage.getItem('plush-token'), 'Plush-Page': '0123456789abcdef' };
    const response = await fetch('/api/stream?layers=contacts', { headers });
    window.slowReader = response.body.getReader();
    await window.slowReader.read();
  });
  await until(page, () => window.plush.state.pages === 2, 'the slow reader is there');
  await play(page);
  await steps(page, 30);
  await pause(page);
  await page.evaluate(() => window.slowReader.cancel());
}

await run('pages', async ({ browser, start }) => {
  const server = await start(`${scenes}/touch.jsonc`);
  const page = await open(browser, server.address);
  await drawn(page);
  await two(browser, server.address, page);
  await reload(page);
  await duplicate(page);
  await slow(page);
  const wrong = await (await browser.newContext()).newPage();
  await wrong.goto(server.address.replace(/#.*/, `#${'0'.repeat(32)}`), { timeout: 0 });
  await until(wrong, () => window.plush?.line === 'refused' && document.querySelector('#alerts').textContent.length > 10, 'it says so');
  check('a page with a wrong token is refused in words', (await read(wrong, () => window.plush.state)) === null || (await read(wrong, () => window.plush.state)) === undefined);
  check('nothing went wrong in the page', page.faults.length === 0, page.faults);
  await server.end('SIGKILL');
  await until(page, () => window.plush.line === 'lost', 'the page notices that the program was killed');
  await seen(page, '#alerts', 'does not answer|has ended');
});
