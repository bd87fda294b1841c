/** An entry of the log as people give it, checked. */
import { CLOCKS_DIFFER_MS, invalid, MOMENT, momentOf, PLAIN_LINES, PLAIN_TEXT } from '../../lib/built-in.ts';
import { type Host, type Identity, orNull, type Schema } from '../../lib/index.ts';
import { AFTER, BEFORE, type CalibrationBody, NOMINAL, VALID_UNTIL } from './calibration.ts';

/** With a calibrator on the microphone, a meter shows no level further from the nominal level, dB. */
const MOST_DEVIATION = 20;
/** A calibrator sounds for at most this long, ms: its time is excluded. */
const LONGEST_MS = 3_600_000;

const short = (about: string): Schema => ({
  type: 'string',
  maxLength: 100,
  pattern: PLAIN_TEXT,
  description: `${about}: text of up to 100 characters`,
});

/** A request: absent fields do not change. */
export interface CalibrationInput
  extends Partial<Pick<CalibrationBody, 'calibrator' | 'serial' | 'certificate' | 'text'>> {
  readonly time?: string;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly nominal_db?: number;
  readonly before_db?: number;
  readonly after_db?: number | null;
  readonly valid_until?: string | null;
  readonly by?: string;
}
export const CALIBRATION_GIVEN: Readonly<Record<keyof CalibrationInput, Schema>> = {
  time: { ...MOMENT, description: `${MOMENT.description}; default: now` },
  from: orNull({ ...MOMENT, description: 'when the calibrator began to sound; null: not known' }),
  to: orNull({ ...MOMENT, description: 'when it ended; null: not known' }),
  nominal_db: NOMINAL,
  before_db: BEFORE,
  after_db: orNull(AFTER),
  calibrator: short('type of the calibrator'),
  serial: short('serial number of the calibrator'),
  certificate: short('number of its certificate'),
  valid_until: orNull(VALID_UNTIL),
  by: short('who made the check; default: the name of the caller'),
  text: { type: 'string', maxLength: 2_000, pattern: PLAIN_LINES, description: 'text of up to 2,000 characters' },
};

/** Of a check now, as far as nothing is given. */
export const freshCalibration = ({ clock }: Host, { name }: Identity): CalibrationBody => ({
  time: clock.now(),
  begunAt: null,
  endedAt: null,
  nominalDb: 94,
  beforeDb: 94,
  afterDb: null,
  validUntil: null,
  calibrator: '',
  serial: '',
  certificate: '',
  person: name,
  text: '',
});

/** `present` with the given fields. Errors: INVALID. */
export function checkedCalibration(
  { clock }: Host,
  present: CalibrationBody,
  given: CalibrationInput,
): CalibrationBody {
  const body: CalibrationBody = {
    time: given.time === undefined ? present.time : momentOf(given.time, '/time'),
    begunAt: momentOr(given.from, present.begunAt, '/from'),
    endedAt: momentOr(given.to, present.endedAt, '/to'),
    nominalDb: given.nominal_db ?? present.nominalDb,
    beforeDb: given.before_db ?? present.beforeDb,
    afterDb: given.after_db === undefined ? present.afterDb : given.after_db,
    calibrator: given.calibrator ?? present.calibrator,
    serial: given.serial ?? present.serial,
    certificate: given.certificate ?? present.certificate,
    validUntil: given.valid_until === undefined ? present.validUntil : given.valid_until,
    person: given.by ?? present.person,
    text: given.text ?? present.text,
  };
  if (body.time < 0) throw invalid([{ path: '/time', message: 'must not be before 1970' }]);
  if (body.time > clock.now() + CLOCKS_DIFFER_MS)
    throw invalid([{ path: '/time', message: 'must not be in the future' }]);
  const { begunAt, endedAt } = body;
  if ((begunAt === null) !== (endedAt === null))
    throw invalid([{ path: '/to', message: 'from and to belong together' }]);
  if (begunAt !== null && endedAt !== null) {
    if (endedAt <= begunAt) throw invalid([{ path: '/to', message: 'must be after from' }]);
    if (endedAt - begunAt > LONGEST_MS)
      throw invalid([{ path: '/to', message: 'must be at most one hour after from' }]);
    if (endedAt > clock.now() + CLOCKS_DIFFER_MS)
      throw invalid([{ path: '/to', message: 'must not be in the future' }]);
  }
  const shown = { before_db: body.beforeDb, after_db: body.afterDb };
  for (const [name, level] of Object.entries(shown)) {
    if (level !== null && Math.abs(level - body.nominalDb) > MOST_DEVIATION)
      throw invalid([{ path: `/${name}`, message: `is more than ${MOST_DEVIATION} dB from nominal_db` }]);
  }
  return body;
}

const momentOr = (given: string | null | undefined, present: number | null, path: string): number | null =>
  given === undefined ? present : given === null ? null : momentOf(given, path);
