import { StreamReader } from './protocol';
import type { GalleryScene, Message, Problem } from './protocol';

// The line to the program: a stream that comes back when it breaks, commands one request at a time, and files to download.
// The token stands in the address's fragment, which never travels; it is sent as a header and kept for a reload of this tab.

export type Command = { do: string } & Record<string, unknown>;
export type Result = { ok: boolean; step?: number; error?: Problem } & Record<string, unknown>;

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly what: Problem,
  ) {
    super(what.problem);
  }
}

export type Line = 'connecting' | 'open' | 'lost' | 'refused';

const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, '0')).join('');

interface Waiting {
  command: Command;
  done: (result: Result) => void;
}

/** Until the browser has taken a name from a tab that is loaded again, ms. */
const nameIsFree = 500;

/** Holds a name for as long as this tab lives; false: another tab has it, since browsers copy the storage of a tab that is made from one. */
function hold(name: string): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((told) => {
    navigator.locks
      .request(`plush-page-${name}`, { signal: AbortSignal.timeout(nameIsFree) }, () => {
        told(true);
        return new Promise(() => undefined);
      })
      .catch(() => told(false));
  });
}

export class Client {
  page: string;
  private readonly token: string;
  private layers: string[] = [];
  private waiting: Waiting[] = [];
  private posting = false;
  private abort: AbortController | undefined;
  private attempt = 0;
  /** Bytes that came, for the rate that the page shows. */
  received = 0;

  constructor(
    private readonly take: (message: Message) => void,
    private readonly line: (line: Line, why?: Problem) => void,
  ) {
    const fragment = location.hash.replace('#', '');
    if (/^[0-9a-f]{32}$/i.test(fragment)) {
      sessionStorage.setItem('plush-token', fragment);
      history.replaceState(null, '', location.pathname + location.search);
    }
    this.token = sessionStorage.getItem('plush-token') ?? '';
    const page = sessionStorage.getItem('plush-page') ?? hex(8);
    sessionStorage.setItem('plush-page', page);
    this.page = page;
  }

  private async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'Plush-Token': this.token, 'Plush-Page': this.page, ...(init.headers ?? {}) };
    const response = await fetch(path, { cache: 'no-store', referrerPolicy: 'no-referrer', ...init, headers });
    if (!response.ok) {
      const body = (await response.json().catch(() => ({}))) as { error?: Problem };
      throw new Refused(response.status, body.error ?? { problem: `the program answered ${response.status}` });
    }
    return response;
  }
  private post(path: string, body: unknown): Promise<Response> {
    return this.ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  }

  /** Reads the stream for ever; where it breaks it is opened again, more and more patiently. */
  async run(): Promise<void> {
    while (!(await hold(this.page))) {
      this.page = hex(8);
      sessionStorage.setItem('plush-page', this.page);
    }
    for (;;) {
      try {
        this.line('connecting');
        this.abort = new AbortController();
        const response = await this.ask(`/api/stream?layers=${this.layers.join(',')}`, { signal: this.abort.signal });
        this.attempt = 0;
        this.line('open');
        await this.read(response);
        this.line('lost', { problem: 'The program has ended.', fix: 'Start plush view again and open the address that it prints.' });
      } catch (error) {
        const refused = error instanceof Refused ? error : undefined;
        if (refused && refused.status !== 503) {
          this.line('refused', refused.what);
          return;
        }
        this.line('lost', refused?.what ?? { problem: 'The program does not answer.', fix: 'Is plush view still running? The page tries again by itself.' });
      }
      this.attempt = Math.min(this.attempt + 1, 6);
      await new Promise((done) => setTimeout(done, 100 * 2 ** this.attempt));
    }
  }

  private async read(response: Response): Promise<void> {
    const reader = response.body!.getReader();
    const messages = new StreamReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.received += value.length;
      for (const message of messages.push(value)) this.take(message);
    }
  }

  subscribe(layers: readonly string[]): void {
    const wanted = [...layers].sort();
    if (wanted.join() === this.layers.join()) return;
    this.layers = wanted;
    this.post('/api/subscribe', { layers: wanted, max_rate: 60 }).catch(() => undefined);
  }

  /** Commands wait for the one under way; of several targets of one drag only the last is sent. */
  send(command: Command): Promise<Result> {
    if (command.do === 'drag_to') {
      const older = this.waiting.find((w) => w.command.do === 'drag_to' && w.command.drag === command.drag);
      if (older) {
        older.command = command;
        return new Promise((done) => {
          const first = older.done;
          older.done = (r) => (first(r), done(r));
        });
      }
    }
    return new Promise((done) => {
      this.waiting.push({ command, done });
      void this.flush();
    });
  }

  private async flush(): Promise<void> {
    if (this.posting) return;
    this.posting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, 32);
      let results: Result[];
      try {
        const response = await this.post('/api/command', { commands: batch.map((w) => w.command) });
        results = ((await response.json()) as { results: Result[] }).results;
      } catch (error) {
        const what = error instanceof Refused ? error.what : { problem: 'The program does not answer.' };
        results = batch.map(() => ({ ok: false, error: what }));
      }
      batch.forEach((w, i) => w.done(results[i] ?? { ok: false, error: { problem: 'no answer' } }));
    }
    this.posting = false;
  }

  async gallery(): Promise<GalleryScene[]> {
    return ((await (await this.ask('/api/gallery')).json()) as { scenes: GalleryScene[] }).scenes;
  }
  async blob(path: string): Promise<Blob> {
    return (await this.ask(path)).blob();
  }
  async metrics(world: number): Promise<{ names: string[]; columns: Record<string, number[]> }> {
    return (await this.ask(`/api/metrics?world=${world}`)).json() as Promise<{
      names: string[];
      columns: Record<string, number[]>;
    }>;
  }
}

/** Hands a file to the browser's downloads. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
