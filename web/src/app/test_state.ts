import type { App } from './app';

// What tests read, and whoever opens the browser's console: copies of what the page knows. Nothing can be changed through it.

export function exposeState(app: App): void {
  const { session, viewer } = app;
  const body = (index: number, world = 0): unknown => {
    const b = session.worlds[world]?.bodies.get(index);
    if (!b) return null;
    const box = b.box();
    return {
      name: b.meta.name,
      kind: b.meta.kind,
      version: b.meta.version,
      pieces: b.meta.pieces,
      position: [...b.position],
      quaternion: [...b.quaternion],
      points: b.points ? Array.from(b.points) : null,
      drawn: Array.from(b.drawn().slice(0, 300)),
      low: [...box.low],
      high: [...box.high],
      asleep: b.asleep,
      velocity: [...b.velocity],
      strain: b.strain ? Math.max(...b.strain) : null,
      tets: b.tets ? b.tets.length / 4 : 0,
    };
  };
  const page = {
    get page() {
      return session.client.page;
    },
    get line() {
      return session.line;
    },
    get acts() {
      return session.acts;
    },
    get state() {
      return structuredClone(session.state);
    },
    /** How many states have come. */
    get states() {
      return session.states;
    },
    get frame() {
      return session.worlds.map((w) => structuredClone(w.frame));
    },
    get counts() {
      return session.worlds.map((w, i) => ({
        bodies: w.bodies.size,
        triangles: w.triangles(),
        contacts: w.contacts.length,
        cells: w.cells.length,
        joints: w.joints.length,
        drags: structuredClone(w.drags),
        pins: structuredClone(w.pins),
        inverted: [...w.inverted.values()].reduce((n, t) => n + t.length, 0),
        frames: w.frames,
        frameBytes: w.frameBytes,
        scales: { ...viewer.scales },
        tets: viewer.tetsOf(i)?.drawn ?? 0,
      }));
    },
    get view() {
      return {
        drawn: viewer.drawn,
        drawnOfScene: viewer.drawnOfScene,
        rate: viewer.rate,
        camera: [...viewer.orbit.position()],
        target: [...viewer.orbit.target],
        parts: viewer.parts(),
        theme: app.choices.theme,
        colourBy: app.choices.colourBy,
        overlays: [...app.choices.overlays],
        tool: app.choices.tool,
        scaleTop: viewer.scaleTop,
        quality: { ...viewer.studio.quality },
        info: { ...viewer.studio.renderer.info.render },
      };
    },
    /** What the hand holds: where it pulls to. */
    get held() {
      return app.tools.held ? { drag: app.tools.held.drag, target: [...app.tools.held.target] } : null;
    },
    get received() {
      return session.client.received;
    },
    body,
    bodies: (world = 0) => [...(session.worlds[world]?.bodies.keys() ?? [])],
    /** Where a point of the world is in the window, in CSS pixels. */
    project: (point: [number, number, number], world = 0) => {
      const box = viewer.canvas.getBoundingClientRect();
      const [x, y] = viewer.project(point, world);
      return [x + box.left, y + box.top];
    },
    pick: (x: number, y: number) => {
      const p = viewer.pick(x, y);
      return p ? { body: p.body.meta.index, point: [...p.point], triangle: p.triangle, weights: [...p.weights] } : null;
    },
  };
  Object.defineProperty(window, 'plush', { value: Object.freeze(page), writable: false });
}
