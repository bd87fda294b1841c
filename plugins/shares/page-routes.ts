/**
 * The routes for the holder of a link: the page, its values, and the same as data. A link gives access to nothing else. Wrong links
 * are counted, slowed down like wrong passwords, and logged once a minute without the links.
 */
import {
  addressPrefix,
  type ErrorPage,
  etagOf,
  type Language,
  languageOf,
  SHARE_PATH,
  TIME_OR_NULL,
  WrongTries,
} from '../../lib/built-in.ts';
import {
  type Clock,
  GatewayError,
  type Host,
  type Log,
  named,
  orNull,
  type Request,
  type Schema,
  TIME,
  text,
  whole,
} from '../../lib/index.ts';
import { PERMIT_VERDICTS } from '../permits/index.ts';
import type { AllAnswers, SharedAnswer } from './answers.ts';
import { LEVEL_WORDS } from './levels.ts';
import { failurePage, sharePage, sharePolicy, shareValues } from './page.ts';
import { type ShareRow, TOKEN_PARAM } from './schemas.ts';
import type { ShareStore } from './store.ts';

const LEVEL: Schema = { type: ['number', 'null'], 'x-unit': 'dB' };
const PART: Schema = { type: 'number', minimum: 0, maximum: 1 };

const UNIT: Schema = {
  title: 'SharedUnit',
  type: 'object',
  properties: {
    name: { type: ['string', 'null'], description: 'null: the meter has no name.' },
    timezone: { type: 'string' },
    live: named('SharedLive', {
      state: {
        type: 'string',
        enum: ['level', 'stale', 'none', 'not_recorded'],
        description:
          'level: of the last minutes. stale: there is none of the last minutes, and the last one ended at `since`. none: no level since `since`.',
      },
      level_db: LEVEL,
      kind: {
        type: ['string', 'null'],
        enum: ['mean', 'reading', null],
        description: 'mean: of a minute. reading: of single readings.',
      },
      word: { type: ['string', 'null'], enum: [...LEVEL_WORDS, null] },
      at: { ...TIME_OR_NULL, description: 'End of its minute.' },
      since: {
        ...TIME_OR_NULL,
        description: 'Since when levels are missing; null: there is a level, or it is not known.',
      },
      weighting: { type: ['string', 'null'], enum: ['A', 'C', 'Z', null] },
    }),
    hours: {
      type: 'array',
      items: named('SharedHour', { from: TIME, to: TIME, leq_db: LEVEL, lmax_db: LEVEL, coverage: PART }),
    },
    days: {
      type: ['array', 'null'],
      items: named('SharedDay', {
        date: { type: 'string', format: 'date' },
        lday_db: LEVEL,
        levening_db: LEVEL,
        lnight_db: LEVEL,
        leq_24h_db: LEVEL,
        lden_db: LEVEL,
        is_complete: { type: 'boolean', description: 'Enough of each period was measured.' },
        verdict: {
          type: ['string', 'null'],
          enum: [...PERMIT_VERDICTS, null],
          description: 'By the permits of the unit; null: none is valid on this day.',
        },
      }),
    },
    limits: {
      type: ['array', 'null'],
      items: named('SharedLimit', {
        quantity: { type: 'string' },
        channel: { type: 'string', description: 'Channel of the meter that the limit is for.' },
        window: { type: 'string' },
        limit_db: { type: 'number' },
        schedule: {
          type: 'array',
          items: whole({
            days: { type: 'array', items: { type: 'string' } },
            from: { type: 'string' },
            to: { type: 'string' },
          }),
        },
        since: { ...TIME, description: 'Events are counted from here.' },
        exceeded_now: { type: 'boolean' },
        exceeded_count: { type: 'integer', description: 'Decided with levels before rounding; at most 1,000.' },
        coverage: { ...PART, description: 'Share of this time with data: nothing is known of the rest.' },
      }),
    },
  },
  required: ['name', 'timezone'],
  additionalProperties: false,
};

const SHARED: Schema = named('Shared', {
  title: { type: 'string' },
  text: { type: 'string' },
  until: { ...TIME, description: 'Later levels are not shown.' },
  from: { ...orNull(TIME), description: 'Nothing from before is shown.' },
  delay_s: { type: 'integer' },
  round_db: { type: 'number' },
  units: { type: 'array', items: UNIT },
});

interface PageParts {
  readonly host: Host;
  readonly store: ShareStore;
  readonly answers: AllAnswers;
  readonly wrong: WrongLinks;
}

const errorPage: ErrorPage = ({ status }, language) => ({
  html: failurePage(status, languageOf(language)),
  policy: sharePolicy([]),
});

export function addPages(parts: PageParts): void {
  const { host, store } = parts;
  const common = {
    method: 'GET',
    access: 'public',
    besideBase: true,
    params: TOKEN_PARAM,
    etag: true,
    errors: ['SHARE_NOT_FOUND'],
    errorPage,
  } as const;
  const page = { ...common, answer: 'text', contentTypes: ['text/html'] } as const;
  const written = new Written();
  host.route({
    ...page,
    path: `${SHARE_PATH}{token}`,
    operation: 'getSharedPage',
    summary: 'Show a share as a page for people',
    description: 'In the language of the browser. It needs no API key: the link is the permission.',
    async handle(request) {
      const { share, answer } = await read(parts, request);
      if (request.method === 'GET') store.count(share);
      return htmlOf(share, written.of(answer, 'page', languageOf(request.language)));
    },
  });
  host.route({
    ...page,
    path: `${SHARE_PATH}{token}/main`,
    operation: 'getSharedValues',
    summary: 'Show the values of the page of a share',
    description: 'The part of the page that changes, for its script.',
    async handle(request) {
      const { share, answer } = await read(parts, request);
      return htmlOf(share, written.of(answer, 'values', languageOf(request.language)));
    },
  });
  host.route({
    ...common,
    path: `${SHARE_PATH}{token}/data`,
    operation: 'getSharedData',
    summary: 'Show a share as data',
    answer: { data: SHARED },
    async handle(request) {
      return (await read(parts, request)).answer;
    },
  });
}

/** Errors: SHARE_NOT_FOUND, TOO_MANY_REQUESTS, and those of gathering. */
async function read(
  { store, answers, wrong }: PageParts,
  { params, identity }: Request,
): Promise<{ readonly share: ShareRow; readonly answer: SharedAnswer }> {
  wrong.check(identity.address);
  const share = store.find(params.token ?? '');
  if (share === undefined) wrong.add(identity.address);
  if (share === undefined || share === 'ended') throw notFound();
  const answer = await answers.of(share);
  // The share was revoked or has expired meanwhile.
  if (!store.lasts(share)) throw notFound();
  return { share, answer };
}

const notFound = (): GatewayError => new GatewayError('SHARE_NOT_FOUND', 'This link is wrong, or the share has ended.');

interface Text {
  readonly body: string;
  readonly etag: string;
}

/** Pages are written once for all readers of an answer in each language. */
class Written {
  readonly #pages = new WeakMap<SharedAnswer, Map<string, Text>>();

  of(answer: SharedAnswer, kind: 'page' | 'values', language: Language): Text {
    const pages = this.#pages.get(answer) ?? new Map<string, Text>();
    this.#pages.set(answer, pages);
    const known = pages.get(kind + language);
    if (known) return known;
    const body = kind === 'page' ? sharePage(answer.data, language) : shareValues(answer.data, language);
    const written = { body, etag: etagOf(body) };
    pages.set(kind + language, written);
    return written;
  }
}

/** Browsers keep the page, but ask before each use: a revoked link shows nothing. */
const htmlOf = ({ embed }: ShareRow, { body, etag }: Text) =>
  text(
    { text: body, contentType: 'text/html; charset=utf-8' },
    {
      etag,
      headers: {
        'Content-Security-Policy': sharePolicy(embed),
        'Cache-Control': 'private, no-cache',
        'X-Robots-Tag': 'noindex, nofollow, noarchive',
        Vary: 'Accept-Language',
        ...(embed.length > 0 && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
      },
    },
  );

const MINUTE_MS = 60_000;

/** Counts callers who tried links that never existed. */
export class WrongLinks {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #waits: WrongTries;
  #count = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#waits = new WrongTries(clock);
  }

  /** During the pause, right links are refused, too. Errors: TOO_MANY_REQUESTS with the seconds to wait. */
  check(address: string): void {
    const wait = this.#waits.waitOf(addressPrefix(address));
    if (wait <= 0) return;
    const seconds = Math.ceil(wait / 1_000);
    const headers = { 'Retry-After': String(seconds) };
    throw new GatewayError(
      'TOO_MANY_REQUESTS',
      `Too many wrong links came from this address; try again in ${seconds} s.`,
      {
        headers,
      },
    );
  }

  add(address: string): void {
    this.#waits.add(addressPrefix(address));
    this.#count += 1;
    this.#cancel ??= this.#clock.after(MINUTE_MS, () => this.flush());
  }

  /** Writes the count that is not in the log yet. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#count > 0)
      this.#log.warn({ count: this.#count }, 'links of shares that never were came in the last minute');
    this.#count = 0;
  }
}
