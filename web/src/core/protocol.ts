// What the program and the page say to each other: docs/viewer-protocol.md gives it byte by byte. Here are the types of its JSON, and
// the reader of its binary stream.

export type Triple = [number, number, number];

export interface Problem {
  code?: string;
  file?: string;
  place?: string;
  problem: string;
  fix?: string;
}

export interface BodyMeta {
  index: number;
  name: string;
  kind: 'rigid' | 'fixed' | 'scripted' | 'particles' | 'deformable';
  mesh: number;
  skin: boolean;
  points: number;
  radius: number;
  normal: Triple | null;
  mass: number | null;
  version: number;
  pieces: number;
  soft: boolean;
  /** 0xRRGGBB of its look; none: the page chooses one. */
  colour?: number | null;
  finish?: 'matt' | 'shiny' | 'translucent';
}

export interface SceneMeta {
  name: string;
  description: string;
  duration: number;
  step: number;
  gravity: Triple;
  up: Triple;
  revision: number;
  camera: { position?: Triple | null; target?: Triple | null; fov?: number | null } | null;
  bounds: [Triple, Triple] | null;
  bodies: BodyMeta[];
}

export interface Report {
  contacts: number;
  pairs: number;
  islands: number;
  iterations: number;
  residual: number;
  largest_depth: number;
  awake: number;
  kinetic: number;
  gravity: number;
  elastic: number;
  momentum: Triple;
  ms: Record<string, number>;
}

export interface FrameMeta {
  step: number;
  time: number;
  frame?: number;
  wall_ms?: number;
  report?: Report;
}

export interface Warning {
  id: string;
  text: string;
  fix?: string;
  count: number;
  first_step: number;
  last_step: number;
  body: number | null;
}

export interface WorldState {
  name: string;
  label: string;
  step: number;
  time: number;
  duration: number | null;
  frames?: number;
  frame?: number;
  frame_rate?: number;
  hash: string | null;
  layers: string[];
  settings: { step: number; gravity: Triple; method: string; cells: number; threads?: number };
  bodies: { index: number; friction: number | null; damping: number | null; young: number | null }[];
  drags: { drag: number; body: number }[];
  pins: { pin: number; body: number }[];
  warnings: Warning[];
}

export interface SessionState {
  mode: 'live' | 'recorded';
  version: string;
  playing: boolean;
  speed: number;
  loop: boolean;
  real_time_factor: number;
  steps_per_second: number;
  pages: number;
  acting: string | null;
  ended: Problem | null;
  saving_input: boolean;
  input_commands: number;
  busy: string | null;
  reads: number;
  open_errors: Problem[];
  open_warnings: Problem[];
  worlds: WorldState[];
  methods: string[];
}

export interface GalleryScene {
  name: string;
  description: string;
  variants: string[];
  picture: boolean;
}

export interface Contact {
  a: number;
  b: number;
  sticking: boolean;
  byVolume: boolean;
  point: Triple;
  normal: Triple;
  normalForce: number;
  friction: Triple;
  depth: number;
  area: number;
  volume: number;
  pressure: number;
  largestDepth: number;
}
export interface Cell {
  a: number;
  b: number;
  centre: Triple;
  side: number;
  normal: Triple;
  volume: number;
  area: number;
  depth: number;
}
export interface Joint {
  joint: number;
  kind: number;
  a: number;
  b: number;
  anchor: Triple;
  force: Triple;
  torque: Triple;
  gap: number;
}
export interface DragMark {
  drag: number;
  body: number;
  point: Triple;
  target: Triple;
  force: Triple;
  maxForce: number;
}
export interface PinMark {
  pin: number;
  body: number;
  point: Triple;
}

export interface MeshData {
  positions?: Float32Array;
  triangles?: Uint32Array;
  segments?: Uint32Array;
  skinIndex?: Uint32Array;
  skinWeight?: Float32Array;
}

export interface SceneMessage {
  type: 'scene' | 'bodies';
  world: number;
  meta: Partial<SceneMeta> & { bodies: BodyMeta[]; revision: number };
  meshes: Map<number, MeshData>;
  tets: Map<number, Uint32Array>;
}

export interface FrameMessage {
  type: 'frame';
  world: number;
  meta: FrameMeta;
  bytes: number;
  /** body, place, quaternion: 8 numbers of four bytes each. */
  poses?: { ints: Uint32Array; floats: Float32Array; count: number };
  points: Map<number, Float32Array>;
  flags?: Uint8Array;
  drags: DragMark[];
  pins: PinMark[];
  contacts?: Contact[];
  cells?: Cell[];
  strain: Map<number, Float32Array>;
  velocities: Map<number, Float32Array>;
  bodyVelocities?: { body: number; velocity: Triple; angular: Triple }[];
  joints?: Joint[];
  inverted: Map<number, Uint32Array>;
}

export type Message = SceneMessage | FrameMessage | { type: 'state'; state: SessionState } | { type: 'ping' };

export const magic = 0x31564c50;
export const noBody = 0xffffffff;
const text = new TextDecoder();

/** One section's data, in words of four bytes. */
interface Section {
  kind: number;
  subject: number;
  count: number;
  buffer: ArrayBuffer;
  offset: number;
  bytes: number;
}

function sectionsOf(payload: ArrayBuffer): Section[] {
  const out: Section[] = [];
  const view = new DataView(payload);
  let at = 0;
  while (at + 16 <= payload.byteLength) {
    const bytes = view.getUint32(at + 12, true);
    const padded = (bytes + 3) & ~3;
    if (at + 16 + padded > payload.byteLength) throw new Error('a section is longer than its message');
    out.push({
      kind: view.getUint32(at, true),
      subject: view.getUint32(at + 4, true),
      count: view.getUint32(at + 8, true),
      buffer: payload,
      offset: at + 16,
      bytes,
    });
    at += 16 + padded;
  }
  return out;
}

const floats = (s: Section): Float32Array => new Float32Array(s.buffer, s.offset, s.bytes >> 2);
const ints = (s: Section): Uint32Array => new Uint32Array(s.buffer, s.offset, s.bytes >> 2);
const json = (s: Section): unknown => JSON.parse(text.decode(new Uint8Array(s.buffer, s.offset, s.bytes)));

/** Elements of `words` words each, read by a function that is given the place of the first. */
function elements<T>(s: Section, words: number, read: (u: Uint32Array, f: Float32Array, at: number) => T): T[] {
  const u = ints(s);
  const f = floats(s);
  const out: T[] = [];
  for (let i = 0; i + words <= u.length && out.length < s.count; i += words) out.push(read(u, f, i));
  return out;
}
const triple = (f: Float32Array, at: number): Triple => [f[at]!, f[at + 1]!, f[at + 2]!];

function readScene(type: 'scene' | 'bodies', world: number, payload: ArrayBuffer): SceneMessage {
  const meshes = new Map<number, MeshData>();
  const tets = new Map<number, Uint32Array>();
  let meta: SceneMessage['meta'] = { bodies: [], revision: 0 };
  const mesh = (subject: number): MeshData => {
    const found = meshes.get(subject) ?? {};
    meshes.set(subject, found);
    return found;
  };
  for (const s of sectionsOf(payload)) {
    if (s.kind === 1) meta = json(s) as SceneMessage['meta'];
    else if (s.kind === 2) mesh(s.subject).positions = floats(s);
    else if (s.kind === 3) mesh(s.subject).triangles = ints(s);
    else if (s.kind === 4) mesh(s.subject).segments = ints(s);
    else if (s.kind === 5) mesh(s.subject).skinIndex = ints(s);
    else if (s.kind === 6) mesh(s.subject).skinWeight = floats(s);
    else if (s.kind === 7) tets.set(s.subject, ints(s));
  }
  return { type, world, meta, meshes, tets };
}

function readContact(u: Uint32Array, f: Float32Array, i: number): Contact {
  return {
    a: u[i]!,
    b: u[i + 1]!,
    sticking: (u[i + 2]! & 1) !== 0,
    byVolume: (u[i + 2]! & 2) !== 0,
    point: triple(f, i + 3),
    normal: triple(f, i + 6),
    normalForce: f[i + 9]!,
    friction: triple(f, i + 10),
    depth: f[i + 13]!,
    area: f[i + 14]!,
    volume: f[i + 15]!,
    pressure: f[i + 16]!,
    largestDepth: f[i + 17]!,
  };
}

function readFrame(world: number, payload: ArrayBuffer): FrameMessage {
  const frame: FrameMessage = {
    type: 'frame',
    world,
    meta: { step: 0, time: 0 },
    bytes: payload.byteLength,
    points: new Map(),
    drags: [],
    pins: [],
    strain: new Map(),
    velocities: new Map(),
    inverted: new Map(),
  };
  for (const s of sectionsOf(payload)) readFrameSection(frame, s);
  return frame;
}

function readFrameSection(frame: FrameMessage, s: Section): void {
  switch (s.kind) {
    case 1:
      frame.meta = json(s) as FrameMeta;
      break;
    case 16:
      frame.poses = { ints: ints(s), floats: floats(s), count: s.count };
      break;
    case 17:
      frame.points.set(s.subject, floats(s));
      break;
    case 18:
      frame.flags = new Uint8Array(s.buffer, s.offset, s.bytes);
      break;
    case 19:
      frame.drags = elements(s, 12, (u, f, i) => ({
        drag: u[i]!,
        body: u[i + 1]!,
        point: triple(f, i + 2),
        target: triple(f, i + 5),
        force: triple(f, i + 8),
        maxForce: f[i + 11]!,
      }));
      break;
    case 20:
      frame.pins = elements(s, 5, (u, f, i) => ({ pin: u[i]!, body: u[i + 1]!, point: triple(f, i + 2) }));
      break;
    case 32:
      frame.contacts = elements(s, 20, readContact);
      break;
    case 33:
      frame.cells = elements(s, 12, (u, f, i) => ({
        a: u[i]!,
        b: u[i + 1]!,
        centre: triple(f, i + 2),
        side: f[i + 5]!,
        normal: triple(f, i + 6),
        volume: f[i + 9]!,
        area: f[i + 10]!,
        depth: f[i + 11]!,
      }));
      break;
    case 34:
      frame.strain.set(s.subject, floats(s));
      break;
    case 35:
      frame.velocities.set(s.subject, floats(s));
      break;
    case 36:
      frame.bodyVelocities = elements(s, 7, (u, f, i) => ({
        body: u[i]!,
        velocity: triple(f, i + 1),
        angular: triple(f, i + 4),
      }));
      break;
    case 37:
      frame.joints = elements(s, 18, (u, f, i) => ({
        joint: u[i]!,
        kind: u[i + 1]!,
        a: u[i + 2]!,
        b: u[i + 3]!,
        anchor: triple(f, i + 4),
        force: triple(f, i + 7),
        torque: triple(f, i + 10),
        gap: f[i + 13]!,
      }));
      break;
    case 38:
      frame.inverted.set(s.subject, ints(s));
      break;
  }
}

export function readMessage(type: number, world: number, payload: ArrayBuffer): Message | undefined {
  if (type === 1) return readScene('scene', world, payload);
  if (type === 4) return readScene('bodies', world, payload);
  if (type === 2) return readFrame(world, payload);
  if (type === 3) {
    const meta = sectionsOf(payload).find((s) => s.kind === 1);
    return meta && { type: 'state', state: json(meta) as SessionState };
  }
  return type === 5 ? { type: 'ping' } : undefined;
}

/** Takes the pieces of the stream as they come, and gives whole messages. A payload is copied once, into memory of its own. */
export class StreamReader {
  private readonly head = new Uint8Array(16);
  private headFilled = 0;
  private payload: Uint8Array | undefined;
  private filled = 0;
  private type = 0;
  private world = 0;
  private readonly limit = 1 << 30;

  push(chunk: Uint8Array): Message[] {
    const out: Message[] = [];
    let at = 0;
    while (at < chunk.length || (this.payload && this.filled === this.payload.length)) {
      if (!this.payload) {
        const take = Math.min(16 - this.headFilled, chunk.length - at);
        this.head.set(chunk.subarray(at, at + take), this.headFilled);
        this.headFilled += take;
        at += take;
        if (this.headFilled < 16) break;
        this.begin();
      }
      const payload = this.payload!;
      const take = Math.min(payload.length - this.filled, chunk.length - at);
      payload.set(chunk.subarray(at, at + take), this.filled);
      this.filled += take;
      at += take;
      if (this.filled < payload.length) break;
      this.payload = undefined;
      this.headFilled = 0;
      const message = readMessage(this.type, this.world, payload.buffer as ArrayBuffer);
      if (message) out.push(message);
    }
    return out;
  }

  private begin(): void {
    const view = new DataView(this.head.buffer);
    if (view.getUint32(0, true) !== magic) throw new Error('the stream does not begin a message here');
    const bytes = view.getUint32(12, true);
    if (bytes > this.limit) throw new Error('a message is too long');
    this.type = view.getUint32(4, true);
    this.world = view.getUint32(8, true);
    this.payload = new Uint8Array(bytes);
    this.filled = 0;
  }
}
