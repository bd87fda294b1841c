/** Answers of the API that a report reads with the rights of its caller. */
import { createHash } from 'node:crypto';
import type { History } from '../../client/schemas.ts';
import { type Host, type Request, rest } from '../../lib/index.ts';
import type { PermitDay } from '../permits/index.ts';

/** The days of a unit by one permit. */
export interface PermitVerdicts {
  readonly title: string;
  readonly days: readonly PermitDay[];
}

/** GET history with `leq,lmax`. */
export type LevelsAnswer = Pick<History, 'step_s' | 'notes'> & {
  readonly rows: readonly (readonly [start: string, leq: number | null, lmax: number | null])[];
};

/** A query that was asked, and the hash of what it gave. */
export interface AskedQuery {
  readonly query: string;
  readonly sha256: string;
}

interface KnownAnswer {
  readonly data: unknown;
  readonly asked: AskedQuery;
}

type QueryValues = Readonly<Record<string, unknown>>;
type PathValues = Readonly<Record<string, string>>;

/** Entries that a report takes from one list. */
const MOST_LISTED = 1_000;

/** Asks on behalf of one request, and keeps what was asked in its order. */
export class Questions {
  readonly #host: Pick<Host, 'ask'>;
  readonly #request: Request;
  readonly #shared: Map<string, KnownAnswer>;
  #asked: AskedQuery[] = [];

  constructor(host: Pick<Host, 'ask'>, request: Request, shared = new Map<string, KnownAnswer>()) {
    this.#host = host;
    this.#request = request;
    this.#shared = shared;
  }

  get asked(): readonly AskedQuery[] {
    return this.#asked;
  }

  /** For the next unit of the same report: what `ofAll` has asked is known, what was asked is its own. */
  next(): Questions {
    return new Questions(this.#host, this.#request, this.#shared);
  }

  /** `data` of the answer. Errors: those of the route. */
  async data<Answer>(path: string, unitId: string, query: QueryValues, params: PathValues = {}): Promise<Answer> {
    return (await this.#ask<{ data: Answer }>(path, unitId, query, params)).data;
  }

  /**
   * As `ofAll`, but not among what was asked: of data that changes by itself, such as the age of something, each hash is another one,
   * and a report that is made again would not be the same.
   */
  unlisted<Answer>(path: string): Promise<Answer> {
    return this.next().ofAll<Answer>(path, {});
  }

  /** `data` of an answer that is the same for every unit of the report: it is asked for once. Errors: those of the route. */
  async ofAll<Answer>(path: string, query: QueryValues, params: PathValues = {}): Promise<Answer> {
    const key = JSON.stringify([path, query, params]);
    const known = this.#shared.get(key);
    if (known) {
      this.#asked.push(known.asked);
      return known.data as Answer;
    }
    const data = await this.data<Answer>(path, '', query, params);
    const asked = this.#asked.at(-1);
    if (asked) this.#shared.set(key, { data, asked });
    return data;
  }

  /** All pages of a list, up to the most; `isCut`: there is more. */
  async list<Item>(path: string, unitId: string, query: QueryValues) {
    const items: Item[] = [];
    let cursor: string | null | undefined;
    do {
      const wanted = { ...query, limit: 500, ...(cursor && { cursor }) };
      const page = await this.#ask<{ data: readonly Item[]; next: string | null }>(path, unitId, wanted);
      items.push(...page.data);
      cursor = page.next;
    } while (cursor && items.length < MOST_LISTED);
    return { items, isCut: Boolean(cursor) };
  }

  async #ask<Whole extends { data: unknown }>(
    path: string,
    unitId: string,
    query: QueryValues,
    params: PathValues = {},
  ) {
    this.#request.caller.signal?.throwIfAborted();
    const { content } = await this.#host.ask(this.#request, { method: 'GET', path, unitId, params, query });
    const whole = await wholeOf<Whole>(content, path);
    // The text of a year of days is long: it is not made in the turn in which the last part of the answer was made.
    await rest();
    const words = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const sha256 = createHash('sha256').update(JSON.stringify(whole.data)).digest('hex');
    const named: PathValues = { unit_id: unitId, ...params };
    const filled = path.replaceAll(/\{(\w+)\}/g, (gap, name: string) => named[name] ?? gap);
    this.#asked.push({ query: `GET ${filled}${words.length > 0 ? '?' : ''}${words.join('&')}`, sha256 });
    await rest();
    return whole;
  }
}

type AskedContent = Awaited<ReturnType<Host['ask']>>['content'];

async function wholeOf<Whole>(content: AskedContent, path: string): Promise<Whole> {
  if (content.kind === 'json') return content.data as Whole;
  if (content.kind !== 'stream') throw new Error(`GET ${path} does not answer with JSON`);
  const pieces: string[] = [];
  for await (const piece of content.stream) pieces.push(String(piece));
  return JSON.parse(pieces.join('')) as Whole;
}
