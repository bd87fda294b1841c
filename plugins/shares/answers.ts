/**
 * The present content of each share, computed at most every ten seconds for any number of readers. A reader never waits for
 * a second computation while one runs, and a failed computation is not repeated at once. Without readers nothing is computed.
 */
import type { Shared, SharedUnit } from '../../client/schemas.ts';
import { type Host, iso } from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';
import { lastDays, limitsOf } from './days.ts';
import { lastHours, liveLevel, type SharedPlace } from './levels.ts';
import { type ShareRow, sharedUnits } from './schemas.ts';

/** How long an answer serves all readers, ms. */
export const KEPT_MS = 10_000;
/** Hours, days and limits change more slowly. */
const SLOW_KEPT_MS = 60_000;

/** Frozen: `lib/http` writes it once as JSON. */
export interface SharedAnswer {
  readonly data: Shared;
}

interface Kept<T> {
  readonly since: number;
  readonly value: Promise<T>;
}

class Answers {
  readonly #host: Host & WithNotes;
  #all: Kept<SharedAnswer> | undefined;
  readonly #slow = new Map<string, Kept<Omit<SharedUnit, 'name' | 'timezone' | 'live'>>>();

  constructor(host: Host & WithNotes) {
    this.#host = host;
  }

  now(share: ShareRow): Promise<SharedAnswer> {
    const { clock } = this.#host;
    const isFresh = this.#all && clock.elapsed() - this.#all.since < KEPT_MS;
    if (!this.#all || !isFresh) this.#all = { since: clock.elapsed(), value: this.#gather(share) };
    return this.#all.value;
  }

  async #gather(share: ShareRow): Promise<SharedAnswer> {
    const { clock, configs } = this.#host;
    const until = clock.now() - share.delayS * 1_000;
    const { title, words: text, delayS, roundDb, fromAt } = share;
    const hasBegun = fromAt === null || fromAt <= until;
    const units: SharedUnit[] = [];
    // One unit after the other: a share of many units must not delay the levels of others.
    for (const unitId of hasBegun ? sharedUnits(share, configs) : []) {
      const config = configs.get(unitId);
      if (config) units.push(await this.#unit({ host: this.#host, share, config, until }));
    }
    const data = {
      title,
      text,
      until: new Date(until).toISOString(),
      from: iso(fromAt),
      delay_s: delayS,
      round_db: roundDb,
      units,
    };
    return Object.freeze({ data });
  }

  async #unit(place: SharedPlace): Promise<SharedUnit> {
    const { share, config } = place;
    const live = share.parts.includes('live') ? { live: await liveLevel(place) } : {};
    const slow = this.#slow.get(config.unitId);
    const { clock } = this.#host;
    const isFresh = slow && clock.elapsed() - slow.since < SLOW_KEPT_MS;
    const kept = slow && isFresh ? slow : { since: clock.elapsed(), value: slowParts(place) };
    this.#slow.set(config.unitId, kept);
    return { name: config.name, timezone: config.timezone, ...live, ...(await kept.value) };
  }
}

async function slowParts(place: SharedPlace): Promise<Omit<SharedUnit, 'name' | 'timezone' | 'live'>> {
  const { parts } = place.share;
  return {
    ...(parts.includes('levels') && { hours: await lastHours(place) }),
    ...(parts.includes('indices') && { days: await lastDays(place) }),
    ...(parts.includes('limits') && { limits: await limitsOf(place) }),
  };
}

export class AllAnswers {
  readonly #host: Host & WithNotes;
  readonly #answers = new Map<number, Answers>();

  constructor(host: Host & WithNotes) {
    this.#host = host;
  }

  /** The same object for all readers of the next seconds. Errors: those of the history and of alerts. */
  of(share: ShareRow): Promise<SharedAnswer> {
    const answers = this.#answers.get(share.id) ?? new Answers(this.#host);
    this.#answers.set(share.id, answers);
    return answers.now(share);
  }

  /** Drops the answer of a share that has ended or has other units now. */
  forget(id: number): void {
    this.#answers.delete(id);
  }

  /** Drops all answers: a unit was changed. */
  clear(): void {
    this.#answers.clear();
  }
}
