/**
 * No request holds up the others, for all amounts of data. Every GET route is asked on a gateway with a year of everything
 * and on an empty gateway. The longest turn of the event loop is measured in processor time of the main thread. This time
 * does not depend on other programs.
 */
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Program, startProgram } from '../../bench/setting/program.ts';
import { fillYear } from '../support/year-of-everything.ts';

const DAY_MS = 86_400_000;
const TURNS = ['--import', new URL('../../bench/setting/turns.ts', import.meta.url).href];
/** A route may take so many times the longest turn of the empty gateway. Half a million observations in one turn were two hundred times. */
const RATIO = 3;
/** Turns that are as short as this are no matter, ms: 50 on a quiet computer, twice as long where others use its caches. */
const SHORT_MS = 100;
const UNIT = 'roof';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly maximum?: number; readonly enum?: readonly string[] };
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** A gateway in a process of its own, and the longest turn of its event loop since the last question. */
class Measured {
  readonly #program: Program;
  #longest = 0;

  constructor(program: Program) {
    this.#program = program;
    createInterface(program.output).on('line', (line) => {
      const [, ms = '0'] = /^turn ([\d.]+)$/.exec(line) ?? [];
      this.#longest = Math.max(this.#longest, Number(ms));
    });
  }

  static async start(t: Test, folder: string): Promise<Measured> {
    const places = ['--data-dir', `${folder}/data`, '--key-file', `${folder}/key`];
    const measured = new Measured(
      await startProgram([...TURNS, 'lib/app/main.ts', '--port', '0', '--log-level', 'silent', ...places]),
    );
    t.teardown(() => measured.stop());
    return measured;
  }

  get base(): string {
    return this.#program.base;
  }

  /** Resolves when the answer was read, with the longest turn, ms. One beyond `most` is asked for again: the first answer compiles what it uses. */
  async turnOf(url: string, most = Number.POSITIVE_INFINITY, tries = 3): Promise<number> {
    await this.#settled();
    this.#longest = 0;
    await (await fetch(url)).arrayBuffer();
    await this.#settled();
    const longest = this.#longest;
    return longest > most && tries > 1 ? Math.min(longest, await this.turnOf(url, most, tries - 1)) : longest;
  }

  /** All output of the program about its turns has been read. */
  async #settled(): Promise<void> {
    await (await fetch(new URL('/livez', this.base))).arrayBuffer();
    await pause(20);
  }

  #stopped: Promise<void> | undefined;

  stop(): Promise<void> {
    this.#stopped ??= this.#program.stop();
    return this.#stopped;
  }
}

async function sent(t: Test, url: string, method: string, body: string, type = 'application/json'): Promise<void> {
  const answer = await fetch(url, { method, body, headers: { 'Content-Type': type } });
  t.ok(answer.ok, `${method} ${url}: ${answer.status}`);
  await answer.arrayBuffer();
}

/** A year of quarters of an hour. */
function levels(end: number): string {
  const lines = ['start,duration_s,leq,lmax,l10'];
  for (let at = end - 365 * DAY_MS; at < end; at += 900_000) {
    const level = 50 + ((at / 900_000) % 200) / 10;
    lines.push(`${new Date(at).toISOString().slice(0, 19)}Z,900,${level},${level + 10},${level + 3}`);
  }
  return lines.join('\n');
}

async function prepare(t: Test, folder: string, now: number): Promise<void> {
  const gateway = await Measured.start(t, folder);
  for (const unit of [UNIT, 'other'])
    await sent(
      t,
      `${gateway.base}/${unit}/config`,
      'PUT',
      '{"host":"192.0.2.1","tcp_enabled":false,"ftp_enabled":false}',
    );
  const path = `${UNIT}/history/import?frequency_weighting=A&time_weighting=F`;
  await sent(t, `${gateway.base}/${path}`, 'POST', levels(Math.floor(now / 900_000) * 900_000), 'text/csv');
  await sent(t, `${gateway.base}/_reports`, 'POST', JSON.stringify({ name: 'Week', units: [UNIT], period: 'none' }));
  for (let isBusy = true; isBusy; await pause(100)) {
    const answer = await fetch(`${gateway.base}/_jobs?state=queued,running`);
    isBusy = ((await answer.json()) as { readonly data: readonly unknown[] }).data.length > 0;
  }
  await gateway.stop();
  fillYear(`${folder}/data`, UNIT, now);
}

const PLACES: Readonly<Record<string, string>> = { unit_id: UNIT, id: '1', name: 'x', document: '1-pdf', token: 'abc' };

/** Each GET route: as it is, with most rows of a page, and with a year, in each format. */
function questionsOf({ paths, components }: Document, now: number): string[] {
  const iso = (ms: number) => new Date(ms).toISOString();
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || path.startsWith('/s/')) return [];
    const parameters = (get.parameters ?? []).map((one) =>
      one.$ref ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one,
    );
    const query = new Map(parameters.flatMap((one) => (one?.in === 'query' ? [[one.name, one.schema] as const] : [])));
    const filled = path
      .replace('_stations/{id}', '_stations/roof')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? iso(now - DAY_MS).slice(0, 10));
    const most = {
      ...(query.has('limit') && { limit: String(query.get('limit')?.maximum ?? 1_000) }),
      ...(query.has('path') && { path: '/' }),
      ...(query.has('units') && { units: UNIT }),
      ...(query.has('days') && { days: String(query.get('days')?.maximum ?? 1) }),
      ...(query.has('preset') && path.includes('assessment') && { preset: 'de-ta-laerm' }),
      ...(query.has('threshold') && { threshold: '60' }),
    };
    const days = path.includes('_alerts/days') ? 99 : path.includes('/moving') ? 7 : 365;
    const span = query.has('from') ? { from: iso(now - days * DAY_MS), to: iso(now) } : {};
    const formats = (query.get('format')?.enum ?? []).filter((format) => !['json', 'pdf', 'csv-de'].includes(format));
    const step = query.has('step') ? { step: '1d' } : {};
    const asked = [
      {},
      most,
      { ...most, ...span, ...step },
      ...formats.map((format) => ({ ...most, ...span, ...step, format })),
    ];
    const texts = asked.map((one) => `${filled}?${new URLSearchParams(one)}`);
    return [...new Set(texts)];
  });
}

t.test(
  'with a year of everything stored no GET route holds the main thread much longer than on an empty gateway',
  { skip: !('threadCpuUsage' in process) && 'this Node does not count the processor time of a thread' },
  async (t) => {
    const now = Date.now();
    const folder = t.testdir({ full: {}, empty: {} });
    await prepare(t, `${folder}/full`, now);
    const [full, empty] = [await Measured.start(t, `${folder}/full`), await Measured.start(t, `${folder}/empty`)];
    const document = (await (await fetch(`${full.base}/openapi.json`)).json()) as Document;
    const questions = questionsOf(document, now);
    const urlOf = ({ base }: Measured, path: string) =>
      /^\/(health|livez|readyz|metrics)\?/.test(path) ? new URL(path, base).href : `${base}${path}`;
    let yardstick = 0;
    for (const path of questions) yardstick = Math.max(yardstick, await empty.turnOf(urlOf(empty, path), yardstick));
    const most = Math.max(SHORT_MS, RATIO * yardstick);
    t.comment(`the longest turn of the empty gateway: ${yardstick} ms`);
    for (const path of questions) {
      const turn = await full.turnOf(urlOf(full, path), most);
      t.ok(turn <= most, `${path}: ${turn} ms`);
    }
  },
);
