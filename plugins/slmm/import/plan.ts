/** The whole database read and checked, before anything is written: what will be taken over, what is corrected, what is left out. */
import { type DeviceConfig, type Family, isUnitId, type SecondRow } from '../../../lib/index.ts';
import type { SlmmRule } from '../alert-rule.ts';
import type { ImportedRow, SlmmDatabase } from './database.ts';
import { noteDropped } from './dropped.ts';
import { ImportNotes } from './notes.ts';
import { levelsIn } from './raw-line.ts';
import { flag, level, moment, plainText, wholeNumber } from './values.ts';

const MOST_UNITS = 10_000;
const MOST_RULES = 10_000;
const MOST_EVENTS = 100_000;
/** SLMM keeps one day with a reading each minute: this is one day of about three hundred meters. */
const MOST_READINGS = 500_000;
const ROWS_IN_A_ROW = 1_000;

type UnitFields = Omit<Partial<DeviceConfig>, 'unitId'> & { readonly host: string };
/** A unit that an import would make. */
export interface PlannedUnit {
  readonly unitId: string;
  readonly fields: UnitFields;
}
/** A rule that an import would make. */
export interface PlannedRule {
  /** The same for the same rule of the same database. */
  readonly key: string;
  readonly slmmId: number;
  readonly unitId: string;
  readonly rule: SlmmRule;
}
/** An event that an import would take over. */
export interface PlannedEvent {
  readonly slmmRule: number;
  readonly unitId: string;
  readonly name: string;
  readonly metric: string;
  readonly limit: number | null;
  readonly openedAt: number;
  readonly closedAt: number;
  readonly worst: number | null;
  readonly ack: { readonly by: string; readonly at: number } | null;
  readonly detail: string;
}
/** All that an import would do. Nothing is changed yet. */
export interface Plan {
  readonly units: readonly PlannedUnit[];
  readonly rules: readonly PlannedRule[];
  readonly events: readonly PlannedEvent[];
  readonly readings: ReadonlyMap<string, readonly SecondRow[]>;
  readonly mended: ImportNotes;
  readonly left: ImportNotes;
}

/** `names`: from the name in SLMM to that here. */
interface Reading {
  readonly database: SlmmDatabase;
  readonly names: Map<string, string>;
  readonly mended: ImportNotes;
  readonly left: ImportNotes;
  readonly readLine: Family['readStoredLine'];
}

/**
 * `readLine`: of the family of the meters. Rejects with GatewayError INVALID where the file cannot be read, and with the reason of
 * the signal.
 */
export async function planOf(
  database: SlmmDatabase,
  readLine: Family['readStoredLine'],
  signal: AbortSignal,
): Promise<Plan> {
  const reading: Reading = { database, names: new Map(), mended: new ImportNotes(), left: new ImportNotes(), readLine };
  const units = unitsIn(reading);
  const rules = rulesIn(reading);
  const events = eventsIn(reading);
  const readings = await readingsIn(reading, signal);
  addLastValues(reading, readings);
  noteDropped(database, reading.left);
  return { units, rules, events, readings, mended: reading.mended, left: reading.left };
}

const HOST = /^(?!.*\.\.)[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/;
const CONFIG = ['unit_id', 'host', 'tcp_port', 'tcp_enabled', 'ftp_enabled', 'ftp_port', 'ftp_username'];
const CONFIG_MORE = ['ftp_password', 'web_enabled', 'poll_interval_seconds', 'poll_enabled', 'monitor_enabled'];

/** A unit whose name is not allowed here gets a similar one; its old name becomes the name for people. */
function idOf(given: string, { names, mended }: Reading): string | undefined {
  if (isUnitId(given)) return given;
  const like = given
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  if (!isUnitId(like) || [...names.values()].includes(like)) return undefined;
  mended.add(`The unit ${JSON.stringify(given)} is called ${like} here.`);
  return like;
}

function unitsIn(reading: Reading): PlannedUnit[] {
  const units: PlannedUnit[] = [];
  for (const row of reading.database.rows('nl43_config', [...CONFIG, ...CONFIG_MORE], MOST_UNITS)) {
    const given = plainText(row.unit_id);
    const unitId = given === undefined ? undefined : idOf(given, reading);
    if (given === undefined || unitId === undefined) {
      reading.left.add(`A unit whose name cannot be used: ${shown(row.unit_id)}.`);
      continue;
    }
    const host = plainText(row.host ?? '127.0.0.1', 253);
    if (host === undefined || !HOST.test(host)) {
      reading.left.add(`The unit ${unitId}: its host ${shown(row.host)} is no address.`);
      continue;
    }
    reading.names.set(given, unitId);
    units.push({ unitId, fields: { host, ...fieldsOf(row), ...(given !== unitId && { name: given.slice(0, 80) }) } });
  }
  return units;
}

const fieldsOf = (row: ImportedRow) => ({
  tcpPort: wholeNumber(row.tcp_port, 1, 65_535, 2_255),
  tcpEnabled: flag(row.tcp_enabled, true),
  ftpEnabled: flag(row.ftp_enabled, false),
  ftpPort: wholeNumber(row.ftp_port, 1, 65_535, 21),
  // An empty login means the factory login, like no login.
  ftpUsername: plainText(row.ftp_username, 128) || null,
  ftpPassword: plainText(row.ftp_password, 128) || null,
  webEnabled: flag(row.web_enabled, false),
  pollEnabled: flag(row.poll_enabled, true),
  pollIntervalSeconds: wholeNumber(row.poll_interval_seconds, 1, 21_600, 60),
  ...(isMonitored(row) && { history: 'stream' as const }),
});

/** SLMM watched its levels all the time. Releases before 0.4 had no monitor; NULL is its default. */
const isMonitored = (row: ImportedRow): boolean => 'monitor_enabled' in row && flag(row.monitor_enabled, true);

const shown = (value: unknown): string => JSON.stringify(String(value).slice(0, 40));

const RULE = ['id', 'unit_id', 'name', 'metric', 'comparison', 'threshold_db', 'duration_s', 'clear_margin_db'];
const RULE_MORE = [
  'cooldown_s',
  'schedule_start',
  'schedule_end',
  'schedule_days',
  'channels',
  'recipients',
  'enabled',
];

function rulesIn({ database, names, left }: Reading): PlannedRule[] {
  const rules: PlannedRule[] = [];
  for (const row of database.rows('alert_rules', [...RULE, ...RULE_MORE, 'created_at'], MOST_RULES)) {
    const unitId = names.get(String(row.unit_id));
    const slmmId = wholeNumber(row.id, 1, Number.MAX_SAFE_INTEGER, 0);
    const threshold = level(row.threshold_db);
    if (unitId === undefined || slmmId === 0 || threshold === undefined) {
      left.add(`The rule ${shown(row.name)}: it has no unit that is taken over, or no level.`);
      continue;
    }
    const key = `rule ${unitId} ${slmmId} ${plainText(row.created_at) ?? ''}`;
    rules.push({ key, slmmId, unitId, rule: ruleOf(row, threshold) });
  }
  return rules;
}

const ruleOf = (row: ImportedRow, threshold: number): SlmmRule => ({
  name: plainText(row.name, 80) || 'Alert',
  metric: plainText(row.metric) ?? 'lp',
  comparison: row.comparison === 'below' ? 'below' : 'above',
  threshold_db: threshold,
  duration_s: wholeNumber(row.duration_s, 0, 86_400, 0),
  clear_margin_db: level(row.clear_margin_db) ?? 2,
  cooldown_s: wholeNumber(row.cooldown_s, 0, 86_400, 300),
  schedule_start: plainText(row.schedule_start) || null,
  schedule_end: plainText(row.schedule_end) || null,
  schedule_days: plainText(row.schedule_days) || null,
  channels: plainText(row.channels) ?? 'log',
  recipients: plainText(row.recipients) ?? null,
  enabled: flag(row.enabled, true),
});

const EVENT = ['rule_id', 'unit_id', 'rule_name', 'metric', 'threshold_db', 'onset_at', 'onset_value', 'peak_value'];
const EVENT_MORE = ['clear_at', 'status', 'acknowledged_at', 'acknowledged_by'];

function eventsIn({ database, names, left, mended }: Reading): PlannedEvent[] {
  const events: PlannedEvent[] = [];
  for (const row of database.rows('alert_events', [...EVENT, ...EVENT_MORE], MOST_EVENTS)) {
    const unitId = names.get(String(row.unit_id));
    const openedAt = moment(row.onset_at);
    if (unitId === undefined || openedAt === undefined) {
      left.add(
        `An event of ${shown(row.unit_id)} at ${shown(row.onset_at)}: it has no unit that is taken over, or no time.`,
      );
      continue;
    }
    const end = moment(row.clear_at);
    // If SLMM is stopped while an event is open, the event stays open for ever.
    if (end === undefined)
      mended.add(`An event of ${unitId} at ${shown(row.onset_at)} had no end: it ends at its beginning.`);
    events.push(eventOf(row, unitId, openedAt, end));
  }
  return events;
}

function eventOf(row: ImportedRow, unitId: string, openedAt: number, end: number | undefined): PlannedEvent {
  const at = moment(row.acknowledged_at);
  const metric = plainText(row.metric, 40) ?? 'lp';
  return {
    slmmRule: wholeNumber(row.rule_id, 0, Number.MAX_SAFE_INTEGER, 0),
    unitId,
    name: plainText(row.rule_name, 80) || metric,
    metric,
    limit: metric === 'connectivity' ? null : (level(row.threshold_db) ?? null),
    openedAt,
    closedAt: Math.max(openedAt, end ?? openedAt),
    worst: level(row.peak_value) ?? level(row.onset_value) ?? null,
    ack: at === undefined ? null : { by: plainText(row.acknowledged_by, 80) || 'SLMM', at },
    detail: end === undefined ? 'Taken over from SLMM; its end was not recorded.' : 'Taken over from SLMM.',
  };
}

/**
 * A single reading: its Lp. The Leq, Lmax and percentiles next to it belong to the whole measurement until then, not to
 * that minute.
 */
const readingOf = (at: number, lp: number): SecondRow => ({
  at: Math.floor(at / 1_000),
  steps: 0,
  leq: null,
  lmax: null,
  lmin: null,
  lpeak: null,
  lp: [lp],
});

/** Half a million rows take more than a second: other work must be able to run in between. */
async function readingsIn({ database, names, left }: Reading, signal: AbortSignal): Promise<Map<string, SecondRow[]>> {
  const readings = new Map<string, SecondRow[]>();
  let without = 0;
  let seen = 0;
  for (const row of database.rows('nl43_readings', ['unit_id', 'timestamp', 'lp'], MOST_READINGS)) {
    seen += 1;
    if (seen % ROWS_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const unitId = names.get(String(row.unit_id));
    const at = moment(row.timestamp);
    const lp = level(row.lp);
    if (unitId === undefined || at === undefined || lp === undefined) without += 1;
    else add(readings, unitId, readingOf(at, lp));
  }
  if (without > 0) left.add(`${without} readings without a unit that is taken over, a time or an Lp.`);
  const more = database.count('nl43_readings') - MOST_READINGS;
  if (more > 0) left.add(`${more} readings: one import takes at most ${MOST_READINGS}.`);
  return readings;
}

/** The last values of each unit, read from the line that the meter sent: two groups of SLMM releases wrote wrong values into the columns next to it. */
function addLastValues({ database, names, left, mended, readLine }: Reading, readings: Map<string, SecondRow[]>): void {
  for (const row of database.rows('nl43_status', ['unit_id', 'last_seen', 'lp', 'raw_payload'], MOST_UNITS)) {
    const unitId = names.get(String(row.unit_id));
    const at = moment(row.last_seen);
    if (unitId === undefined || at === undefined) {
      left.add(`The last values of ${shown(row.unit_id)}: no unit that is taken over, or no time.`);
      continue;
    }
    const line = typeof row.raw_payload === 'string' ? row.raw_payload : '';
    const levels = levelsIn(line, readLine);
    if (!levels) {
      left.add(`The last values of ${unitId}: there is no line of the meter for them, so they cannot be checked.`);
      continue;
    }
    const stored = level(row.lp);
    if (stored !== levels.lp)
      mended.add(
        `The last level of ${unitId} is ${levels.lp} dB, as the meter wrote it; SLMM had stored ${stored ?? 'none'}.`,
      );
    add(readings, unitId, readingOf(at, levels.lp));
  }
}

function add(readings: Map<string, SecondRow[]>, unitId: string, row: SecondRow): void {
  const own = readings.get(unitId) ?? [];
  if (own.length === 0) readings.set(unitId, own);
  own.push(row);
}
