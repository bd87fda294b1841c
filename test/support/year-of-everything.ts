/** A year of everything that a gateway keeps. Levels come by its API, and the rest is written into its data folder after it has stopped. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openJournal } from '../../lib/audit/journal.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { MeasuredGateway } from './longest-turns.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS = 365;

/** How many of each; the last of them is now. */
const STORED = {
  observations: (DAYS * DAY_MS) / MINUTE_MS,
  events: 60_000,
  deliveries: 20_000,
  logLines: 50_000,
  notes: 2_000,
  calibrations: 200,
  files: 20_000,
  clockReadings: 8_760,
  settingChanges: 10_000,
  jobs: 1_000,
  reportRuns: 400,
  audit: 20_000,
} as const;

type Row = Readonly<Record<string, string | number | null>>;

async function sent(url: string, method: string, body: string, type = 'application/json'): Promise<void> {
  const answer = await fetch(url, { method, body, headers: { 'Content-Type': type } });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** A year of quarters of an hour. */
function levels(end: number): string {
  const lines = ['start,duration_s,leq,lmax,l10'];
  for (let at = end - 365 * DAY_MS; at < end; at += 900_000) {
    const level = 50 + ((at / 900_000) % 200) / 10;
    lines.push(`${new Date(at).toISOString().slice(0, 19)}Z,900,${level},${level + 10},${level + 3}`);
  }
  return lines.join('\n');
}

/** `unit` has most of it. `folder` gets `data` and `key`. `now`: ms since 1970 UTC. */
export async function yearOfEverything(folder: string, unit: string, now: number): Promise<void> {
  const gateway = await MeasuredGateway.start(folder);
  try {
    const config = { host: '192.0.2.1', tcp_enabled: false, ftp_enabled: false };
    for (const one of [unit, 'other']) await sent(`${gateway.base}/${one}/config`, 'PUT', JSON.stringify(config));
    const limit = { index: 'leq', window: '15m', from: '00:00', to: '24:00', days: ['mon', 'sun'], limit_db: 60 };
    const permit = { units: [unit], limits: [limit, { ...limit, index: 'l10' }] };
    await sent(`${gateway.base}/_permits/x`, 'PUT', JSON.stringify(permit));
    const path = `${unit}/history/import?frequency_weighting=A&time_weighting=F`;
    await sent(`${gateway.base}/${path}`, 'POST', levels(Math.floor(now / 900_000) * 900_000), 'text/csv');
    await sent(`${gateway.base}/_reports`, 'POST', JSON.stringify({ name: 'Week', units: [unit], period: 'none' }));
    for (let isBusy = true; isBusy; await pause(100)) {
      const answer = await fetch(`${gateway.base}/_jobs?state=queued,running`);
      isBusy = ((await answer.json()) as { readonly data: readonly unknown[] }).data.length > 0;
    }
  } finally {
    await gateway.stop();
  }
  fillTables(`${folder}/data`, unit, now);
  await fillAudit(`${folder}/data/audit`, unit);
}

async function fillAudit(folder: string, unit: string): Promise<void> {
  const parts = { keepDays: 0, maxBytes: 1e9, clock: systemClock, log: createLog('silent') };
  const journal = await openJournal({ folder, ...parts });
  for (let n = 0; n < STORED.audit; n++) {
    const written = journal.add({
      request: `r${n}`,
      who: 'kim',
      keyId: '00000000',
      role: 'operator',
      address: '192.0.2.9',
      method: 'PUT',
      route: '/{unit_id}/config',
      unitId: unit,
      params: { unit_id: unit },
      body: { name: `Roof ${n}` },
      before: { name: `Roof ${n - 1}` },
      status: 200,
      code: undefined,
      answer: { message: 'Saved.' },
    });
    if (n % 1_000 === 999) await written;
  }
  await journal.close();
}

function fillTables(dataDir: string, unit: string, now: number): void {
  const db = new Database(join(dataDir, 'gateway.db'));
  try {
    db.pragma('synchronous = off');
    for (const [table, count, rowOf] of tablesOf(unit, Math.floor(now / MINUTE_MS) * MINUTE_MS))
      fill(db, table, count, rowOf);
    db.pragma('wal_checkpoint(truncate)');
  } finally {
    db.close();
  }
}

/** A column that the row does not name is null, or nothing of its kind where it cannot be null. */
function fill(db: Database.Database, table: string, count: number, rowOf: (n: number) => Row): void {
  const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number }[];
  const empty = columns.map(({ name, type, notnull }) => [name, notnull ? (/text/i.test(type) ? '' : 0) : null]);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const add = db.prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`);
  db.transaction(() => {
    db.exec(`delete from ${table}`);
    for (let n = 0; n < count; n++) add.run(Object.values({ ...Object.fromEntries(empty), ...rowOf(n) }));
  })();
}

type Filling = readonly [table: string, count: number, rowOf: (n: number) => Row];

function tablesOf(unit: string, end: number): readonly Filling[] {
  const begin = end - DAYS * DAY_MS;
  /** The time of one of so many, evenly over the year. */
  const at = (n: number, count: number) => Math.round(begin + ((n + 1) / count) * (end - begin));
  const hash = (n: number) => n.toString(16).padStart(64, '0');
  return [
    ...stations(end),
    ...alerts(unit, at),
    ...records(unit, at),
    [
      'mirror_file',
      STORED.files,
      (n) => ({
        id: `f${n}`,
        unit_id: unit,
        card: 1,
        path: `/NL-43/AUTO_0000/FILE${String(n).padStart(5, '0')}.rnd`,
        size: 100_000,
        modified: '2026/01/01 00:00',
        sha256: hash(n),
        kept: 100_000,
        fetched_at: at(n, STORED.files),
        state: 'complete',
        problems: '[]',
        whole_modified: '2026/01/01 00:00',
      }),
    ],
    [
      'mirror_recording',
      STORED.files,
      (n) => ({
        id: `f${n}`,
        unit_id: unit,
        card: 1,
        path: `/NL-43/SOUND/FILE${String(n).padStart(5, '0')}.wav`,
        sha256: hash(n),
        size: 1_000_000,
        began: at(n, STORED.files),
        ended: at(n, STORED.files) + MINUTE_MS,
        earliest: at(n, STORED.files) - 1_000,
        latest: at(n, STORED.files) + MINUTE_MS + 1_000,
      }),
    ],
    [
      'mirror_version',
      STORED.files / 10,
      (n) => ({
        id: `f${n % 10}`,
        sha256: hash(n),
        unit_id: unit,
        card: 1,
        path: `/NL-43/AUTO_0000/FILE0000${n % 10}.rnd`,
        size: 1_000,
        replaced_at: at(n, STORED.files),
      }),
    ],
    [
      'mirror_clock',
      STORED.clockReadings,
      (n) => ({ unit_id: unit, at: at(n, STORED.clockReadings), offset: n % 700, uncertainty: 20 }),
    ],
    [
      'mirror_hour',
      DAYS * 24,
      (n) => ({
        unit_id: unit,
        hour: Math.floor((begin + n * HOUR_MS) / HOUR_MS) * 3_600,
        compared: 3_600,
        mean_difference: 0.1,
        largest_difference: 1,
        filled: 10,
      }),
    ],
    [
      'job',
      STORED.jobs,
      (n) => ({
        id: n + 1,
        kind: 'mirror',
        unit_id: unit,
        state: 'done',
        message: 'Done.',
        created_at: at(n, STORED.jobs),
        started_at: at(n, STORED.jobs),
        ended_at: at(n, STORED.jobs) + 1_000,
        result: JSON.stringify({ value: { files: n } }),
        input: JSON.stringify({ value: null }),
      }),
    ],
  ];
}

function stations(end: number): readonly Filling[] {
  const body = { title: 'Roof', zone: 'Europe/Berlin', place: '', units: null, intervalS: 60, silentAfterS: null };
  return [
    ['stations_station', 1, () => ({ id: 'roof', body: JSON.stringify(body), changed_at: end })],
    [
      'stations_observation',
      STORED.observations,
      (n) => ({
        station: 'roof',
        at: end - (STORED.observations - 1 - n) * MINUTE_MS,
        duration: MINUTE_MS,
        wind_speed: (n % 90) / 10,
        wind_direction: n % 360,
        gust: (n % 150) / 10,
        rain: n % 500 === 0 ? 0.2 : 0,
        temperature: (n % 300) / 10,
        humidity: 60,
        pressure: 1_013,
        traffic: n % 40,
      }),
    ],
  ];
}

function alerts(unit: string, at: (n: number, count: number) => number): readonly Filling[] {
  const event = (n: number) => ({
    id: n + 1,
    rule_id: 1 + (n % 5),
    unit_id: n % 3 === 0 ? 'other' : unit,
    rule_name: `Night ${n % 5}`,
    severity: 'warning',
    kind: 'level',
    what: 'leq',
    limit_value: 55,
    window_from: at(n, STORED.events) - 300_000,
    window_to: at(n, STORED.events),
    opened_at: at(n, STORED.events),
    closed_at: at(n, STORED.events) + 120_000,
    worst: 56 + (n % 100) / 10,
    worst_at: at(n, STORED.events),
    detail: 'Leq of 5 min was above 55 dB.',
    ack: n % 4 === 0 ? JSON.stringify({ by: 'night desk', at: at(n, STORED.events), note: 'heard' }) : null,
    sound: JSON.stringify({ lae: 80.1, measuredS: 300, loudest: { level: 66.6, at: at(n, STORED.events) } }),
    channel: 'main',
  });
  return [
    ['alerts_event', STORED.events, event],
    [
      'alerts_delivery',
      STORED.deliveries,
      (n) => ({
        id: n + 1,
        target_id: 1,
        event_id: n + 1,
        type: 'opened',
        event: JSON.stringify({ id: n, unit_id: unit, detail: 'x'.repeat(200) }),
        state: 'done',
        tries: 1,
        created_at: at(n, STORED.deliveries),
        ended_at: at(n, STORED.deliveries),
        outcome: 'delivered',
      }),
    ],
  ];
}

function records(unit: string, at: (n: number, count: number) => number): readonly Filling[] {
  return [
    [
      'log_entry',
      STORED.logLines,
      (n) => ({
        id: n + 1,
        unit_id: unit,
        at: at(n, STORED.logLines),
        kind: 'command',
        routine: n % 10 === 0 ? 0 : 1,
        text: `Measure? ${n}`,
        outcome: 'ok',
        ms: 20,
      }),
    ],
    [
      'note_version',
      STORED.notes,
      (n) => ({
        id: n + 1,
        version: 1,
        unit_id: unit,
        from: at(n, STORED.notes) - 600_000,
        to: at(n, STORED.notes),
        kind: 'exclusion',
        reason: n % 2 === 0 ? 'rain' : 'wind',
        text: 'Observed.',
        by: 'station',
        changed_at: at(n, STORED.notes),
        created_at: at(n, STORED.notes),
        observed: 1,
      }),
    ],
    [
      'calibration_version',
      STORED.calibrations,
      (n) => ({
        id: n + 1,
        version: 1,
        unit_id: unit,
        time: at(n, STORED.calibrations),
        nominal_db: 94,
        before_db: 94.1,
        after_db: 94,
        calibrator: 'NC-75',
        serial: '1',
        certificate: 'c',
        person: 'Kim',
        by: 'kim',
        changed_at: at(n, STORED.calibrations),
        created_at: at(n, STORED.calibrations),
      }),
    ],
    [
      'campaign_setting_change',
      STORED.settingChanges,
      (n) => ({ unit_id: unit, n: n + 1, name: 'lmax', value: String(n), at: at(n, STORED.settingChanges) }),
    ],
    [
      'reports_run',
      STORED.reportRuns,
      (n) => ({
        id: n + 1,
        report_id: 1,
        from_at: at(n, STORED.reportRuns) - DAY_MS,
        to_at: at(n, STORED.reportRuns),
        state: 'done',
        started_by: 'kim',
        tries: 1,
        created_at: at(n, STORED.reportRuns),
        ended_at: at(n, STORED.reportRuns),
        documents: JSON.stringify([
          {
            id: `${n + 1}-pdf`,
            format: 'pdf',
            name: 'report.pdf',
            contentType: 'application/pdf',
            bytes: 1,
            sha256: 'a'.repeat(64),
            query: 'GET',
          },
        ]),
      }),
    ],
  ];
}
