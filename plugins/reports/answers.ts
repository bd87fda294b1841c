/** Answers of the API that a report reads with the rights of its caller. They name only the fields that it uses. */
import { createHash } from 'node:crypto';
import { type Host, type Request, rest } from '../../lib/index.ts';
import type { assessment } from '../assessment/index.ts';
import type { PermitDay } from '../permits/index.ts';

interface DayLevels {
  readonly lday: number | null;
  readonly levening: number | null;
  readonly lnight: number | null;
  readonly lden: number | null;
  readonly ldn: number | null;
  readonly cnel: number | null;
  readonly leq_24h: number | null;
}

/** A day, or the valid days together, as GET indices has them. */
export interface IndexAnswer extends DayLevels {
  readonly l10: number | null;
  readonly l90: number | null;
  readonly lmax: number | null;
  readonly coverage: { readonly all: number };
  readonly valid: boolean;
  readonly reason: string | null;
  readonly hours: number;
  readonly excluded_s: number;
  readonly leq_all: number | null;
}

/** GET indices. */
export interface IndicesAnswer {
  readonly weighting: { readonly frequency: string; readonly time: string } | null;
  readonly notes: readonly string[];
  readonly exclusions: readonly string[];
  readonly days: readonly (IndexAnswer & { readonly date: string })[];
  readonly total: IndexAnswer & { readonly days: number; readonly mean_of_days: DayLevels };
}

type Verdict = 'met' | 'exceeded' | 'not_assessable' | 'no_limit';

/** GET verdicts: the days of a unit by one permit. */
export interface PermitVerdictsAnswer {
  readonly title: string;
  readonly days: readonly PermitDay[];
}

/** GET assessment. */
export interface AssessmentAnswer {
  readonly preset: string;
  readonly title: string;
  readonly source: string;
  readonly area_title: string | null;
  /** Facts from a person: `3`, or `day:3,night:0`. */
  readonly said: Readonly<Partial<Record<assessment.SaidName, string>>>;
  readonly notes: readonly string[];
  readonly days: readonly {
    readonly date: string;
    readonly verdict: Verdict;
    readonly figures: readonly {
      readonly figure: string;
      readonly value: number | null;
      readonly limit: number | null;
      readonly margin: number | null;
      readonly coverage: number;
      readonly verdict: Verdict;
      readonly reasons: readonly string[];
    }[];
  }[];
  readonly total: Readonly<Record<Verdict, number>> & {
    readonly figures: readonly {
      readonly figure: string;
      readonly compared: 'leq' | 'rating' | 'percentile' | 'emergence' | 'difference' | 'index';
      readonly period: string | null;
      readonly percent: number | null;
      readonly window_s: number | null;
      readonly mean: number | null;
      readonly standard_error: number | null;
      readonly highest: number | null;
      readonly highest_on: string | null;
      readonly limit: number | null;
      readonly days: number;
      readonly left_out: readonly string[];
    }[];
  };
}

/** GET history with `leq,lmax`. */
export interface LevelsAnswer {
  readonly step_s: number;
  readonly notes: readonly string[];
  readonly rows: readonly (readonly [start: string, leq: number | null, lmax: number | null])[];
}

/** An exclusion of GET notes. */
export interface NoteAnswer {
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  readonly reason: string;
  readonly text: string;
  readonly by: string;
  /** Null: all channels. */
  readonly channels: readonly string[] | null;
  /** It was made of what stations observed. */
  readonly observed: boolean;
}

/** A station of GET `_stations`. */
export interface StationAnswer {
  readonly id: string;
  readonly title: string;
  readonly place: string;
  readonly units: readonly string[] | null;
}

/** A day of GET observations: null is not observed. */
export interface ObservedDayAnswer {
  readonly from: string;
  readonly to: string;
  readonly values: Readonly<Record<'wind_speed' | 'gust' | 'rain' | 'temperature', number | null>>;
  readonly coverage: Readonly<Record<'wind_speed' | 'rain', number>>;
}

/** One of GET `notes/proposals`. */
export interface ProposalAnswer {
  readonly from: string;
  readonly to: string;
}

/** An entry of GET calibrations. */
export interface CalibrationAnswer {
  readonly time: string;
  readonly nominal_db: number;
  readonly before_db: number;
  readonly after_db: number | null;
  readonly calibrator: string;
  readonly serial: string;
  readonly certificate: string;
  readonly valid_until: string | null;
  readonly by: string;
  readonly text: string;
}

/** An event of GET `_alerts/events`. */
export interface EventAnswer {
  readonly rule_name: string;
  readonly severity: string;
  /** The quantity or the condition. */
  readonly what: string;
  readonly window_from: string | null;
  readonly window_to: string | null;
  readonly windows: number | null;
  /** Null: it is about no level. */
  readonly channel: string | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number | null;
  readonly limit: number | null;
  readonly unit: string | null;
  /** Seconds of its time that notes exclude; null: it is about no level. */
  readonly excluded_s: number | null;
  /** As a person said; null: not said. */
  readonly cause: string | null;
  readonly ack: { readonly by: string } | null;
}

/** A query that was asked, and the hash of what it gave. */
export interface AskedQuery {
  readonly query: string;
  readonly sha256: string;
}

/** An answer, and what is said of it. */
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
