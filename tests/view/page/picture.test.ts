import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backwards, findSubject, fitView, Orbit, slopeAngles } from '../../../web/src/core/fit';
import { cross, dot, norm, normalised, roundNumberBelow, sub } from '../../../web/src/core/math';
import type { V3 } from '../../../web/src/core/math';
import { bodyColours, colourOf, cssOf } from '../../../web/src/core/palette';
import { History, rangeOf, thin, ticks } from '../../../web/src/core/series';

test('the fitted camera sees every corner, and touches the border', () => {
  const subject = findSubject([
    { box: { low: [-1, 0, -1], high: [1, 0.5, 1] }, moves: true },
    { box: { low: [-0.2, 2, -0.2], high: [0.2, 2.4, 0.2] }, moves: true },
    { box: { low: [-500, -1, -500], high: [500, 0, 500] }, moves: false },
  ]);
  assert.ok(subject.radius < 3);
  for (const aspect of [0.5, 1, 1.8]) {
    const view = fitView(subject, [0, 1, 0], 30, aspect);
    const forward = normalised(sub(view.target, view.position));
    const right = normalised(cross(forward, [0, 1, 0]));
    const up = cross(right, forward);
    const half = Math.tan((15 * Math.PI) / 180);
    let widest = 0;
    for (const corner of subject.corners) {
      const d = sub(corner, view.position);
      const depth = dot(d, forward);
      assert.ok(depth > 0);
      widest = Math.max(widest, Math.abs(dot(d, right)) / (depth * half * aspect), Math.abs(dot(d, up)) / (depth * half));
    }
    assert.ok(widest < 1 && widest > 0.8, `the farthest corner is at ${widest} of the border`); // 0.855 to 0.858
  }
});

test('a slope is seen from its side, going down to the right', () => {
  const angle = (20 * Math.PI) / 180;
  const seen = slopeAngles([Math.sin(angle), Math.cos(angle), 0], [0, 1, 0])!;
  const back = backwards([0, 1, 0], seen.azimuth!, seen.elevation!);
  const right = normalised(cross([0, 1, 0], back));
  assert.ok(right[0] > 0.9); // downhill is x: 0.93
  assert.equal(slopeAngles([0, 1, 0], [0, 1, 0]), undefined);
});

test('an orbit keeps its distance, and looks where it was told', () => {
  const orbit = new Orbit([0, 0, 1]);
  orbit.look({ position: [3, 4, 5], target: [1, 1, 1] });
  assert.ok(norm(sub(orbit.position(), [3, 4, 5])) < 1e-9);
  const before = norm(sub(orbit.position(), orbit.target));
  orbit.turn(0.7, 3);
  assert.ok(Math.abs(norm(sub(orbit.position(), orbit.target)) - before) < 1e-9);
  orbit.zoom(0.5);
  assert.ok(Math.abs(orbit.distance - before / 2) < 1e-12);
});

test('colours are those of plush render', () => {
  const body = (shape: number, moves = true, plane = false) => ({ moves, plane, shape });
  const one = bodyColours([body(-1, false, true), body(0), body(0), body(1, false)]);
  assert.equal(cssOf(one[0]!), 'rgb(207, 200, 190)');
  assert.equal(cssOf(one[3]!), 'rgb(211, 219, 224)');
  assert.notDeepEqual(one[1], one[2]); // one kind: each body has its own
  const kinds = bodyColours([body(0), body(1), body(2), body(0)]);
  const brightness = (c: V3): number => c[0] + c[1] + c[2];
  assert.ok(brightness(kinds[3]!) > brightness(kinds[0]!)); // the same hue, a shade lighter
  assert.equal(cssOf(colourOf(0xd55e00)), 'rgb(213, 94, 0)');
});

test('a scene says the colours of its bodies, and no two of many are the same', () => {
  const painted = bodyColours([{ moves: true, plane: false, shape: 0, colour: 0xd55e00 }, { moves: true, plane: false, shape: 0, colour: null }]);
  assert.equal(cssOf(painted[0]!), 'rgb(213, 94, 0)');
  assert.equal(cssOf(painted[1]!), cssOf(bodyColours([{ moves: true, plane: false, shape: 0 }])[0]!));
  const many = bodyColours(Array.from({ length: 60 }, (_, i) => ({ moves: true, plane: false, shape: i % 3 })));
  assert.equal(new Set(many.map(cssOf)).size, 60);
});

test('plots keep peaks, go back in time, and have round numbers', () => {
  const times = Array.from({ length: 5000 }, (_, i) => i);
  const values = times.map((t) => (t === 3333 ? 50 : t === 1234 ? -50 : Math.sin(t)));
  const thinned = thin(times, values, 100);
  assert.ok(thinned.length <= 204);
  assert.ok(thinned.some(([t, v]) => t === 3333 && v === 50));
  assert.ok(thinned.some(([t, v]) => t === 1234 && v === -50));
  assert.deepEqual(ticks({ low: 0, high: 10 }, 3), [0, 5, 10]);
  assert.deepEqual(rangeOf([[1, 2, NaN]]), { low: 0, high: 2 });
  assert.equal(roundNumberBelow(0.37), 0.2);
  const history = new History(8);
  for (let i = 0; i < 20; ++i) history.add(i, { a: i });
  assert.ok(history.times.length <= 8);
  assert.equal(history.last('a'), 19);
  history.add(15, { a: -1, b: 2 }); // a world that was set back
  assert.equal(history.times.at(-1), 15);
  assert.ok(history.times.every((t) => t <= 15));
  assert.equal(history.column('b').length, history.times.length);
});
