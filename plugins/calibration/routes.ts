/** The routes of the log of calibrations. */
import { invalid, type VersionedThings } from '../../lib/built-in.ts';
import {
  addVersionedRoutes,
  type Caller,
  type Host,
  isGatewayError,
  iso,
  type Meter,
  named,
  orNull,
  type Schema,
  TIME,
} from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import { CALIBRATION, CALIBRATION_VERSIONS, type Calibration, NOMINAL } from './calibration.ts';
import { CALIBRATION_GIVEN, type CalibrationInput, checkedCalibration, freshCalibration } from './checked.ts';
import { DOUBTFUL, shownDoubtful } from './drift.ts';
import { excludeCalibration, excludeSpan } from './excluding.ts';
import { measureCalibrator } from './measure.ts';
import type { CalibrationRecords } from './records.ts';

const WORDS = {
  list: {
    operation: 'listCalibrations',
    summary: 'List the calibrations of a unit, the newest first',
    description: '`doubtful`: the times between two checks that differ by more than the setting calibration_drift_db.',
  },
  listAll: {
    operation: 'listAllCalibrations',
    summary: 'List the calibrations of all units, the newest first',
    description: 'Of the units that the API key may see.',
  },
  create: {
    operation: 'createCalibration',
    summary: 'Log a check with a calibrator',
    description:
      'Nothing is sent to the meter: the adjustment is made at its keys. With `from` and `to` this time is excluded, too.',
  },
  change: {
    operation: 'changeCalibration',
    summary: 'Correct an entry of the log',
    description: 'An absent field does not change. The change is a new version; `versions=true` of the list shows all.',
  },
  remove: {
    operation: 'removeCalibration',
    summary: 'Remove an entry of the log',
    description: 'All its versions stay and are shown with `versions=true`.',
  },
};

export function addCalibrationRoutes(host: Host, records: CalibrationRecords, notes: Notes): void {
  addVersionedRoutes(host, {
    records,
    path: 'calibrations',
    noun: 'calibration',
    notFound: 'CALIBRATION_NOT_FOUND',
    fields: CALIBRATION_VERSIONS.fields,
    schema: CALIBRATION,
    given: CALIBRATION_GIVEN,
    required: ['nominal_db', 'before_db'],
    examples: {
      create: {
        nominal_db: 94,
        before_db: 94.1,
        after_db: 94,
        calibrator: 'NC-75',
        serial: '34512345',
        valid_until: '2027-03-31',
        by: 'A. Weber',
      },
      change: { certificate: 'D-K-12345' },
    },
    filters: {},
    behind(seen, cursor) {
      const last = seen.findIndex(({ id }) => id === cursor);
      if (last >= 0) return seen.slice(last + 1);
      throw invalid([{ path: '/cursor', message: 'is of an entry that was removed: begin with the first page' }]);
    },
    beside: {
      schema: { doubtful: { type: 'array', items: DOUBTFUL } },
      of(unitId) {
        const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
        return { doubtful: records.doubtful(unitId, all).map(shownDoubtful) };
      },
    },
    contentOf: (given, present, { identity }) =>
      checkedCalibration(host, present ?? freshCalibration(host, identity), given),
    added: (entry, by) => excludeSpan(notes, entry, by),
    titleOf: ({ id }) => `The calibration ${id}`,
    made: 'logged',
    words: WORDS,
  } satisfies VersionedThings<Calibration, CalibrationInput>);
  addMeasurement(host, notes);
}

const MEASURED: Schema = named('CalibratorLevel', {
  from: TIME,
  to: TIME,
  frames: { type: 'integer', description: 'Levels that were read, ten a second.' },
  level_db: { type: 'number', description: 'Energetic mean of Lp, dB.' },
  spread_db: { type: 'number', description: 'The highest less the lowest Lp, dB.' },
  steady: { type: 'boolean', description: 'The spread is at most 0.3 dB, as of a calibrator.' },
  over_range: { type: 'boolean', description: 'The level was above the range of the meter.' },
  weighting: orNull({ type: 'string', description: 'Of the main channel, such as AF; null: not known.' }),
  deviation_db: orNull({ type: 'number', description: 'level_db less nominal_db; null: no nominal_db was given.' }),
  note: orNull({ type: 'string', description: 'The exclusion of this time; null: none was wanted.' }),
});
const MEASURE: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    seconds: { type: 'integer', minimum: 5, maximum: 60, default: 20, description: 'how long the stream is read' },
    nominal_db: NOMINAL,
    exclude: { type: 'boolean', default: true, description: 'whether this time is excluded from indices and reports' },
  },
  example: { seconds: 20, nominal_db: 94 },
};
interface MeasureInput {
  readonly seconds: number;
  readonly nominal_db?: number;
  readonly exclude: boolean;
}

function addMeasurement(host: Host, notes: Notes): void {
  host.route<MeasureInput, unknown>({
    method: 'POST',
    path: '/{unit_id}/calibrations/measure',
    access: 'operator',
    operation: 'measureCalibrator',
    summary: 'Measure the level of the calibrator that is on the microphone',
    description:
      'Reads the stream for some seconds and answers its mean, spread and weighting. Nothing is logged; the time is excluded from indices and reports unless `exclude` is false.',
    body: MEASURE,
    bodyMayBeAbsent: true,
    answer: { data: MEASURED },
    errors: ['UNIT_NOT_FOUND', 'TCP_DISABLED', 'NOT_SUPPORTED', 'DEVICE_TIMEOUT'],
    async handle({ unitId, body: { seconds, nominal_db, exclude }, identity, caller }) {
      const meter = host.meter(unitId);
      const heard = await measureCalibrator(meter, seconds, host.clock, caller.signal);
      const weighting = await weightingOf(meter, caller);
      return {
        data: {
          from: iso(heard.from),
          to: iso(heard.to),
          frames: heard.frames,
          level_db: heard.level,
          spread_db: heard.spread,
          steady: heard.steady,
          over_range: heard.overRange,
          weighting,
          deviation_db: nominal_db === undefined ? null : Math.round((heard.level - nominal_db) * 100) / 100,
          note: exclude ? String(await excludeCalibration(notes, unitId, heard, identity.name)) : null,
        },
      };
    },
  });
}

/** The weighting that the meter reports now; null if it cannot. A measurement is useful even without it. */
async function weightingOf(meter: Meter, caller: Caller): Promise<string | null> {
  if (!meter.can('weightings')) return null;
  try {
    const { frequency, time } = await meter.perform('weightings', caller);
    return `${frequency}${time}`;
  } catch (error) {
    if (isGatewayError(error)) return null;
    throw error;
  }
}
