/**
 * The last values of every meter, made from events: the only writer of the snapshots. Other parts only publish
 * events.
 *
 *   reading, frame, state  -->  snapshot  -->  status
 */
import type { Clock } from '../clock.ts';
import { levelsBy, quantitiesIn } from '../domain/quantities.ts';
import type { Supply } from '../drivers/wire/contract.ts';
import type { EventStream, GatewayEvent } from '../events/contract.ts';
import type { Log } from '../log.ts';
import type { DeviceState, LevelSettings } from '../meter/contract.ts';
import type { Snapshot, SnapshotStore } from '../store/contract.ts';
import type { Status, TimeName, UnitStatus } from './contract.ts';

/** Least time between two levels that the stream writes into the snapshot, ms: ten a second would wear out the disk. */
const FRAME_MS = 1_000;
/** A reading is published soon after its measurement; a larger difference is a jump of the wall clock. ms */
const LONGEST_READING_MS = 60_000;
/** Least time between two log lines about implausible levels of a unit, ms. */
const IMPLAUSIBLE_LOG_MS = 600_000;

const TIME_NAMES: readonly TimeName[] = [
  'stateAt',
  'lpAt',
  'levelsAt',
  'batteryAt',
  'powerAt',
  'cardAt',
  'lastSeen',
  'unchangedSince',
];

/** After a start, a stop or a reset the levels of the display are unknown until the next reading. */
const NO_MEASUREMENT: Partial<Snapshot> = {
  ...levelsBy(
    quantitiesIn('status').filter((name) => name !== 'lp'),
    () => null,
  ),
  overRange: null,
  underRange: null,
  levelsAt: null,
  unchangedSince: null,
};

function measurementOf({ measuring, startedAt, startSource }: DeviceState): Partial<Snapshot> {
  if (measuring === null) return {};
  return {
    measurementState: measuring ? 'Measure' : 'Stop',
    measurementStartTime: measuring ? startedAt : null,
    measurementStartSource: measuring ? (startSource ?? null) : null,
  };
}

interface Parts {
  readonly events: Pick<EventStream, 'on'>;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

class Known {
  readonly elapsed = new Map<TimeName, number>();
  readonly warnings = new Map<TimeName, string>();
  frameAt = Number.NEGATIVE_INFINITY;
  implausible = false;
  implausibleLoggedAt = Number.NEGATIVE_INFINITY;
  /** Megabytes of the card, from the last reading of both sizes; null: unknown. */
  cardMb: number | null = null;
  /** Settings of the levels on the display; undefined: unknown until the next reading. */
  levelSettings: LevelSettings | undefined;
  settings: LevelSettings | undefined;
}

export interface Projection extends Status {
  close(): void;
}

class Writer {
  readonly #snapshots: SnapshotStore;
  readonly #log: Parts['log'];
  readonly #units = new Map<string, Known>();

  constructor({ snapshots, log }: Pick<Parts, 'snapshots' | 'log'>) {
    this.#snapshots = snapshots;
    this.#log = log;
  }

  find(unitId: string): Known | undefined {
    return this.#units.get(unitId);
  }

  knownOf(unitId: string): Known {
    const known = this.#units.get(unitId) ?? new Known();
    this.#units.set(unitId, known);
    return known;
  }

  forget(unitId: string): void {
    this.#units.delete(unitId);
  }

  record({ unitId, time, elapsed }: GatewayEvent, values: Partial<Snapshot>): void {
    const before = this.#snapshots.get(unitId);
    this.#snapshots.record(unitId, { lastSeen: time, ...values });
    const after = this.#snapshots.get(unitId);
    const known = this.knownOf(unitId);
    for (const timeName of TIME_NAMES) {
      const at = after[timeName];
      if (at === null) known.elapsed.delete(timeName);
      else if (at !== before[timeName] || (timeName in values && timeName !== 'unchangedSince'))
        known.elapsed.set(timeName, elapsed - Math.min(Math.max(0, time - at), LONGEST_READING_MS));
    }
  }

  /** `raw`: the levels as the meter sent them, if no meter can show them. */
  judge({ unitId, elapsed }: GatewayEvent, raw: Readonly<Record<string, string>> | undefined): void {
    const known = this.knownOf(unitId);
    known.implausible = raw !== undefined;
    if (!raw || elapsed - known.implausibleLoggedAt < IMPLAUSIBLE_LOG_MS) return;
    known.implausibleLoggedAt = elapsed;
    this.#log.warn({ unit_id: unitId, raw }, 'levels that no meter of this family can show are left out');
  }
}

function listen({ events, snapshots }: Pick<Parts, 'events' | 'snapshots'>, writer: Writer): (() => void)[] {
  return [
    events.on('reading', (event) => {
      const { values, warnings, implausible } = event.data;
      writer.record(event, values);
      const known = writer.knownOf(event.unitId);
      for (const timeName of TIME_NAMES) if (timeName in values) known.warnings.delete(timeName);
      for (const [timeName, text] of Object.entries(warnings ?? {})) known.warnings.set(timeName as TimeName, text);
      if (values.levelsAt !== undefined) {
        writer.judge(event, implausible);
        known.levelSettings = event.data.levelSettings;
      }
      if ('sdFreeRatio' in values) known.cardMb = cardMb(values);
    }),
    events.on('frame', (event) => {
      const known = writer.knownOf(event.unitId);
      const { frame } = event.data;
      if (frame.main.implausible) writer.judge(event, frame.main.implausible);
      if (event.elapsed - known.frameAt < FRAME_MS) return;
      // Without a display the frames bring the only level.
      if (snapshots.get(event.unitId).levelsAt === null) known.levelSettings ??= known.settings;
      known.frameAt = event.elapsed;
      if (!frame.main.implausible) writer.judge(event, undefined);
      const beside = frame.supply ? supplied(frame.supply, known.cardMb) : {};
      writer.record(event, { ...beside, lp: frame.main.lp, lpAt: event.time });
    }),
    events.on('state', (event) => {
      const known = writer.knownOf(event.unitId);
      known.settings = event.data.state;
      known.levelSettings = known.levelSettings && learned(known.levelSettings, event.data.state);
      const before = snapshots.get(event.unitId);
      const now = measurementOf(event.data.state);
      const isNew = Object.entries(now).some(([name, value]) => before[name as keyof Snapshot] !== value);
      const { measurementState } = before;
      const isOther = measurementState !== null && (now.measurementState ?? measurementState) !== measurementState;
      const isCleared = isOther || event.data.cleared === true;
      if (isNew || isCleared) writer.record(event, { ...now, ...(isCleared && NO_MEASUREMENT) });
    }),
    events.on('exchange', (event) => {
      const { unitId, data, time } = event;
      writer.forget(unitId);
      const names = Object.keys(snapshots.get(unitId)).filter((name) => name !== 'unitId');
      writer.record(event, { ...Object.fromEntries(names.map((name) => [name, null])), lastSeen: time });
      // Under a time that readings do not change, so the warning stays.
      writer
        .knownOf(unitId)
        .warnings.set('lastSeen', `The meter was exchanged: ${data.to} answers in place of ${data.from}.`);
    }),
    events.on('identity', (event) => writer.record(event, { meter: event.data })),
    events.on('config', ({ unitId, data }) => {
      if (data.change === 'removed') writer.forget(unitId);
      // The unit may have another meter now.
      else writer.knownOf(unitId).settings = undefined;
    }),
  ];
}

/** Call it before other listeners are added: the status that they see is then as new as the event. */
export function createStatus(parts: Parts): Projection {
  const { snapshots, clock } = parts;
  const writer = new Writer(parts);
  const undo = listen(parts, writer);
  return {
    of(unitId): UnitStatus {
      const values = snapshots.get(unitId);
      const known = writer.find(unitId);
      return {
        values,
        implausible: known?.implausible ?? false,
        warnings: known ? [...known.warnings.values()] : [],
        levelSettings: known?.levelSettings ?? UNKNOWN_SETTINGS,
        age(timeName) {
          const at = values[timeName];
          if (at === null) return null;
          const elapsed = known?.elapsed.get(timeName);
          return Math.max(0, elapsed === undefined ? clock.now() - at : clock.elapsed() - elapsed);
        },
      };
    },
    close() {
      for (const step of undo) step();
    },
  };
}

const UNKNOWN_SETTINGS: LevelSettings = Object.freeze({
  frequencyWeighting: null,
  timeWeighting: null,
  percentiles: [],
});

/**
 * A setting that is read soon after the levels also applies to them. A setting that has changed says nothing about
 * them: so the settings are unknown until the next reading.
 */
function learned(before: LevelSettings, now: LevelSettings): LevelSettings | undefined {
  const { frequencyWeighting: frequency, timeWeighting: time, percentiles } = before;
  const isOther = (was: unknown, is: unknown) => (was ?? null) !== null && (is ?? null) !== null && was !== is;
  if (isOther(frequency, now.frequencyWeighting) || isOther(time, now.timeWeighting)) return undefined;
  const places = (now.percentiles ?? []).length > 0 ? now.percentiles : percentiles;
  return {
    frequencyWeighting: frequency ?? now.frequencyWeighting,
    timeWeighting: time ?? now.timeWeighting,
    // If a slot shows another percentile now, its level is still of the earlier percentile until the next reading.
    percentiles: places.map((percent, place) => percentiles[place] ?? percent),
  };
}

/** The card's size from its free space and the free share. Undefined without a share, and for a full card. */
function cardMb({ sdRemainingMb, sdFreeRatio }: Partial<Snapshot>): number | null {
  const ratio = Number(sdFreeRatio ?? 0);
  return ratio > 0 && sdRemainingMb ? (100 * Number(sdRemainingMb)) / ratio : null;
}

function supplied(
  { powerSource, batteryWord, batteryPercent, cardFreeMb }: Supply,
  totalMb: number | null,
): Partial<Snapshot> {
  return {
    ...(batteryWord !== null && {
      batteryLevel: batteryPercent === null ? null : String(batteryPercent),
      batteryState: batteryWord,
    }),
    ...(powerSource !== null && { powerSource }),
    ...(cardFreeMb !== null && {
      sdRemainingMb: String(cardFreeMb),
      sdFreeRatio: totalMb === null ? null : Math.min(100, (100 * cardFreeMb) / totalMb).toFixed(1),
    }),
  };
}
