/** The log of checks with a calibrator. */
import type { schemas } from '../../client/index.ts';
import { givenIn, UNIT, unitPath } from '../command-line.ts';
import type { Command, CommandCall, Option } from '../contract.ts';
import { youngest } from '../list.ts';
import { exactLevel, moment, printed, printedData, table, text } from '../output.ts';
import { timeOf, unitZone } from '../times.ts';

const DETAILS: readonly Option[] = [
  { name: 'time', value: 'TIME', help: 'when: 10m or 2h ago, a date, or a time with its offset (now)' },
  { name: 'calibrator', value: 'TYPE', help: 'type of the calibrator' },
  { name: 'serial', value: 'NUMBER', help: 'serial number of the calibrator' },
  { name: 'certificate', value: 'NUMBER', help: 'number of its certificate' },
  { name: 'valid-until', value: 'DATE', help: 'the last day of the certificate: 2027-03-31' },
  { name: 'by', value: 'NAME', help: 'who made the check (the name of the key)' },
  { name: 'text', value: 'TEXT', help: 'remarks' },
];

export const CALIBRATIONS: readonly Command[] = [
  {
    name: 'calibration add',
    summary: 'Log a check with a calibrator',
    words: [UNIT, { name: 'NOMINAL' }, { name: 'BEFORE' }, { name: 'AFTER', optional: true }],
    options: DETAILS,
    examples: ['slm calibration add roof 94 94.1 94.0 --calibrator NC-75', 'slm calibration add roof 114 113.9'],
    notes: ['Levels in dB. Without AFTER the meter was not adjusted. Nothing is sent to the meter.'],
    run: add,
  },
  {
    name: 'calibration list',
    summary: 'List calibrations, the newest first, and the times that they make doubtful',
    words: [UNIT],
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

const pathOf = (call: CommandCall): string => `${unitPath(call)}/calibrations`;

/** Other words go as they are: the gateway says what is wrong with them. */
const numberOf = (word: string | undefined): number | string | undefined =>
  word === undefined || !/^-?\d+(\.\d+)?$/.test(word) ? word : Number(word);

async function add(call: CommandCall): Promise<undefined> {
  const { NOMINAL, BEFORE, AFTER } = call.words;
  const { time, ...given } = givenIn(call.options, ...DETAILS.map(({ name }) => name));
  const body = {
    nominal_db: numberOf(NOMINAL),
    before_db: numberOf(BEFORE),
    after_db: numberOf(AFTER),
    ...given,
    ...(time !== undefined && { time: await timeOf(time, call.terminal.now(), unitZone(call)) }),
  };
  return printedData(call, call.client().call(pathOf(call), { method: 'POST', body }));
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
  ...[entry.id, moment(entry.time)],
  ...[entry.nominal_db, entry.before_db, entry.after_db].map(exactLevel),
  ...[text(entry.calibrator), text(entry.by), text(entry.text)],
];
