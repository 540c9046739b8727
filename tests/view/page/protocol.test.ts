import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamReader, magic } from '../../../web/src/core/protocol';
import type { FrameMessage, Message } from '../../../web/src/core/protocol';

// The reader of the stream, against messages put together here as docs/viewer-protocol.md gives them.

function section(kind: number, subject: number, count: number, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(16 + ((data.length + 3) & ~3));
  new Uint32Array(out.buffer, 0, 4).set([kind, subject, count, data.length]);
  out.set(data, 16);
  return out;
}
const bytesOf = (a: ArrayBufferView): Uint8Array => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
const json = (value: unknown): Uint8Array => section(1, 0, 0, new TextEncoder().encode(JSON.stringify(value)));

function message(type: number, world: number, ...sections: Uint8Array[]): Uint8Array {
  const size = sections.reduce((n, s) => n + s.length, 0);
  const out = new Uint8Array(16 + size);
  new Uint32Array(out.buffer, 0, 4).set([magic, type, world, size]);
  let at = 16;
  for (const s of sections) {
    out.set(s, at);
    at += s.length;
  }
  return out;
}

function contact(): Uint8Array {
  const data = new ArrayBuffer(80);
  new Uint32Array(data, 0, 3).set([3, 7, 3]);
  new Float32Array(data, 12, 15).set([1, 2, 3, 0, 1, 0, 40, 0.5, 0, 0, 0.25, 2, 0.5, 20, 0.375]);
  return new Uint8Array(data);
}

function pose(): Uint8Array {
  const data = new ArrayBuffer(32);
  new Uint32Array(data, 0, 1)[0] = 5;
  new Float32Array(data, 4, 7).set([1, 2, 3, 0, 0, 0, 1]);
  return new Uint8Array(data);
}

const sample = (): Uint8Array[] => [
  message(3, 0, json({ mode: 'live', playing: true })),
  message(5, 0),
  message(99, 0, section(1, 0, 0, new Uint8Array(3))),
  message(2, 1, json({ step: 4, time: 0.5 }), section(16, 0, 1, pose()), section(17, 2, 2, bytesOf(new Float32Array([1, 2, 3, 4, 5, 6]))), section(18, 0, 3, new Uint8Array([0, 1, 0])), section(32, 0, 1, contact()), section(77, 0, 0, new Uint8Array(5))),
];

function joined(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

function check(messages: Message[]): void {
  assert.deepEqual(
    messages.map((m) => m.type),
    ['state', 'ping', 'frame'],
  );
  const frame = messages[2] as FrameMessage;
  assert.equal(frame.world, 1);
  assert.equal(frame.meta.step, 4);
  assert.equal(frame.poses!.ints[0], 5);
  assert.deepEqual([...frame.poses!.floats.slice(1, 4)], [1, 2, 3]);
  assert.deepEqual([...frame.points.get(2)!], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...frame.flags!], [0, 1, 0]);
  assert.deepEqual(frame.contacts, [
    {
      a: 3,
      b: 7,
      sticking: true,
      byVolume: true,
      point: [1, 2, 3],
      normal: [0, 1, 0],
      normalForce: 40,
      friction: [0.5, 0, 0],
      depth: 0.25,
      area: 2,
      volume: 0.5,
      pressure: 20,
      largestDepth: 0.375,
    },
  ]);
}

test('messages are read whole, wherever the stream is cut', () => {
  const all = joined(sample());
  for (const size of [1, 3, 16, 17, 64, all.length]) {
    const reader = new StreamReader();
    const got: Message[] = [];
    for (let at = 0; at < all.length; at += size) got.push(...reader.push(all.subarray(at, at + size)));
    check(got);
  }
});

test('what is no message is refused', () => {
  const wrong = joined(sample());
  wrong[0] ^= 1;
  assert.throws(() => new StreamReader().push(wrong), /does not begin/);
  const long = message(2, 0, json({}));
  new Uint32Array(long.buffer, 16, 4)[3] = 1000;
  assert.throws(() => new StreamReader().push(long), /longer than its message/);
});
