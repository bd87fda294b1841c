/** Every setting of a meter that the API has, in the order in which the list of all shows them. */
import { type Caller, invalid, isClockText, type Meter, nl43, type Schema, setup } from '../../lib/index.ts';
import { type Row, row } from './setting.ts';

const CHANNEL: Schema = { type: 'string', enum: ['Main', 'Sub1', 'Sub2', 'Sub3'] };
const CHOICE: Schema = { ...CHANNEL, default: 'Main' };
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

/** One command by itself: equal requests that wait share it. */
const single = (meter: Meter, caller: Caller): setup.Sender => ({ send: (command) => meter.run(command, caller) });

const weightingRow = (kind: 'frequency' | 'time', of: (channel: nl43.ChannelName) => setup.MeterSetting): Row => {
  const { schema } = of('Main');
  return row<string, OfChannel, OfChannel & { readonly weighting: string }>({
    name: `${kind}_weighting`,
    path: `${kind}-weighting`,
    what: `${kind} weighting of a channel`,
    query: { channel: CHOICE },
    usual: { channel: 'Main' },
    answer: { [`${kind}_weighting`]: schema, channel: CHANNEL },
    read: (meter, { channel }, caller) => of(channel).read(single(meter, caller)),
    shown: (weighting, { channel }) => ({ [`${kind}_weighting`]: weighting, channel }),
    text: itself,
    nameFor: ({ channel }) => of(channel).name,
    change: {
      body: { weighting: schema, channel: CHOICE },
      required: ['weighting'],
      write: (meter, { channel, weighting }, caller) => of(channel).write(single(meter, caller), weighting),
      query: ({ channel }) => ({ channel }),
      message: (weighting, { channel }) => `The ${kind} weighting of ${channel} is set to ${weighting}.`,
    },
  });
};

const measurementTime = row<string, object, Preset>({
  name: 'measurement_time',
  path: 'measurement-time',
  what: 'measurement time',
  description: 'Of the store mode that the meter is in.',
  usual: NONE,
  answer: { measurement_time: { type: 'string' } },
  read: (meter, _query, caller) => meter.reserve('read measurement time', setup.measurementTime.read, caller),
  shown: (time) => ({ measurement_time: time }),
  text: itself,
  change: {
    body: { preset: setup.measurementTime.schema },
    required: ['preset'],
    check: ({ preset }) => void setup.measurementTime.normal(preset),
    write: (meter, { preset }, caller) =>
      meter.reserve('set measurement time', (reservation) => setup.measurementTime.write(reservation, preset), caller),
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
  read: (meter, _query, caller) => meter.reserve('read Leq interval', setup.leqInterval.read, caller),
  shown: (interval) => ({ leq_interval: interval }),
  text: itself,
  change: {
    body: { preset: setup.leqInterval.schema },
    required: ['preset'],
    check: ({ preset }) => void setup.leqInterval.normal(preset),
    write: (meter, { preset }, caller) =>
      meter.reserve('set Leq interval', (reservation) => setup.leqInterval.write(reservation, preset), caller),
    query: () => NONE,
    message: (interval) => `The Leq interval is set to ${interval}.`,
  },
});

const lpInterval = row<string, object, Preset>({
  name: 'lp_interval',
  path: 'lp-interval',
  what: 'Lp store interval',
  usual: NONE,
  answer: { lp_interval: setup.lpInterval.schema },
  read: (meter, _query, caller) => setup.lpInterval.read(single(meter, caller)),
  shown: (interval) => ({ lp_interval: interval }),
  text: itself,
  change: {
    body: { preset: setup.lpInterval.schema },
    required: ['preset'],
    write: (meter, { preset }, caller) => setup.lpInterval.write(single(meter, caller), preset),
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
        description: 'YYYY/MM/DD,HH:MM:SS, or with a space instead of the comma; a time that exists',
      },
    },
    required: ['datetime'],
    check({ datetime }) {
      if (!isClockText(withSpace(datetime))) throw invalid([{ path: '/datetime', message: NO_SUCH_TIME }]);
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

/** Only in the list: the plugins of the measurement and of the card have the paths. */
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
  weightingRow('frequency', setup.frequencyWeighting),
  weightingRow('time', setup.timeWeighting),
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
