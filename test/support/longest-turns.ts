/** The longest turn of the event loop of a gateway while it answers, and questions to every GET route. */
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type Program, startProgram } from '../../bench/setting/program.ts';

const DAY_MS = 86_400_000;
const TURNS = ['--import', new URL('../../bench/setting/turns.ts', import.meta.url).href];

/** A gateway in a process of its own. */
export class MeasuredGateway {
  readonly #program: Program;
  #longest = 0;
  #stopped: Promise<void> | undefined;

  private constructor(program: Program) {
    this.#program = program;
    createInterface(program.output).on('line', (line) => {
      const [, ms = '0'] = /^turn ([\d.]+)$/.exec(line) ?? [];
      this.#longest = Math.max(this.#longest, Number(ms));
    });
  }

  /** On the data in `folder`. */
  static async start(folder: string): Promise<MeasuredGateway> {
    const places = ['--data-dir', `${folder}/data`, '--key-file', `${folder}/key`];
    const words = ['lib/app/main.ts', '--port', '0', '--log-level', 'silent', ...places];
    return new MeasuredGateway(await startProgram([...TURNS, ...words]));
  }

  get base(): string {
    return this.#program.base;
  }

  /**
   * Resolves when the answers were read, with the longest turn, ms of processor time. Where it is beyond `most` they are asked for again: the
   * first time code is compiled, and beside other programs the processor is slow now and then.
   */
  async turnOf(urls: readonly string[], most = Number.POSITIVE_INFINITY, tries = 3): Promise<number> {
    const ask = async (url: string) => (await fetch(new URL(url, this.#program.base))).arrayBuffer();
    const longest = await this.turnWhile(() => Promise.all(urls.map(ask)));
    return longest > most && tries > 1 ? Math.min(longest, await this.turnOf(urls, most, tries - 1)) : longest;
  }

  /** The longest turn until `work` is done, ms of processor time. */
  async turnWhile(work: () => Promise<unknown>): Promise<number> {
    await this.#settled();
    this.#longest = 0;
    await work();
    await this.#settled();
    return this.#longest;
  }

  /** Waits until all output of the program about its turns has been read. */
  async #settled(): Promise<void> {
    await (await fetch(new URL('/livez', this.base))).arrayBuffer();
    await pause(20);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#program.stop();
    return this.#stopped;
  }
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly maximum?: number; readonly enum?: readonly string[] };
}

/** The part of an OpenAPI document that is read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const PLACES: Readonly<Record<string, string>> = { id: '1', name: 'x', document: '1-pdf', token: 'abc' };
/** Days of the longest span that a route takes, where it is not a year. */
const SHORTER: Readonly<Record<string, number>> = { '_alerts/days': 99, '/moving': 7 };
/** Asked for beside the longest step. */
const SHORT_STEP = '1h';
/** Filters that hardly anything passes: what is looked for is behind all the rest. */
const RARE: Readonly<Record<string, string>> = { unit: 'other', rule: '99' };

/** Each GET route in each format: without a query, with most rows of a page, with strict filters, and with a year. */
export function everyQuestion({ paths, components }: ApiDocument, unit: string, now: number): string[] {
  const iso = (ms: number) => new Date(ms).toISOString();
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || path.startsWith('/s/')) return [];
    const parameters = (get.parameters ?? []).map((one) =>
      one.$ref ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one,
    );
    const query = new Map(parameters.flatMap((one) => (one?.in === 'query' ? [[one.name, one.schema] as const] : [])));
    const filled = path
      .replace('_stations/{id}', '_stations/roof')
      .replaceAll('{unit_id}', unit)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? iso(now - DAY_MS).slice(0, 10));
    const most = {
      ...(query.has('limit') && { limit: String(query.get('limit')?.maximum ?? 1_000) }),
      ...(query.has('path') && { path: '/' }),
      ...(query.has('units') && { units: unit }),
      ...(query.has('days') && { days: String(query.get('days')?.maximum ?? 1) }),
      ...(query.has('preset') && path.includes('assessment') && { preset: 'eu-lden' }),
      ...(query.has('threshold') && { threshold: '60' }),
    };
    const [, days = 365] = Object.entries(SHORTER).find(([part]) => path.includes(part)) ?? [];
    const span = query.has('from') ? { from: iso(now - days * DAY_MS), to: iso(now) } : {};
    const formats = (query.get('format')?.enum ?? []).filter((format) => !['json', 'csv-de'].includes(format));
    const whole = { ...most, ...span, ...(query.has('step') && { step: '1d' }) };
    const inSteps = query.has('step') ? formats.map((format) => ({ ...whole, step: SHORT_STEP, format })) : [];
    const rare = Object.entries(RARE).flatMap(([name, value]) => (query.has(name) ? [{ ...most, [name]: value }] : []));
    const asked = [{}, most, whole, ...rare, ...formats.map((format) => ({ ...whole, format })), ...inSteps];
    return [...new Set(asked.map((one) => `${filled}?${new URLSearchParams(one)}`))];
  });
}
