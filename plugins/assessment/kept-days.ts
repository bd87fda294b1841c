/** Judgements of days that are over, because pages ask again and again. Another level, exclusion or preset ends them. */
import type { HistoryQuery, Host } from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';
import { leave } from './measured.ts';
import type * as assessment from './model/index.ts';

/** Of all units: 60 meters for a month. */
const MOST_DAYS = 2_000;

interface PlannedDays extends Pick<HistoryQuery, 'channel' | 'weighting'> {
  readonly unitId: string;
  readonly plan: readonly assessment.PlannedDay[];
  /** All else that decides about a day: the preset with the values of a person, and the zone. */
  readonly about: string;
}

interface Kept<Day> {
  /** Fingerprint of the levels, and the excluded time. */
  readonly state: string;
  readonly day: Day;
}

type KeepingHost = Pick<Host, 'history' | 'clock'> & WithNotes;

export class KeptDays<Day> {
  readonly #host: KeepingHost;
  readonly #days = new Map<string, Kept<Day>>();

  constructor(host: KeepingHost) {
    this.#host = host;
  }

  /** In the order of the plan. `judge` gets the days that are not kept. Errors: those of `judge` and of the history. */
  async all(
    asked: PlannedDays,
    judge: (plan: readonly assessment.PlannedDay[]) => Promise<readonly Day[]>,
    signal: AbortSignal,
  ): Promise<readonly Day[]> {
    const { unitId, plan, about } = asked;
    const found: { readonly key: string; readonly state: string | null; readonly kept: Day | undefined }[] = [];
    for (const day of plan) {
      const key = JSON.stringify([unitId, day.date.date, day.date.kind, about]);
      // Read before the levels: a level that comes in between makes this state an old one.
      const state = await this.#stateOf(asked, day, signal);
      found.push({ key, state, kept: this.#find(key, state) });
    }
    const lacking = plan.filter((_, at) => !found[at]?.kept);
    const judged = lacking.length > 0 ? (await judge(lacking)).values() : [].values();
    return found.flatMap(({ key, state, kept }) => {
      const day = kept ?? judged.next().value;
      if (!day) return [];
      if (state !== null) this.#keep(key, { state, day });
      return [day];
    });
  }

  /** Null: the day goes on, or has no times. */
  async #stateOf(
    { unitId, channel, weighting }: PlannedDays,
    { periods }: assessment.PlannedDay,
    signal: AbortSignal,
  ): Promise<string | null> {
    const windows = periods.flatMap((period) => period.windows);
    const span = { from: Math.min(...windows.map(({ from }) => from)), to: Math.max(...windows.map(({ to }) => to)) };
    const { history, notes, clock } = this.#host;
    if (windows.length === 0 || span.to > clock.now()) return null;
    const range = { from: span.from / 1_000, to: span.to / 1_000 };
    const of = { unitId, ...(channel && { channel }), ...(weighting && { weighting }) };
    const { digest, rows } = await history.query({ ...of, over: { ranges: [range] }, digest: true }, signal);
    await leave(rows);
    return JSON.stringify([digest, notes.excluded(unitId, span, channel).ranges]);
  }

  #find(key: string, state: string | null): Day | undefined {
    const kept = this.#days.get(key);
    return kept?.state === state ? kept?.day : undefined;
  }

  #keep(key: string, kept: Kept<Day>): void {
    this.#days.delete(key);
    this.#days.set(key, kept);
    const [oldest] = this.#days.keys();
    if (oldest !== undefined && this.#days.size > MOST_DAYS) this.#days.delete(oldest);
  }
}
