/** Control of a measurement and the settings of a meter. A whole cycle is a job of the gateway. */
import { clockText, zones } from '../../lib/built-in.ts';
import { GatewayError, isGatewayError, messageOf, type Schema, sleep } from '../../lib/index.ts';
import {
  message,
  type SlmmGateway,
  type SlmmRequest,
  type SlmmRoute,
  type SlmmValues,
  same,
  slmmRoute,
  wordRefusal,
} from './route.ts';

const TEXT: Schema = { type: 'string' };
const CHANNEL = { channel: TEXT };
const CHANNEL_BODY = { channel: { type: ['string', 'null'] } };

const operation = (path: string): SlmmRoute => same('POST', `/{unit_id}/${path}`, 'operator', message);

const preset = (name: string): SlmmRoute[] => [
  same('GET', `/{unit_id}/${name}`, 'viewer'),
  same('PUT', `/{unit_id}/${name}`, 'operator', message, { body: { preset: TEXT }, required: ['preset'] }),
];

const weighting = (name: string): SlmmRoute[] => [
  same('GET', `/{unit_id}/${name}`, 'viewer', undefined, { query: CHANNEL }),
  same('PUT', `/{unit_id}/${name}`, 'operator', message, {
    body: { weighting: TEXT, ...CHANNEL_BODY },
    required: ['weighting'],
  }),
];

const indexNumber = slmmRoute(
  'PUT',
  '/{unit_id}/index-number',
  'operator',
  {
    body: { index: { type: 'integer' } },
    required: ['index'],
    wordError: wordRefusal,
  },
  async (request, { ask }) => {
    const { index } = request.body;
    if (typeof index !== 'number' || index < 0 || index > 9_999)
      throw new GatewayError('INVALID', 'The index must be a whole number from 0 to 9999.');
    return message(await ask(request, { method: 'PUT', path: '/{unit_id}/index-number', body: { index } }));
  },
);

const overwriteCheck = slmmRoute(
  'GET',
  '/{unit_id}/overwrite-check',
  'viewer',
  {},
  async ({ unitId, caller }, { host }) => {
    const isTaken = await host.meter(unitId).perform('isStoreNameTaken', caller);
    return { overwrite_status: isTaken ? 'Exist' : 'None', will_overwrite: isTaken, safe_to_store: !isTaken };
  },
);

/** The line as the meter wrote it: SLMM does not take it apart. */
const results = slmmRoute('GET', '/{unit_id}/results', 'viewer', {}, async ({ unitId, caller }, { host }) => {
  const config = host.configs.get(unitId);
  const line = await host.meter(unitId).perform('lastResultText', caller);
  return { data: { raw_data: line, device_key: `${config?.host}:${config?.tcpPort}` } };
});

const settingsOfUnit = slmmRoute('GET', '/{unit_id}/settings', 'viewer', {}, async (request, { ask }) => {
  const { settings } = await ask(request, { method: 'GET', path: '/{unit_id}/settings/all' });
  return { unit_id: request.unitId, settings };
});

export const CONTROL_ROUTES: readonly SlmmRoute[] = [
  ...['start', 'stop', 'pause', 'resume', 'reset', 'store', 'sleep', 'wake'].map(operation),
  ...['ftp/enable', 'ftp/disable'].map(operation),
  same('GET', '/{unit_id}/measurement-state', 'viewer', ({ measurement_state, is_measuring }) => ({
    measurement_state,
    is_measuring,
  })),
  // The word of the meter, such as `Full`.
  same('GET', '/{unit_id}/battery', 'viewer', ({ battery_state, battery_level }) => ({
    battery_level: battery_state ?? battery_level,
  })),
  // With a space, as the meter writes it.
  same('GET', '/{unit_id}/clock', 'viewer', ({ clock }) => ({ clock: String(clock).replace(',', ' ') })),
  same('PUT', '/{unit_id}/clock', 'operator', message, { body: { datetime: TEXT }, required: ['datetime'] }),
  ...['frequency-weighting', 'time-weighting'].flatMap(weighting),
  ...['measurement-time', 'leq-interval', 'lp-interval'].flatMap(preset),
  same('GET', '/{unit_id}/index-number', 'viewer'),
  indexNumber,
  overwriteCheck,
  results,
  same('GET', '/{unit_id}/settings/all', 'viewer'),
  settingsOfUnit,
  same('GET', '/{unit_id}/sleep/status', 'viewer', ({ sleep_mode }) => ({ sleep_status: sleep_mode })),
  same('GET', '/{unit_id}/ftp/status', 'viewer', ({ ftp_enabled, ftp_status }) => ({ ftp_enabled, ftp_status })),
];

const OR_NULL = (type: string) => ({ type: [type, 'null'] });
/** The longest time that an answer waits for a job, ms. The job goes on. */
const MOST_WAIT_MS = 120_000;
const LOOK_MS = 500;
const NAMES = 10_000;

/** The result of the job that a route of the gateway starts. Errors: that of the job; JOB_RUNNING after a long wait. */
async function through(
  { host, ask }: SlmmGateway,
  request: SlmmRequest,
  path: string,
  body: object,
): Promise<SlmmValues> {
  const { job } = await ask(request, { method: 'POST', path, body });
  const end = host.clock.elapsed() + MOST_WAIT_MS;
  for (;;) {
    const { state, result, error, message } = (await host.jobs.get(Number(job))) ?? {};
    if (state === 'done') return result as SlmmValues;
    if (error) throw new GatewayError(error.code as GatewayError['code'], error.detail);
    if (state !== 'queued' && state !== 'running')
      throw new GatewayError('DEVICE_BUSY', `Job ${job} was ended. ${message ?? ''}`);
    if (host.clock.elapsed() > end)
      throw new GatewayError('JOB_RUNNING', `Job ${job} of the gateway goes on. ${message ?? ''}`);
    await sleep(host.clock, LOOK_MS, request.caller.signal);
  }
}

const start = slmmRoute(
  'POST',
  '/{unit_id}/start-cycle',
  'operator',
  { body: { sync_clock: OR_NULL('boolean') } },
  async (request, gateway) => {
    const { unitId, body } = request;
    const { timezone } = gateway.host.configs.of(unitId);
    const { index_number } = await gateway.ask(request, { method: 'GET', path: '/{unit_id}/index-number' });
    const sync_clock = body.sync_clock !== false;
    const begun = await through(gateway, request, '/{unit_id}/cycle/start', { sync_clock });
    const old = Number(index_number);
    // In the store mode Manual the name does not change.
    const index = Number(begun.store_name ?? old);
    const isSet = begun.clock_before_s !== null;
    const at = Date.parse(String(begun.started_at));
    return {
      unit_id: unitId,
      clock_synced: isSet,
      server_time: isSet ? clockText(at + zones.zoneOffset(timezone, at)) : null,
      old_index: old,
      new_index: index,
      attempts_made: ((index - old + NAMES) % NAMES) + 1,
      started: true,
    };
  },
);

const NO_FILES = { download_attempted: false, download_success: false, downloaded_folder: null, local_path: null };

const stop = slmmRoute(
  'POST',
  '/{unit_id}/stop-cycle',
  'operator',
  {
    // `download_path` is ignored: it could be any path on this computer. The files go to the gateway's own copy of the card.
    body: { download: OR_NULL('boolean'), download_path: OR_NULL('string') },
  },
  async (request, gateway) => {
    const post = (path: string) => gateway.ask(request, { method: 'POST', path });
    const fetches = request.body.download !== false;
    if (!fetches) await post('/{unit_id}/stop');
    const files = fetches ? await stopAndFetch(gateway, request) : {};
    // The job leaves FTP unchanged; clients of SLMM go on with files.
    await post('/{unit_id}/ftp/enable');
    return {
      unit_id: request.unitId,
      stopped: true,
      ftp_enabled: true,
      ...NO_FILES,
      download_attempted: fetches,
      ...files,
    };
  },
);

/** Missing files are not an error in SLMM, once the meter is stopped. */
async function stopAndFetch(gateway: SlmmGateway, request: SlmmRequest): Promise<SlmmValues> {
  try {
    const { folder, mirror_job, steps } = await through(gateway, request, '/{unit_id}/cycle/stop', {});
    if (folder !== null && mirror_job === null)
      return { download_success: true, downloaded_folder: String(folder).split('/').at(-1) };
    const fetched = (steps as readonly SlmmValues[]).find(({ name }) => name === 'fetch');
    return { download_error: fetched?.note ?? 'No files were fetched.' };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { is_measuring } = await gateway.ask(request, { method: 'GET', path: '/{unit_id}/measurement-state' });
    if (is_measuring !== false) throw error;
    return { download_error: messageOf(error) };
  }
}

export const CYCLE_ROUTES: readonly SlmmRoute[] = [start, stop];
