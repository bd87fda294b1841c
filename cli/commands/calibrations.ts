/** The log of checks with a calibrator. */
import type { schemas } from '../../client/index.ts';
import type { Command, CommandCall } from '../contract.ts';
import { youngest } from '../list.ts';
import { exactLevel, moment, printed, table, text } from '../output.ts';
import { timeOf } from '../times.ts';

const UNIT = { name: 'UNIT', completion: 'unit' } as const;

export const CALIBRATIONS: readonly Command[] = [
  {
    name: 'calibration add',
    summary: 'Log a check with a calibrator',
    words: [UNIT, { name: 'NOMINAL' }, { name: 'BEFORE' }, { name: 'AFTER', optional: true }],
    options: [
      { name: 'time', value: 'TIME', help: 'when: 10m or 2h ago, a date, or a time with its offset (now)' },
      { name: 'calibrator', value: 'TYPE', help: 'type of the calibrator' },
      { name: 'serial', value: 'NUMBER', help: 'serial number of the calibrator' },
      { name: 'certificate', value: 'NUMBER', help: 'number of its certificate' },
      { name: 'valid-until', value: 'DATE', help: 'the last day of the certificate: 2027-03-31' },
      { name: 'by', value: 'NAME', help: 'who made the check (the name of the key)' },
      { name: 'text', value: 'TEXT', help: 'remarks' },
    ],
    examples: ['slm calibration add roof 94 94.1 94.0 --calibrator NC-75', 'slm calibration add roof 114 113.9'],
    notes: ['Levels in dB. Without AFTER the meter was not adjusted. Nothing is sent to the meter.'],
    run: add,
  },
  {
    name: 'calibration list',
    summary: 'List calibrations, the newest first, and the times that they make doubtful',
    words: [UNIT],
    options: [],
    examples: ['slm calibration list roof'],
    async run(call) {
      const path = pathOf(call);
      const entries = await youngest<schemas.Calibration>(call, path, {});
      const { doubtful } = await call.client().call<{ doubtful: schemas.DoubtfulTime[] }>(`${path}?limit=1`);
      const head = ['id', 'time', 'nominal', 'before', 'after', 'calibrator', 'by', 'text'];
      return printed(call, { calibrations: entries, doubtful }, () =>
        [table(head, entries.map(rowOf), 'No calibrations.'), ...doubtful.map(doubtfulLine)].join('\n'),
      );
    },
  },
  {
    name: 'calibration measure',
    summary: 'Measure the level of the calibrator that is on the microphone',
    words: [UNIT, { name: 'NOMINAL', optional: true }],
    options: [
      { name: 'seconds', value: 'N', help: 'how long (20)' },
      { name: 'keep', help: 'do not exclude this time from indices and reports' },
    ],
    examples: ['slm calibration measure roof 94'],
    run: measure,
  },
];

const pathOf = ({ words }: CommandCall): string => `/${encodeURIComponent(words.UNIT ?? '')}/calibrations`;

/** Other words go as they are: the gateway says what is wrong with them. */
const numberOf = (word: string | undefined): number | string | undefined =>
  word === undefined || !/^-?\d+(\.\d+)?$/.test(word) ? word : Number(word);

async function add(call: CommandCall): Promise<undefined> {
  const { time, calibrator, serial, certificate, by, text: remarks } = call.options;
  const until = call.options['valid-until'];
  const { NOMINAL, BEFORE, AFTER } = call.words;
  const zoneOf = async () => (await call.client().config(call.words.UNIT ?? '')).timezone;
  const given = { calibrator, serial, certificate, valid_until: until, by, text: remarks };
  const body = {
    nominal_db: numberOf(NOMINAL),
    before_db: numberOf(BEFORE),
    after_db: numberOf(AFTER),
    ...given,
    ...(typeof time === 'string' && { time: await timeOf(time, call.terminal.now(), zoneOf) }),
  };
  const answer = await call
    .client()
    .call<{ message: string; data: schemas.Calibration }>(pathOf(call), { method: 'POST', body });
  return printed(call, answer.data, () => answer.message);
}

async function measure(call: CommandCall): Promise<undefined> {
  const { seconds, keep } = call.options;
  const body = {
    nominal_db: numberOf(call.words.NOMINAL),
    ...(typeof seconds === 'string' && { seconds: numberOf(seconds) }),
    ...(keep === true && { exclude: false }),
  };
  const { data } = await call
    .client()
    .call<{ data: schemas.CalibratorLevel }>(`${pathOf(call)}/measure`, { method: 'POST', body });
  return printed(call, data, () => {
    const deviation = data.deviation_db === null ? '' : `, ${exactLevel(data.deviation_db)} dB from the nominal level`;
    const steady = data.steady ? 'steady' : `not steady: it moved by ${exactLevel(data.spread_db)} dB`;
    return `${exactLevel(data.level_db)} dB${deviation}, ${steady}${data.over_range ? ', over the range' : ''}`;
  });
}

const doubtfulLine = ({ from, to, drift_db }: schemas.DoubtfulTime): string =>
  `Doubtful from ${moment(from)} to ${moment(to)}: drift of ${exactLevel(drift_db)} dB`;

const rowOf = (entry: schemas.Calibration): string[] => [
  ...[
    entry.id,
    moment(entry.time),
    exactLevel(entry.nominal_db),
    exactLevel(entry.before_db),
    exactLevel(entry.after_db),
  ],
  ...[text(entry.calibrator), text(entry.by), text(entry.text)],
];
