/** What people and programs do meanwhile: changes of configs, clocks that are set, a schedule, alerts to a webhook. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { HOSTS, type Host } from './network.ts';
import { baseOf } from './programs.ts';

const WEBHOOK_PORT = 9_000;
const WRITE_EVERY_MS = 400;
const CLOCK_EVERY_MS = 3_000;
/** So many of the meters get notes. */
const NOTED = 3;
const NOTE_EVERY_MS = 1_000;
/** Characters of a note, half of them bytes: four fill a page of the database. */
const NOTE_BYTES = 950;
const PATIENCE_MS = 20_000;
const TOO_MANY = 429;

/** What the API answered. */
interface Answer {
  /** 0: there was none in time. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: its readers name what they look at
  readonly json: any;
}

/** Asks an instance, as a program would: one that has asked too much waits, and asks again. Never rejects. */
export async function ask(host: Host, method: string, path: string, body?: object): Promise<Answer> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const init = { method, headers: { 'Content-Type': 'application/json' }, signal };
  try {
    for (;;) {
      const answer = await fetch(baseOf(host) + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      if (answer.status !== TOO_MANY)
        return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : {} };
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1_000, undefined, { signal });
    }
  } catch {
    return { status: 0, json: {} };
  }
}

/** A name of a config that was sent, and whether the gateway said that it is kept. */
interface Write {
  readonly unit: string;
  readonly name: string;
  /** Of the answer; 0: there was none. */
  readonly status: number;
  /** Of a refusal. */
  readonly code: string;
  /** When it was sent, ms since 1970 UTC. */
  readonly at: number;
}

/** A note that was sent. It needs room, where a change of a config finds its place in the page that it has. */
interface Note extends Pick<Write, 'unit' | 'status' | 'code' | 'at'> {
  /** Undefined: it was not kept, as far as was answered. */
  readonly id: string | undefined;
}

/** A message of an alert that came. */
interface Message {
  readonly event: string;
  readonly type: string;
  readonly unit: string;
  /** ms since 1970 UTC. */
  readonly at: number;
}

/** The copy of a file of a card, byte by byte as characters. Throws where the gateway has none. */
export async function contentOf(host: Host, unit: string, path: string): Promise<string> {
  const answer = await fetch(`${baseOf(host)}/${unit}/files/content?path=${encodeURIComponent(path)}`);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer()).toString('latin1');
}

/** Writes until it is closed. */
export class Load {
  readonly writes: Write[] = [];
  readonly notes: Note[] = [];
  readonly clocks = new Map<string, number>();
  readonly messages: Message[] = [];
  readonly #hosts: readonly Host[];
  readonly #units: readonly string[];
  readonly #closed = new AbortController();
  readonly #webhook: Server;
  #work: readonly Promise<void>[] = [];

  /** `units`: nobody else sets their clocks. */
  constructor(hosts: readonly Host[], units: readonly string[]) {
    this.#hosts = hosts;
    this.#units = units;
    this.#webhook = createServer((request, answer) => {
      let text = '';
      request.on('data', (piece) => {
        text += piece;
      });
      request.on('end', () => {
        const { type, data } = JSON.parse(text) as { type: string; data: { id: string; unit_id: string } };
        this.messages.push({ event: data.id, type, unit: data.unit_id, at: Date.now() });
        answer.end();
      });
    });
  }

  /** `address` of the receiver of alerts. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#webhook.listen(WEBHOOK_PORT, HOSTS.meters, resolve));
    return `http://${HOSTS.meters}:${WEBHOOK_PORT}/alerts`;
  }

  begin(): void {
    this.#work = [
      this.#every(WRITE_EVERY_MS, this.#write),
      this.#every(CLOCK_EVERY_MS, this.#setClock),
      this.#every(NOTE_EVERY_MS, this.#note),
    ];
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#work);
    this.#webhook.closeAllConnections();
    this.#webhook.close();
  }

  async #every(ms: number, work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 1; !this.#closed.signal.aborted; n += 1) {
      await work(n);
      await pause(ms, undefined, { signal: this.#closed.signal }).catch(() => {});
    }
  }

  #host = (n: number): Host => this.#hosts[n % this.#hosts.length] ?? 'north';

  #write = async (n: number): Promise<void> => {
    const unit = this.#units[n % this.#units.length] ?? '';
    const name = `name ${n}`;
    const at = Date.now();
    const { status, json } = await ask(this.#host(n), 'PUT', `/${unit}/config`, { name });
    this.writes.push({ unit, name, status, at, code: json.code ?? '' });
  };

  #note = async (n: number): Promise<void> => {
    const unit = this.#units[n % Math.min(NOTED, this.#units.length)] ?? '';
    const at = Date.now();
    const text = randomBytes(NOTE_BYTES).toString('hex');
    const { status, json } = await ask(this.#host(n), 'POST', `/${unit}/notes`, { kind: 'note', text });
    this.notes.push({ unit, status, code: json.code ?? '', at, id: json.data?.id });
  };

  #setClock = async (n: number): Promise<void> => {
    const unit = this.#units[(n * 7) % this.#units.length] ?? '';
    this.clocks.set(unit, (this.clocks.get(unit) ?? 0) + 1);
    const datetime = new Date().toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
    await ask(this.#host(n), 'PUT', `/${unit}/clock`, { datetime });
  };
}
