/** Reads and checks the whole database before anything is written: what will be taken over, corrected and left out. */
import { countOf, isUnitId } from '../../../lib/built-in.ts';
import type { DeviceConfig, Family } from '../../../lib/index.ts';
import type { SlmmRule } from '../alert-rule.ts';
import type { ImportedRow, SlmmDatabase } from './database.ts';
import { ImportNotes, noteDropped } from './dropped.ts';
import {
  flag,
  level,
  moment,
  plainText,
  quotedStart,
  type ReadingSource,
  RowValues,
  readingsIn,
  type UnitReadings,
  wholeNumber,
} from './readings.ts';

/** Further rows are left out, with a note. */
const MOST = { nl43_config: 10_000, alert_rules: 10_000, alert_events: 100_000 } as const;

type UnitFields = Omit<Partial<DeviceConfig>, 'unitId'> & { readonly host: string };
export interface PlannedUnit {
  readonly unitId: string;
  readonly fields: UnitFields;
}
export interface PlannedRule {
  /** The same for the same rule of the same database. */
  readonly key: string;
  readonly slmmId: number;
  readonly unitId: string;
  readonly rule: SlmmRule;
}
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
export interface Plan {
  readonly units: readonly PlannedUnit[];
  readonly rules: readonly PlannedRule[];
  readonly events: readonly PlannedEvent[];
  readonly readings: ReadonlyMap<string, UnitReadings>;
  readonly mended: ImportNotes;
  readonly left: ImportNotes;
}

interface Reading extends ReadingSource {
  readonly names: Map<string, string>;
}

/** Rejects with INVALID if the file cannot be read, and with the reason of the signal. */
export async function planOf(
  database: SlmmDatabase,
  readLine: Family['readStoredLine'],
  signal: AbortSignal,
): Promise<Plan> {
  const [mended, left] = [new ImportNotes(), new ImportNotes()];
  const reading: Reading = { database, names: new Map(), mended, left, readLine, signal };
  const units = await unitsIn(reading);
  const rules = await rulesIn(reading);
  const events = await eventsIn(reading);
  const readings = await readingsIn(reading);
  await noteDropped(database, left, signal);
  return { units, rules, events, readings, mended, left };
}

async function* rowsOf({ database, left, signal }: Reading, table: keyof typeof MOST): AsyncGenerator<ImportedRow> {
  yield* database.rows(table, MOST[table], signal);
  const more = (await database.count(table, signal)) - MOST[table];
  if (more > 0) left.add(`${countOf(more, 'row')} of ${table}: one import takes at most ${MOST[table]}.`);
}

const HOST = /^(?!.*\.\.)[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/;

/** The unit ids for the names of SLMM: a name that is not allowed here becomes a similar name that no other unit has. */
async function namesIn({ database, mended, left, signal }: Reading): Promise<Map<string, string>> {
  const given: string[] = [];
  for await (const { unit_id } of database.rows('nl43_config', MOST.nl43_config, signal)) {
    const name = plainText(unit_id);
    if (name === undefined) left.add(`A unit whose name cannot be used: ${quotedStart(unit_id)}.`);
    else given.push(name);
  }
  const names = new Map(given.filter(isUnitId).map((name) => [name, name]));
  const taken = new Set(names.keys());
  for (const name of given.filter((one) => !isUnitId(one))) {
    const like = name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 64);
    if (!isUnitId(like) || taken.has(like)) {
      left.add(`A unit whose name cannot be used: ${quotedStart(name)}.`);
      continue;
    }
    taken.add(like);
    names.set(name, like);
    mended.add(`The unit ${JSON.stringify(name)} is called ${like} here.`);
  }
  return names;
}

async function unitsIn(reading: Reading): Promise<PlannedUnit[]> {
  const { names, mended, left } = reading;
  const units: PlannedUnit[] = [];
  const known = await namesIn(reading);
  for await (const row of rowsOf(reading, 'nl43_config')) {
    const given = plainText(row.unit_id);
    const unitId = given === undefined ? undefined : known.get(given);
    if (given === undefined || unitId === undefined) continue;
    const host = plainText(row.host ?? '127.0.0.1', 253);
    if (host === undefined || !HOST.test(host)) {
      left.add(`The unit ${unitId}: its host ${quotedStart(row.host)} is no address.`);
      continue;
    }
    names.set(given, unitId);
    const values = new RowValues(row, (words) => mended.add(`The unit ${unitId}: ${words}`));
    const fields = { host, ...fieldsOf(values), ...(isMonitored(row) && { history: 'stream' as const }) };
    // Its old id becomes the name for people.
    units.push({ unitId, fields: { ...fields, ...(given !== unitId && { name: given.slice(0, 80) }) } });
  }
  return units;
}

const fieldsOf = (values: RowValues) => ({
  tcpPort: values.number('tcp_port', 2_255, 1, 65_535),
  tcpEnabled: values.flag('tcp_enabled', true),
  ftpEnabled: values.flag('ftp_enabled', false),
  ftpPort: values.number('ftp_port', 21, 1, 65_535),
  // An empty login means the factory login, like no login.
  ftpUsername: values.text('ftp_username', 128),
  ftpPassword: values.text('ftp_password', 128),
  webEnabled: values.flag('web_enabled', false),
  pollEnabled: values.flag('poll_enabled', true),
  pollIntervalSeconds: values.number('poll_interval_seconds', 60, 1, 21_600),
});

/** SLMM read the levels of such a unit all the time. Releases before 0.4 had no monitor; NULL is its default. */
const isMonitored = (row: ImportedRow): boolean => 'monitor_enabled' in row && (flag(row.monitor_enabled) ?? true);

async function rulesIn(reading: Reading): Promise<PlannedRule[]> {
  const { names, left, mended } = reading;
  const rules: PlannedRule[] = [];
  for await (const row of rowsOf(reading, 'alert_rules')) {
    const unitId = names.get(String(row.unit_id));
    const slmmId = wholeNumber(row.id, 1, Number.MAX_SAFE_INTEGER);
    const threshold = level(row.threshold_db);
    if (unitId === undefined || slmmId === undefined || threshold === undefined) {
      left.add(`The rule ${quotedStart(row.name)}: it has no unit that is taken over, or no level.`);
      continue;
    }
    const key = `rule ${unitId} ${slmmId} ${plainText(row.created_at) ?? ''}`;
    const told = (words: string) => mended.add(`The rule ${quotedStart(row.name)} of ${unitId}: ${words}`);
    rules.push({ key, slmmId, unitId, rule: ruleOf(new RowValues(row, told), threshold) });
  }
  return rules;
}

const COMPARED = (value: unknown) => (value === 'above' || value === 'below' ? value : undefined);

const ruleOf = (values: RowValues, threshold: number): SlmmRule => ({
  name: values.text('name', 80) ?? 'Alert',
  metric: values.text('metric') ?? 'lp',
  comparison: values.read<'above' | 'below'>('comparison', 'above', COMPARED),
  threshold_db: threshold,
  duration_s: values.number('duration_s', 0, 0, 86_400),
  clear_margin_db: values.read('clear_margin_db', 2, level),
  cooldown_s: values.number('cooldown_s', 300, 0, 86_400),
  schedule_start: values.text('schedule_start'),
  schedule_end: values.text('schedule_end'),
  schedule_days: values.text('schedule_days'),
  channels: values.text('channels', 200) ?? 'log',
  recipients: values.text('recipients', 1_000),
  enabled: values.flag('enabled', true),
});

async function eventsIn(reading: Reading): Promise<PlannedEvent[]> {
  const { names, left, mended } = reading;
  const events: PlannedEvent[] = [];
  for await (const row of rowsOf(reading, 'alert_events')) {
    const unitId = names.get(String(row.unit_id));
    const openedAt = moment(row.onset_at);
    if (unitId === undefined || openedAt === undefined) {
      left.add(
        `An event of ${quotedStart(row.unit_id)} at ${quotedStart(row.onset_at)}: it has no unit that is taken over, or no time.`,
      );
      continue;
    }
    const end = moment(row.clear_at);
    // If SLMM is stopped while an event is open, the event stays open without an end.
    if (end === undefined)
      mended.add(`An event of ${unitId} at ${quotedStart(row.onset_at)} had no end: it ends at its beginning.`);
    events.push(eventOf(row, unitId, openedAt, end));
  }
  return events;
}

function eventOf(row: ImportedRow, unitId: string, openedAt: number, end: number | undefined): PlannedEvent {
  const at = moment(row.acknowledged_at);
  const metric = plainText(row.metric, 40) ?? 'lp';
  return {
    slmmRule: wholeNumber(row.rule_id, 0, Number.MAX_SAFE_INTEGER) ?? 0,
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
