/**
 * The first contract of this API, one request for each line of it, with what its answer has at least. The order is one in which a
 * meter that is stopped at first accepts each: settings, a measurement that is read while it runs, its end, its files.
 */

export interface ContractRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Below the unit. */
  readonly path: string;
  readonly json?: object;
  /** As `t.match` takes it; undefined: the answer is a file. */
  readonly answer?: object;
}

const LEVEL = /^-?\d{1,3}\.\d$/;
const CHANNEL = /^(Main|Sub[123])$/;
const FREQUENCY = /^[ACZ]$/;
const TIME = /^[FSI]$/;
const SWITCH = /^(On|Off)$/;
const CLOCK = /^\d{4}\/\d{2}\/\d{2},\d{2}:\d{2}:\d{2}$/;
const SPAN = /^(\d+[smh]|\d{2,4}:\d{2}:\d{2})$/;
const SPAN_OR_OFF = /^(Off|\d+[smh]|\d{2,4}:\d{2}:\d{2})$/;
const LP_INTERVAL = /^(Off|10ms|25ms|100ms|200ms|1s)$/;
const SERIES = /^\d{4}$/;
const NUMBER = /^\d+(\.\d+)?$/;
const LEVELS = { leq: LEVEL, lmax: LEVEL, lmin: LEVEL, lpeak: LEVEL };
const CONFIG = {
  unit_id: String,
  host: String,
  tcp_port: Number,
  tcp_enabled: Boolean,
  ftp_enabled: Boolean,
  web_enabled: Boolean,
};

const get = (path: string, answer: object): ContractRequest => ({
  method: 'GET',
  path,
  answer: { status: 'ok', ...answer },
});
const put = (path: string, json: object): ContractRequest => ({ method: 'PUT', path, json, answer: { status: 'ok' } });
const post = (path: string): ContractRequest => ({ method: 'POST', path, answer: { status: 'ok', message: String } });

/** While the meter is stopped: most settings are refused otherwise. */
export const SETTERS: readonly ContractRequest[] = [
  put('config', { web_enabled: false }),
  put('clock', { datetime: '2025/12/24,02:10:55' }),
  put('frequency-weighting', { weighting: 'C', channel: 'Main' }),
  put('frequency-weighting', { weighting: 'A' }),
  put('time-weighting', { weighting: 'S', channel: 'Main' }),
  put('time-weighting', { weighting: 'F' }),

  put('measurement-time', { preset: '12:00:00' }),
  put('measurement-time', { preset: '30m' }),
  put('leq-interval', { preset: '10m' }),
  put('lp-interval', { preset: '100ms' }),
  put('index-number', { index: 7 }),
  post('sleep'),
  post('wake'),
];

/** Readings of a meter that measures. */
export const READINGS: readonly ContractRequest[] = [
  get('config', { data: CONFIG }),
  get('status', { data: { unit_id: String } }),
  get('live', {
    data: {
      unit_id: String,
      measurement_state: 'Measure',
      lp: LEVEL,
      ...LEVELS,
      battery_level: NUMBER,
      power_source: String,
      sd_remaining_mb: NUMBER,
      sd_free_ratio: NUMBER,
    },
  }),
  get('measurement-state', { measurement_state: 'Start', is_measuring: true }),
  get('battery', { battery_level: NUMBER }),
  get('clock', { clock: CLOCK }),
  get('frequency-weighting', { frequency_weighting: FREQUENCY, channel: 'Main' }),
  get('frequency-weighting?channel=Sub1', { frequency_weighting: FREQUENCY, channel: CHANNEL }),
  get('time-weighting', { time_weighting: TIME, channel: 'Main' }),
  get('time-weighting?channel=Sub3', { time_weighting: TIME, channel: CHANNEL }),
  get('measurement-time', { measurement_time: SPAN }),
  get('leq-interval', { leq_interval: SPAN_OR_OFF }),
  get('lp-interval', { lp_interval: LP_INTERVAL }),
  get('index-number', { index_number: SERIES }),
  get('sleep/status', { sleep_mode: SWITCH }),
  get('ftp/status', { ftp_status: SWITCH, ftp_enabled: Boolean }),
];

/** All settings in one answer: the one reading that takes longer than a person's question. */
export const ALL_SETTINGS: ContractRequest = get('settings/all', {
  settings: {
    measurement_state: /^(Start|Stop)$/,
    frequency_weighting: FREQUENCY,
    time_weighting: TIME,
    measurement_time: SPAN,
    leq_interval: SPAN_OR_OFF,
    lp_interval: LP_INTERVAL,
    index_number: SERIES,
    battery_level: NUMBER,
    clock: CLOCK,
    sleep_mode: SWITCH,
    ftp_status: SWITCH,
  },
});

export const START: ContractRequest = post('start');
/** Of a measurement that runs; `stop` is the last one, and only then there is something to store. */
export const CONTROLS: readonly ContractRequest[] = ['pause', 'resume', 'reset', 'stop', 'store'].map(post);
export const RESULTS: ContractRequest = get('results', { data: LEVELS });

export const FTP_ON: ContractRequest = post('ftp/enable');
export const FTP_OFF: ContractRequest = post('ftp/disable');
/** Of a folder that has an entry at least. */
export const FILES: ContractRequest = get('ftp/files?path=/', {
  path: '/',
  count: Number,
  files: [{ name: String, path: /^\//, size: Number, modified: /^[A-Z][a-z]{2} \d{2} \d{4}$/, is_dir: Boolean }],
});
export const downloadOf = (path: string): ContractRequest => ({
  method: 'POST',
  path: 'ftp/download',
  json: { remote_path: path },
});
