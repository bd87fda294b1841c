/** Timers, limits and faults of the operating manual are those of the code. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { MAX_LINE_BYTES } from '../../lib/drivers/lines.ts';
import { METER_DEFAULTS } from '../../lib/meter/settings.ts';
import { propertyOf, SETTING_NAMES, type SettingName } from '../../lib/settings/schema.ts';
import { HISTORY_SETTINGS } from '../../plugins/history/schemas.ts';
import { LIVE_SETTINGS } from '../../plugins/live/schemas.ts';
import { LOG_SETTINGS } from '../../plugins/log/index.ts';
import { MQTT_SETTINGS } from '../../plugins/mqtt/settings.ts';
import { POLLING_SETTINGS } from '../../plugins/polling/schemas.ts';
import { CATALOGUE } from '../../simulator/faults/catalogue.ts';

const text = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');

/** Cells of the rows of the table below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const named = (cell = ''): string | undefined => /^`([^`]+)`/.exec(cell)?.[1];
const PLUGINS = {
  history: HISTORY_SETTINGS,
  live: LIVE_SETTINGS,
  log: LOG_SETTINGS,
  mqtt: MQTT_SETTINGS,
  polling: POLLING_SETTINGS,
} as const;

function usual(name: string): unknown {
  const [plugin, own] = name.split(':');
  if (own === undefined) return propertyOf(name as SettingName).default;
  const { properties } = PLUGINS[plugin as keyof typeof PLUGINS] as {
    properties?: Record<string, { default?: unknown }>;
  };
  return properties?.[own]?.default;
}

const timers = rowsBelow('Every timer and limit');

t.test('each timer and limit stands there with the default that it has', async (t) => {
  const settings = timers.map(([, setting]) => named(setting)).filter((name) => name !== undefined);
  t.ok(settings.length > 25);
  for (const [, setting, shown] of timers) {
    const name = named(setting);
    if (name && name !== 'poll_interval_seconds') t.equal(Number.parseFloat(shown ?? ''), usual(name), name);
  }
});

t.test('no timer and no limit is left out', async (t) => {
  const there = new Set(timers.map(([, setting]) => named(setting)));
  const elsewhere = ['port', 'ftp_port_first', 'ftp_port_last', 'audit_keep_days', 'history_seconds_days'];
  elsewhere.push('history_minutes_days', 'history_max_mb', 'history_min_free_mb');
  const limits = SETTING_NAMES.filter((name) => propertyOf(name).type === 'integer' && !elsewhere.includes(name));
  const own = Object.entries(PLUGINS).flatMap(([plugin, { properties }]) =>
    Object.entries(properties as Record<string, { type?: unknown }>)
      .filter(([, { type }]) => type === 'integer' || type === 'number')
      .map(([name]) => `${plugin}:${name}`),
  );
  for (const name of [...limits, ...own]) t.ok(there.has(name), name);
});

t.test('the fixed times of the meter layer are those of the code', async (t) => {
  const fixed = timers.filter(([, setting]) => setting === '').map(([, , shown]) => Number(shown));
  const { reservationIdleMs, refusedRetryMs, probeTimeoutMs, slotFreeMs } = METER_DEFAULTS;
  const { drainSilenceMs, drainPromptMs, drainLimitMs } = METER_DEFAULTS;
  for (const value of [
    reservationIdleMs,
    refusedRetryMs,
    probeTimeoutMs,
    slotFreeMs,
    MAX_LINE_BYTES,
    drainSilenceMs,
    drainPromptMs,
    drainLimitMs,
  ])
    t.ok(fixed.includes(value), String(value));
});

t.test('each fault of the simulator has its line: what one sees, what to do', async (t) => {
  const rows = rowsBelow('Trouble: what you see, what to do');
  t.strictSame(rows.map(([fault]) => named(fault)).sort(), Object.keys(CATALOGUE).sort());
  for (const [fault = '', seen, cure] of rows) t.ok(seen && cure, fault);
});
