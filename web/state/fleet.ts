/** The state of every meter, from one WebSocket. Each meter has its own signal, so that a new reading draws only its row. */
import { batch, computed, type Signal, signal } from '@preact/signals';
import {
  type AlertEvent,
  type Budget,
  GATEWAY_ID,
  GatewayProblem,
  type LiveEvent,
  type schemas,
  type Unit,
  type UnitEvent,
} from '../../client/index.ts';
import { say } from '../words/say.ts';
import { about, askForKey, client, hasKey } from './access.ts';
import { alarmsOf, textOf } from './alarms.ts';
import { alertsOf, askAlerts, askBudgets, budgetsOf, takeAlert, takeBudget } from './alerts.ts';
import { askHealth } from './health.ts';
import { heard } from './heard.ts';
import { isKeptPage, keepValues, keptValues, replaceKeptPage } from './kept.ts';
import { personName } from './numbers.ts';
import { areLevelsOld, isLpOld, type Trouble, troublesOf } from './trouble.ts';

/** Points of the small line of a meter, and how far it reaches back, ms. */
const MOST_POINTS = 120;
export const LINE_MS = 600_000;

/** Time (ms UTC) and Lp (dB). */
export type Point = readonly [at: number, level: number];
export interface Known {
  readonly unit: Signal<Unit>;
  readonly line: Signal<readonly Point[]>;
}

export const meters = signal<ReadonlyMap<string, Known> | undefined>(undefined);
/** The name of a meter for people, or its id; of alerts about the gateway as a whole that it is this. */
export const titleOf = (unitId: string): string =>
  unitId === GATEWAY_ID ? say('the gateway ## in place of a meter') : (unitOf(unitId)?.name ?? unitId);
/** The last values of a meter; undefined where there is no such meter. */
export const unitOf = (unitId: string | null): Unit | undefined => meters.value?.get(unitId ?? '')?.unit.value;
/** Since when the gateway does not answer, ms of this machine; undefined while it does. */
export const lostSince = signal<number | undefined>(undefined);
export const now = signal(Date.now());
/** The same in steps of five seconds, for values that change slowly. */
export const tick = computed(() => Math.ceil(now.value / 5_000) * 5_000);
const turns = signal(0);
/**
 * Meters that need attention, by name and with commas between: a text, so that its watchers run only after a change.
 * Checked when a state changes, and every five seconds for values that grow old.
 */
export const needing = computed(() => {
  void turns.value;
  return idsOf((unit) => [...alarmsAt(unit), ...troublesOf(unit, tick.value)].some(isAct));
});
/** Meters with an alarm: too loud, or another rule is broken; also a text. */
export const alarmed = computed(() => idsOf((unit) => alarmsAt(unit).some(isAct)));

/** Meters with an alert that goes on, also where somebody has acknowledged it. */
export const goingOn = computed(() =>
  idsOf(({ unit_id }) => alertsOf(unit_id).some(({ severity }) => severity !== 'info')),
);

const isAct = ({ kind }: Trouble): boolean => kind === 'act';
const idsOf = (isWanted: (unit: Unit) => boolean): string =>
  [...(meters.value?.values() ?? [])]
    .map(({ unit }) => unit.peek())
    .filter(isWanted)
    .map(({ unit_id }) => unit_id)
    .join();
const alarmsAt = ({ unit_id, timezone }: Unit): readonly Trouble[] =>
  alarmsOf(alertsOf(unit_id), budgetsOf(unit_id), timezone, tick.value);
/** All that is to be said of a meter, the worst first. */
export const wrongAt = (unit: Unit): readonly Trouble[] => {
  const alarms = alarmsAt(unit);
  const said = alarms.map(({ what }) => what).join(' ');
  const all = [...alarms, ...troublesOf(unit, now.value, said)];
  return [...all.filter(isAct), ...all.filter((trouble) => !isAct(trouble))];
};
/** Nothing is fresh while the gateway does not answer. */
export const isLpShownOld = (unit: Unit): boolean => lostSince.value !== undefined || isLpOld(unit, now.value);
/** Whether its levels are struck through: they are old, or the gateway does not answer. */
export const areLevelsShownOld = (unit: Unit): boolean =>
  lostSince.value !== undefined || areLevelsOld(unit, now.value);
/** A problem that needs a person, in words; undefined: none. */
export function worstOf(unit: Unit): string | undefined {
  const [first] = wrongAt(unit);
  if (!first || !isAct(first)) return undefined;
  return first.name === undefined ? first.what : `${first.name}: ${first.what}`;
}
/** An acknowledged alert that goes on, in words; undefined: none. */
export function acknowledgedAt(unit: Unit): string | undefined {
  const event = alertsOf(unit.unit_id).find(({ severity, ack }) => severity !== 'info' && ack !== null);
  if (!event?.ack) return undefined;
  const { by, note } = event.ack;
  return `${textOf(event, 'rule_name')}: ${say('Acknowledged by {who}.', { who: personName(by) })} ${note}`.trimEnd();
}
/** Grows with each job, alert or config event: lists of them are asked for again. */
export const changes = signal({ job: 0, alert: 0, config: 0 });

export type LastSetting = Pick<schemas.LastSetting, 'value' | 'at'>;
export const lastSettings = signal<ReadonlyMap<string, Readonly<Record<string, LastSetting>>>>(new Map());

/** Asks the gateway for what it knows. The meter is not asked. Never rejects. */
export async function askLastSettings(unitId: string): Promise<void> {
  const path = `/${encodeURIComponent(unitId)}/settings/last`;
  const found = await client.value.call<schemas.ListLastSettingsAnswer>(path).catch(() => undefined);
  if (found) learnSettings(unitId, found.data);
}

/** Of each setting the newest value counts, in whichever order they come. */
function learnSettings(unitId: string, settings: readonly schemas.LastSetting[]): void {
  const known: Record<string, LastSetting> = { ...lastSettings.peek().get(unitId) };
  for (const { name, value, at } of settings) if (at >= (known[name]?.at ?? '')) known[name] = { value, at };
  lastSettings.value = new Map(lastSettings.peek()).set(unitId, known);
}

let aheadMs = 0;
/** A page in the background may run only once a minute; after a longer pause the computer was asleep. */
const SLEPT_MS = 90_000;
/** All that follows the gateway begins again: the old connection may be dead, and nobody has noticed. */
const awake = new EventTarget();
let ranAt = Date.now();
setInterval(() => {
  const at = Date.now();
  if (at - ranAt > SLEPT_MS) awake.dispatchEvent(new Event('awake'));
  ranAt = at;
  now.value = at + aheadMs;
}, 1_000);
addEventListener('online', () => awake.dispatchEvent(new Event('awake')));

/** How often the gateway is asked for its parts, and how long its answer may take, ms. */
const HEALTH_MS = 5_000;
/** After a connection: the first view comes first. ms */
const FIRST_HEALTH_MS = 2_000;

let heardAt = 0;
/** Whether the gateway left a question without an answer. */
let isSilent = false;

/** A gateway that hangs closes no connection: the page only notices that its questions have no answer. */
async function look(): Promise<void> {
  if (document.hidden) return;
  const askedAt = Date.now();
  const answers = (await askHealth(HEALTH_MS)) || heardAt > askedAt;
  if (!answers) lostSince.value ??= askedAt;
  // Whether the connection still works, only a new one shows.
  else if (isSilent) awake.dispatchEvent(new Event('awake'));
  isSilent = !answers;
}

/** How often the last values are written for the time without a gateway, ms. */
const KEEP_MS = 30_000;

function keep(): void {
  const isOld = lostSince.value !== undefined || meters.value === undefined;
  if (isOld || hasKey.value || about.value === undefined) return;
  keepValues({
    at: Date.now(),
    about: about.value,
    units: [...(meters.value?.values() ?? [])].map(({ unit }) => unit.peek()),
  });
}
addEventListener('pagehide', keep);

/** The values of the last time with a gateway; they say their age. */
function showKept(): void {
  const kept = keptValues();
  if (!kept || meters.value !== undefined) return;
  lostSince.value = kept.at;
  meters.value = new Map(kept.units.map((unit) => [unit.unit_id, knownOf(unit, undefined)]));
}

export async function follow(signal: AbortSignal): Promise<void> {
  const timers = [setInterval(() => void look(), HEALTH_MS), setInterval(keep, KEEP_MS)];
  signal.addEventListener('abort', () => timers.forEach(clearInterval), { once: true });
  if (isKeptPage()) showKept();
  const connection = (state: 'open' | 'lost') => {
    if (state === 'open') {
      lostSince.value = undefined;
      void replaceKeptPage();
    } else lostSince.value ??= Date.now();
  };
  try {
    while (!signal.aborted) {
      const asleep = new AbortController();
      awake.addEventListener('awake', () => asleep.abort(), { once: true });
      const either = AbortSignal.any([signal, asleep.signal]);
      for await (const event of client.value.events({ signal: either, connection })) collect(event);
    }
  } catch (error) {
    if (error instanceof GatewayProblem && !signal.aborted) askForKey(error.message);
  }
}

/**
 * Events within a quarter of a second are drawn together: with hundreds of meters and a reading each second the page would
 * otherwise be drawn hundreds of times.
 */
const COLLECT_MS = 250;
const collected: LiveEvent[] = [];

function collect(event: LiveEvent): void {
  heardAt = Date.now();
  if (collected.push(event) > 1) return;
  const drawAll = () =>
    batch(() => {
      for (const each of collected.splice(0)) take(each);
    });
  setTimeout(drawAll, event.event === 'hello' ? 0 : COLLECT_MS);
}

function take(event: LiveEvent): void {
  if (event.event === 'hello') begin(event.time, event.data);
  else if (event.event !== 'frame') hear(event);
}

function hear(event: UnitEvent): void {
  const { unit_id, data } = event;
  if (event.event === 'config') configured(unit_id, data.unit as Unit | null);
  if (event.event === 'alert' && data.change === 'budget') {
    takeBudget(unit_id, data.budget as Budget);
    return;
  }
  if (event.event === 'job' || event.event === 'alert' || event.event === 'config') {
    changes.value = { ...changes.value, [event.event]: changes.value[event.event] + 1 };
    // A rule that was made, changed or removed, and a window that is over.
    if (event.event === 'alert') {
      takeAlert(data as Partial<AlertEvent>);
      void askBudgets();
    }
  }
  if (event.event === 'setting') {
    const { name, value } = data as { readonly name: string; readonly value: string };
    learnSettings(unit_id, [{ name, value, at: event.time }]);
  }
  const known = meters.value?.get(unit_id);
  if (!known) return;
  const before = known.unit.value;
  const after = heard(before, event);
  if (after === before) return;
  known.unit.value = after;
  if (event.event !== 'reading') turns.value += 1;
  else if (after.lp_at !== before.lp_at) extend(known, Date.parse(event.time));
}

function begin(time: string, units: readonly Unit[]): void {
  aheadMs = Date.parse(time) - Date.now();
  now.value = Date.parse(time);
  void askBudgets();
  void askAlerts();
  setTimeout(() => void look(), FIRST_HEALTH_MS);
  const before = meters.value;
  meters.value = new Map(units.map((unit) => [unit.unit_id, knownOf(unit, before?.get(unit.unit_id))]));
  keep();
}

function knownOf(unit: Unit, before: Known | undefined): Known {
  const known = before ?? { unit: signal(unit), line: signal<readonly Point[]>([]) };
  known.unit.value = unit;
  return known;
}

function configured(unitId: string, unit: Unit | null): void {
  const next = new Map(meters.value);
  if (unit) next.set(unitId, knownOf(unit, next.get(unitId)));
  else next.delete(unitId);
  meters.value = next;
}

function extend({ unit, line }: Known, at: number): void {
  const { lp, leq } = unit.value;
  const level = lp ?? leq;
  const last = line.value.at(-1);
  // A line of ten minutes has space for a point every five seconds.
  if (level === null || (last && at - last[0] < LINE_MS / MOST_POINTS)) return;
  line.value = [...line.value, [at, level] as const].filter(([then]) => then > at - LINE_MS).slice(-MOST_POINTS);
}

/** The small lines begin with recorded levels, all of them from one request. Never rejects. */
export async function recallLines(): Promise<void> {
  const { data } = await client.value
    .call<schemas.GetHistoryLinesAnswer>('/_history/lines')
    .catch(() => ({ data: undefined }));
  if (!data) return;
  const from = Date.parse(data.from);
  batch(() => {
    for (const { unit_id, levels } of data.units) {
      const line = meters.peek()?.get(unit_id)?.line;
      if (!line) continue;
      const first = line.peek()[0]?.[0] ?? Number.POSITIVE_INFINITY;
      const points = levels.flatMap((level, index): Point[] =>
        level === null ? [] : [[from + index * data.step_s * 1_000, level]],
      );
      line.value = [...points.filter(([at]) => at < first), ...line.peek()].slice(-MOST_POINTS);
    }
  });
}
