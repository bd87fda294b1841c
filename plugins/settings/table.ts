/** Every setting of a meter that the API has, in the order in which the list of all shows them. */
import { GatewayError, isClockText, isGatewayError, nl43, type Schema } from '../../lib/index.ts';
import { type Row, row } from './setting.ts';

const CHANNEL: Schema = { type: 'string', enum: ['Main', 'Sub1', 'Sub2', 'Sub3'] };
const CHOICE: Schema = { ...CHANNEL, default: 'Main' };
const FREQUENCY: Schema = { type: 'string', enum: ['A', 'C', 'Z'] };
const TIME: Schema = { type: 'string', enum: ['F', 'S', 'I'], description: 'F 125 ms, S 1 s, I 35 ms.' };
const SPAN = '\\d{1,7}[smh]|\\d{2,4}:\\d{2}:\\d{2}';
const SPANS = '<n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h';
const LP_PRESET: Schema = { type: 'string', enum: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'] };
const CLOCK: Schema = {
  type: 'string',
  pattern: '^\\d{4}/\\d{2}/\\d{2},\\d{2}:\\d{2}:\\d{2}$',
  description: 'YYYY/MM/DD,HH:MM:SS, local time of the meter, no zone.',
};

interface OfChannel {
  readonly channel: nl43.ChannelName;
}
interface Preset {
  readonly preset: string;
}
const NONE = {};
const itself = (text: string): string => text;

const weightingRow = <W extends nl43.FrequencyWeighting | nl43.TimeWeighting>(
  kind: 'frequency' | 'time',
  schema: Schema,
  read: (
    channel: nl43.ChannelName,
  ) => ReturnType<typeof nl43.frequencyWeighting> | ReturnType<typeof nl43.timeWeighting>,
  set: (channel: nl43.ChannelName, weighting: W) => ReturnType<typeof nl43.setFrequencyWeighting>,
): Row =>
  row<string, OfChannel, OfChannel & { readonly weighting: W }>({
    name: `${kind}_weighting`,
    path: `${kind}-weighting`,
    what: `${kind} weighting of a channel`,
    query: { channel: CHOICE },
    usual: { channel: 'Main' },
    answer: { [`${kind}_weighting`]: schema, channel: CHANNEL },
    read: (meter, { channel }, caller) => meter.run<string>(read(channel), caller),
    shown: (weighting, { channel }) => ({ [`${kind}_weighting`]: weighting, channel }),
    text: itself,
    change: {
      body: { weighting: schema, channel: CHOICE },
      required: ['weighting'],
      async write(meter, { channel, weighting }, caller) {
        await meter.run(set(channel, weighting), caller);
        return weighting;
      },
      query: ({ channel }) => ({ channel }),
      message: (weighting, { channel }) => `The ${kind} weighting of ${channel} is set to ${weighting}.`,
    },
  });

const measurementTime = row<string, object, Preset>({
  name: 'measurement_time',
  path: 'measurement-time',
  what: 'measurement time',
  description: 'Of the store mode that the meter is in.',
  usual: NONE,
  answer: { measurement_time: { type: 'string' } },
  read: (meter, _query, caller) => meter.reserve('read measurement time', nl43.readMeasurementTime, caller),
  shown: (time) => ({ measurement_time: time }),
  text: itself,
  change: {
    body: { preset: { type: 'string', pattern: `^(${SPAN})$`, description: SPANS } },
    required: ['preset'],
    check: ({ preset }) => checkSpan(preset),
    write: (meter, { preset }, caller) =>
      meter.reserve('set measurement time', (reservation) => nl43.writeMeasurementTime(reservation, preset), caller),
    query: () => NONE,
    message: (time) => `The measurement time is set to ${time}.`,
  },
});

const leqInterval = row<string, object, Preset>({
  name: 'leq_interval',
  path: 'leq-interval',
  what: 'Leq calculation interval',
  usual: NONE,
  answer: { leq_interval: { type: 'string' } },
  read: (meter, _query, caller) => meter.reserve('read Leq interval', nl43.readLeqInterval, caller),
  shown: (interval) => ({ leq_interval: interval }),
  text: itself,
  change: {
    body: { preset: { type: 'string', pattern: `^(Off|${SPAN})$`, description: `Off, ${SPANS}` } },
    required: ['preset'],
    check({ preset }) {
      if (preset !== 'Off') checkSpan(preset);
    },
    write: (meter, { preset }, caller) =>
      meter.reserve('set Leq interval', (reservation) => nl43.writeLeqInterval(reservation, preset), caller),
    query: () => NONE,
    message: (interval) => `The Leq interval is set to ${interval}.`,
  },
});

const lpInterval = row<string, object, Preset>({
  name: 'lp_interval',
  path: 'lp-interval',
  what: 'Lp store interval',
  usual: NONE,
  answer: { lp_interval: LP_PRESET },
  read: (meter, _query, caller) => meter.run(nl43.lpInterval(), caller),
  shown: (interval) => ({ lp_interval: interval }),
  text: itself,
  change: {
    body: { preset: LP_PRESET },
    required: ['preset'],
    async write(meter, { preset }, caller) {
      await meter.run(nl43.setLpInterval(preset), caller);
      return preset;
    },
    query: () => NONE,
    message: (interval) => `The Lp store interval is set to ${interval}.`,
  },
});

/** The API's index number is the meter's `Store Name`, the series number; its `Index Number` names the meter itself. */
const indexNumber = row<string, object, { readonly index: number }>({
  name: 'index_number',
  path: 'index-number',
  what: 'number of the measurement series',
  description: 'The series number in folder and file names on the card: the Store Name of the meter.',
  usual: NONE,
  answer: { index_number: { type: 'string', pattern: '^\\d{4}$' } },
  read: (meter, _query, caller) => meter.run(nl43.storeName(), caller),
  shown: (number) => ({ index_number: number }),
  text: itself,
  change: {
    body: { index: { type: 'integer', minimum: 0, maximum: 9_999 } },
    required: ['index'],
    async write(meter, { index }, caller) {
      await meter.run(nl43.setStoreName(index), caller);
      return String(index).padStart(4, '0');
    },
    query: () => NONE,
    message: (number) => `The index number is set to ${number}.`,
  },
});

const percentOf = (percent: number | null): string | null => (percent === null ? null : String(percent));

const battery = row<{ readonly percent: number | null; readonly word: string | null }, object, never>({
  name: 'battery_level',
  path: 'battery',
  what: 'battery level',
  description:
    'The meter answers a word; battery_level is what it stands for: Full 100, Middle 60, Low 30, Dead 5, Empty 0.',
  usual: NONE,
  answer: {
    battery_level: {
      type: ['string', 'null'],
      pattern: '^\\d{1,3}$',
      description: 'Per cent; null for a word without a known percentage.',
    },
    battery_state: { type: ['string', 'null'], description: 'The word of the meter; null when it gave a number.' },
  },
  read: (meter, _query, caller) => meter.run(nl43.batteryLevel(), caller),
  shown: ({ percent, word }) => ({ battery_level: percentOf(percent), battery_state: word }),
  text: ({ percent, word }) => String(percent ?? word),
  learned(host, unitId, { percent, word }) {
    const values = { batteryLevel: percentOf(percent), batteryState: word, batteryAt: host.clock.now() };
    host.publish(unitId, 'reading', { values });
  },
});

const withComma = (moment: string): string => moment.replace(' ', ',');
/** The meter refuses its own comma with R+0002: its form has a space (field log of an NL-43). */
const withSpace = (moment: string): string => moment.replace(',', ' ');

const clock = row<string, object, { readonly datetime: string }>({
  name: 'clock',
  path: 'clock',
  what: 'clock of the meter',
  usual: NONE,
  answer: { clock: CLOCK },
  read: (meter, _query, caller) => meter.run(nl43.clock(), caller),
  shown: (moment) => ({ clock: withComma(moment) }),
  text: withComma,
  change: {
    body: {
      datetime: {
        type: 'string',
        pattern: '^\\d{4}/\\d{2}/\\d{2}[, ]\\d{2}:\\d{2}:\\d{2}$',
        description: 'YYYY/MM/DD,HH:MM:SS, or with a space instead of the comma; a moment that exists',
      },
    },
    required: ['datetime'],
    check({ datetime }) {
      if (!isClockText(withSpace(datetime))) throw invalid('datetime', NO_SUCH_TIME);
    },
    async write(meter, { datetime }, caller) {
      await meter.run(nl43.setClock(withSpace(datetime)), caller);
      return withSpace(datetime);
    },
    query: () => NONE,
    message: (moment) => `The clock is set to ${moment}.`,
  },
});

const sleepMode = row<nl43.OnOff, object, never>({
  name: 'sleep_mode',
  path: 'sleep/status',
  what: 'sleep mode',
  usual: NONE,
  answer: { sleep_mode: { type: 'string', enum: ['On', 'Off'] } },
  read: (meter, _query, caller) => meter.run(nl43.sleepMode(), caller),
  shown: (mode) => ({ sleep_mode: mode }),
  text: itself,
});

/** In the list alone: the plugins of the measurement and of the card have the paths. */
const listed = (name: string, command: typeof nl43.measureState | typeof nl43.ftp): Row =>
  row<string, object, never>({
    name,
    what: name,
    usual: NONE,
    answer: {},
    read: (meter, _query, caller) => meter.run<string>(command(), caller),
    shown: () => NONE,
    text: itself,
  });

export const SETTINGS: readonly Row[] = [
  listed('measurement_state', nl43.measureState),
  weightingRow('frequency', FREQUENCY, nl43.frequencyWeighting, nl43.setFrequencyWeighting),
  weightingRow('time', TIME, nl43.timeWeighting, nl43.setTimeWeighting),
  measurementTime,
  leqInterval,
  lpInterval,
  indexNumber,
  battery,
  clock,
  sleepMode,
  listed('ftp_status', nl43.ftp),
];

const NO_SUCH_TIME = 'must be a date and time that exist';

function invalid(field: string, message: string): GatewayError {
  return new GatewayError('INVALID', `The value at /${field} ${message}.`, {
    errors: [{ path: `/${field}`, message }],
  });
}

/** The words of the presets are times too. */
function checkSpan(preset: string): void {
  try {
    nl43.planTime(preset, []);
  } catch (error) {
    if (!isGatewayError(error, 'INVALID')) throw error;
    throw new GatewayError('INVALID', `The preset ${error.message}.`, {
      errors: [{ path: '/preset', message: error.message }],
    });
  }
}
