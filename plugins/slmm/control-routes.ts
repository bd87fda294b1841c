/** Control of a measurement and the settings of a meter. */
import { GatewayError, type Schema } from '../../lib/index.ts';
import { message, type SlmmRoute, same, wordRefusal } from './route.ts';

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

const indexNumber: SlmmRoute = {
  method: 'PUT',
  path: '/{unit_id}/index-number',
  access: 'operator',
  body: { index: { type: 'integer' } },
  required: ['index'],
  wordError: wordRefusal,
  async answer(request, { ask }) {
    const { index } = request.body;
    if (typeof index !== 'number' || index < 0 || index > 9_999)
      throw new GatewayError('INVALID', 'The index must be a whole number from 0 to 9999.');
    return message(await ask(request, { method: 'PUT', path: '/{unit_id}/index-number', body: { index } }));
  },
};

const overwriteCheck: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/overwrite-check',
  access: 'viewer',
  async answer({ unitId, caller }, { host }) {
    const isTaken = await host.meter(unitId).perform('isStoreNameTaken', caller);
    return { overwrite_status: isTaken ? 'Exist' : 'None', will_overwrite: isTaken, safe_to_store: !isTaken };
  },
};

/** The line as the meter wrote it: SLMM does not take it apart. */
const results: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/results',
  access: 'viewer',
  async answer({ unitId, caller }, { host }) {
    const config = host.configs.get(unitId);
    const line = await host.meter(unitId).perform('lastResultText', caller);
    return { data: { raw_data: line, device_key: `${config?.host}:${config?.tcpPort}` } };
  },
};

const settingsOfUnit: SlmmRoute = {
  method: 'GET',
  path: '/{unit_id}/settings',
  access: 'viewer',
  async answer(request, { ask }) {
    const { settings } = await ask(request, { method: 'GET', path: '/{unit_id}/settings/all' });
    return { unit_id: request.unitId, settings };
  },
};

/** Start and stop, settings and power of a meter. */
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
