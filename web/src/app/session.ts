import { Client } from '../core/client';
import type { Command, Line, Result } from '../core/client';
import type { Message, Problem, SessionState } from '../core/protocol';
import { WorldView } from '../scene/world_view';

// What the page knows of the program: its state, its worlds, and whether this page acts.

type Event = 'state' | 'scene' | 'frame' | 'line' | 'refused';

export class Session {
  readonly client: Client;
  readonly worlds: WorldView[] = [];
  state: SessionState | undefined;
  /** That have come so far. */
  states = 0;
  line: Line = 'connecting';
  lineProblem: Problem | undefined;
  /** Of the last command that was refused. */
  refusal: Problem | undefined;
  private readonly listeners = new Map<Event, (() => void)[]>();

  constructor() {
    this.client = new Client(
      (message) => this.take(message),
      (line, why) => {
        this.line = line;
        this.lineProblem = why;
        this.tell('line');
      },
    );
  }

  on(event: Event, act: () => void): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), act]);
  }
  private tell(event: Event): void {
    for (const act of this.listeners.get(event) ?? []) act();
  }

  private take(message: Message): void {
    if (message.type === 'state') {
      this.state = message.state;
      ++this.states;
      this.worlds.length = Math.min(this.worlds.length, Math.max(1, message.state.worlds.length));
      this.tell('state');
    } else if (message.type === 'scene' || message.type === 'bodies') {
      const world = (this.worlds[message.world] ??= new WorldView());
      world.takeScene(message);
      this.tell('scene');
    } else if (message.type === 'frame') {
      this.worlds[message.world]?.takeFrame(message);
      this.tell('frame');
    }
  }

  get acts(): boolean {
    return this.state?.acting === this.client.page;
  }
  get live(): boolean {
    return this.state?.mode === 'live';
  }

  /** What is refused is shown, unless the caller says that it looks at the answer itself. */
  async send(command: Command, quiet = false): Promise<Result> {
    const result = await this.client.send(command);
    if (!result.ok && !quiet) {
      this.refuse(result.error ?? { problem: 'The program refused this.' });
    }
    return result;
  }
  refuse(why: Problem): void {
    this.refusal = why;
    this.tell('refused');
  }
  do(name: string, fields: Record<string, unknown> = {}): void {
    void this.send({ do: name, ...fields });
  }
  toggle(): void {
    this.do(this.state?.playing ? 'pause' : 'play');
  }
}
