/**
 * Reads the meters in the background, so that their last snapshots stay fresh: each at its own pace, independently of the
 * others. These readings are the same as in GET live, with a lower priority than operators.
 */
import { METER_FIELDS, settable, shownError, shownValues } from '../../lib/built-in.ts';
import { type DeviceConfig, type Host, iso, type Plugin, reaches } from '../../lib/index.ts';
import { Poller } from './poller.ts';
import { BODY, CONFIG, FIXED_POLLING, POLLING_SETTINGS, type PollingSettings, UNIT_POLLING } from './schemas.ts';

interface Change {
  readonly poll_enabled?: boolean;
  readonly poll_interval_seconds?: number;
}

const plugin: Plugin<PollingSettings> = {
  name: 'polling',
  about: 'Readings in the background',
  settings: POLLING_SETTINGS,
  register(host) {
    const pollers = startPollers(host);

    host.route({
      method: 'GET',
      path: '/{unit_id}/polling/config',
      access: 'viewer',
      summary: 'Show whether and how often a meter is read in the background',
      answer: { data: CONFIG },
      etag: true,
      errors: ['UNIT_NOT_FOUND'],
      handle: ({ unitId }) => ({ data: shown(host.configs.of(unitId)) }),
    });

    host.route<Change, unknown>({
      method: 'PUT',
      path: '/{unit_id}/polling/config',
      access: 'admin',
      summary: 'Change whether and how often a meter is read in the background',
      description:
        'Fields left out keep their value; the data of a GET may be sent back. It takes effect at once; the change itself does not contact the meter.',
      body: BODY,
      answer: { message: { type: 'string' }, data: CONFIG },
      errors: ['UNIT_NOT_FOUND'],
      async handle({ unitId, body }) {
        const change = settable(body, FIXED_POLLING, unitId);
        const config = await host.configs.change(unitId, () => merged(host.configs.of(unitId), change));
        const words = config.pollEnabled
          ? `read in the background every ${config.pollIntervalSeconds} s`
          : 'not read in the background';
        return { message: `${unitId} is ${words}.`, data: shown(config) };
      },
    });

    host.route({
      method: 'GET',
      path: '/_polling/status',
      access: 'viewer',
      filtersUnits: true,
      summary: 'Show how the background readings of all meters go',
      description: 'Of the meters that the API key may see.',
      answer: {
        count: { type: 'integer' },
        active: { type: 'integer', description: 'Meters that are polled.' },
        units: { type: 'array', items: UNIT_POLLING },
      },
      errors: [],
      handle({ identity }) {
        const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
        const units = own.map((config) => status(host, config, pollers.get(config.unitId)));
        return { count: units.length, active: units.filter(({ state }) => state !== 'off').length, units };
      },
    });
  },
};
export default plugin;

const POLLING_FIELDS = [...METER_FIELDS, 'tcpEnabled', 'pollEnabled', 'pollIntervalSeconds', 'history'] as const;

function startPollers(host: Host<PollingSettings>): ReadonlyMap<string, Poller> {
  const pollers = new Map<string, Poller>();
  const add = (config: DeviceConfig, spreadMs?: number) =>
    pollers.set(config.unitId, new Poller(config, host, spreadMs));
  host.configs.onChange((unitId, config) => {
    const poller = pollers.get(unitId);
    if (!config) {
      poller?.stop();
      pollers.delete(unitId);
    } else if (poller) poller.follow(config);
    else add(config);
  }, POLLING_FIELDS);
  for (const config of host.configs.list()) add(config, host.settings.start_spread_seconds * 1_000);
  host.onStop(() => {
    for (const poller of pollers.values()) poller.stop();
  });
  return pollers;
}

const merged = (present: DeviceConfig, change: Change): DeviceConfig => ({
  ...present,
  pollEnabled: change.poll_enabled ?? present.pollEnabled,
  pollIntervalSeconds: change.poll_interval_seconds ?? present.pollIntervalSeconds,
});

const shown = ({ unitId, pollEnabled, pollIntervalSeconds }: DeviceConfig) => ({
  unit_id: unitId,
  poll_enabled: pollEnabled,
  poll_interval_seconds: pollIntervalSeconds,
});

function status(host: Host, config: DeviceConfig, poller: Poller | undefined) {
  const report = poller?.report;
  const { measured_at, stale } = shownValues(host.status.of(config.unitId), config.pollIntervalSeconds);
  return {
    ...shown(config),
    state: report?.state ?? 'off',
    next_poll: iso(report?.next ?? null),
    last_poll: iso(report?.lastPoll ?? null),
    last_success: iso(report?.lastSuccess ?? null),
    last_error: shownError(report?.lastError ?? null),
    consecutive_failures: report?.failures ?? 0,
    polls: report?.polls ?? 0,
    successes: report?.successes ?? 0,
    skipped: report?.skipped ?? 0,
    measured_at,
    stale,
  };
}
