/**
 * Some meters store on their cards all the time, whoever is connected. When their files have been fetched, what the history says of each
 * minute is held against the rows of the card: they are what the meter itself heard.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { secondsIn } from './facts.ts';
import type { Line } from './line.ts';
import { ask, contentOf } from './load.ts';
import type { Host } from './network.ts';

/** In the config of a meter whose card is read. */
export const WITH_CARD = { ftp_enabled: true, mirror: { enabled: true, every: '99d', paths: ['/NL-43'] } };

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const JOB_MS = 180_000;
const LOOK_MS = 50;
/** The gateway itself calls a larger difference between card and stream a fault. */
const ALIKE_DB = 0.3;
/** Rows of a minute; the clock of a meter is known to a tenth of a second, so the first and the last may stand in the next one. */
const WHOLE = 590;
/** The same in the history, as a share. */
const ALL = 0.98;

interface Minute {
  energy: number;
  rows: number;
}

/** A minute of the card and of the history. */
interface Compared {
  /** dB; not a number: the history has none. */
  readonly apart: number;
  /** Share of the minute that the history has, now and before the card was read. */
  readonly coverage: number;
  readonly before: number;
}

/** Of the meters `units`. Nobody else may set their clocks. */
export class Cards {
  readonly #control: string;
  readonly #units: readonly string[];

  constructor(control: string, units: readonly string[]) {
    this.#control = control;
    this.#units = units;
  }

  /** They store a level each 100 ms from now on: with another interval a meter refuses to be streamed (manual of the NL-42). The gateway reads their clocks. */
  async begin(host: Host): Promise<void> {
    for (const unit of this.#units) {
      const state = (await (await fetch(`${this.#control}/meters/${unit}`)).json()) as { measuring: boolean };
      if (state.measuring) await this.#set(unit, { Measure: 'Stop' });
      const store = { 'Store Mode': 'Auto', 'Lp Store Interval': '100ms', 'Leq Calculation Interval Preset': 'Off' };
      await this.#set(unit, store);
      await this.#set(unit, { Measure: 'Start' });
      await fetched(host, unit);
    }
  }

  /** They end their stores and begin new ones; what is on the cards is fetched, and compared from `from` on, ms since 1970 UTC. */
  async judge(host: Host, from: number): Promise<Line> {
    const to = Date.now();
    const all = ((to - from) / SECOND_MS) * this.#units.length;
    const before = await secondsIn(host, this.#units, from, to);
    const seen: Compared[] = [];
    for (const unit of this.#units) {
      const ahead = await this.#clockAhead(unit);
      const streamed = await historyOf(host, unit, from, to);
      await this.#set(unit, { Measure: 'Stop' });
      await fetched(host, unit);
      await this.#set(unit, { Measure: 'Start' });
      const card = await cardOf(host, unit, ahead);
      const history = await historyOf(host, unit, from, to);
      for (const [at, { energy, rows }] of card) {
        if (at < from || at + MINUTE_MS > to || rows < WHOLE) continue;
        const { leq = Number.NaN, coverage = 0 } = history.get(at) ?? {};
        const apart = Math.abs(leq - 10 * Math.log10(energy / rows));
        seen.push({ apart, coverage, before: streamed.get(at)?.coverage ?? 0 });
      }
    }
    const after = await secondsIn(host, this.#units, from, to);
    const missing = seen.filter(({ coverage, apart }) => coverage < ALL || Number.isNaN(apart)).length;
    const filled = seen.filter((minute) => minute.before < ALL);
    const worst = (minutes: readonly Compared[]) => Math.max(0, ...minutes.map(({ apart }) => apart || 0));
    const share = (kept: number) => `${((100 * kept) / all).toFixed(1)} %`;
    return {
      what: 'after the cards were read the history is what the cards have',
      found: `${seen.length} minutes of ${this.#units.length} meters, ${filled.length} of them filled from the card: ${missing} are not whole, largest difference ${worst(seen).toFixed(2)} dB, ${worst(filled).toFixed(2)} dB of those that were filled; levels of ${share(before)} of the time before, ${share(after)} after`,
      isKept: filled.length > 0 && missing === 0 && worst(seen) <= ALIKE_DB,
    };
  }

  async #set(unit: string, values: Readonly<Record<string, string>>): Promise<void> {
    const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
    const answer = await fetch(`${this.#control}/meters/${unit}/values`, init);
    if (!answer.ok) throw new Error(`${unit}: ${await answer.text()}`);
  }

  /** The clock of the meter minus UTC, ms: it shows whole seconds, so it is watched until it goes on. */
  async #clockAhead(unit: string): Promise<number> {
    const shown = async () => {
      const { value } = (await (await fetch(`${this.#control}/meters/${unit}/values/Clock`)).json()) as {
        value: string;
      };
      return timeOf(value);
    };
    for (let last = await shown(); ; await pause(LOOK_MS)) {
      const now = await shown();
      if (now !== last) return now - Date.now();
      last = now;
    }
  }
}

/** Fetches what is new on the card. Throws where that fails. */
async function fetched(host: Host, unit: string): Promise<void> {
  const { json } = await ask(host, 'POST', `/${unit}/mirror`);
  for (const end = Date.now() + JOB_MS; Date.now() < end; await pause(SECOND_MS)) {
    const { data } = (await ask(host, 'GET', `/_jobs/${json.job}`)).json;
    if (data?.state === 'done' && data.result.stopped === null) return;
    if (data && !['queued', 'running'].includes(data.state)) throw new Error(`${unit}: ${JSON.stringify(data)}`);
  }
  throw new Error(`${unit}: its card was not read: ${JSON.stringify(json)}`);
}

/** Energy of each minute by UTC, from the text of the files as the meter wrote them. */
async function cardOf(host: Host, unit: string, ahead: number): Promise<ReadonlyMap<number, Minute>> {
  const minutes = new Map<number, Minute>();
  const files: { path: string }[] = (await ask(host, 'GET', `/${unit}/files`)).json.data ?? [];
  for (const { path } of files.filter((file) => file.path.includes('_Lp '))) {
    const text = await contentOf(host, unit, path);
    const [, head = '', ...rows] = text.split('\r\n');
    const names = head.split(',');
    const [start, leq] = [names.indexOf('Start Time'), names.indexOf('Leq(Main)')];
    for (const row of rows) {
      const cells = row.split(',');
      const level = Number(cells[leq]);
      if (cells.length < 2 || !Number.isFinite(level)) continue;
      const at = Math.floor((timeOf(cells[start] ?? '') - ahead) / MINUTE_MS) * MINUTE_MS;
      const minute = minutes.get(at) ?? { energy: 0, rows: 0 };
      minute.energy += 10 ** (level / 10);
      minute.rows += 1;
      minutes.set(at, minute);
    }
  }
  return minutes;
}

const timeOf = (text: string): number => Date.parse(`${text.trim().replaceAll('/', '-').replace(' ', 'T')}Z`);

async function historyOf(host: Host, unit: string, from: number, to: number) {
  const [begin, end] = [from, to].map((ms) => new Date(Math.floor(ms / MINUTE_MS) * MINUTE_MS).toISOString());
  const { json } = await ask(host, 'GET', `/${unit}/history?from=${begin}&to=${end}&step=1m&quantities=leq`);
  const { columns = [], rows = [] }: { columns?: string[]; rows?: (string | number | null)[][] } = json.data ?? {};
  const [start, leq, coverage] = ['start', 'leq', 'coverage'].map((name) => columns.indexOf(name));
  const cell = (row: (typeof rows)[number], place = -1) => row[place] ?? null;
  return new Map(
    rows.flatMap((row) => {
      const level = cell(row, leq);
      const minute = { leq: Number(level), coverage: Number(cell(row, coverage)) };
      return level === null ? [] : [[Date.parse(String(cell(row, start))), minute] as const];
    }),
  );
}
