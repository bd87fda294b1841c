/** The routes of the log of calibrations. */
import {
  type Caller,
  GatewayError,
  type Host,
  type Identity,
  invalid,
  isGatewayError,
  iso,
  json,
  type Meter,
  momentOf,
  NEXT,
  pageOf,
  reaches,
  settable,
} from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import type { Calibration, CalibrationBody, Calibrations } from './contract.ts';
import { DOUBTFUL, shownDoubtful } from './doubtful.ts';
import { measureCalibrator } from './measure.ts';
import {
  ALL_CALIBRATIONS_QUERY,
  CALIBRATION,
  CALIBRATION_ID,
  CALIBRATIONS_QUERY,
  type CalibrationInput,
  type CalibrationsQuery,
  CHANGED_CALIBRATION,
  MEASURE,
  MEASURED,
  type MeasureInput,
  NEW_CALIBRATION,
  SHOWN_ONLY,
  shownCalibration,
} from './schemas.ts';

/** The clocks of two computers may differ by this much; a later time is in the future, ms. */
const CLOCKS_MS = 60_000;
/** The most entries of a page that has all their versions. */
const WITH_VERSIONS = 50;
/** With a calibrator on the microphone, a meter shows no level further from the nominal level, dB. */
const MOST_DEVIATION = 20;

export function addCalibrationRoutes(host: Host, calibrations: Calibrations, notes: Notes): void {
  addLists(host, calibrations);
  addCreation(host, calibrations);
  addChanges(host, calibrations);
  addMeasurement(host, notes);
}

function addLists(host: Host, calibrations: Calibrations): void {
  host.route<unknown, CalibrationsQuery>({
    method: 'GET',
    path: '/{unit_id}/calibrations',
    access: 'viewer',
    operation: 'listCalibrations',
    summary: 'List the calibrations of a unit, the newest first',
    description: '`doubtful`: the times between two checks that differ by more than the setting calibration_drift_db.',
    query: CALIBRATIONS_QUERY,
    answer: {
      data: { type: 'array', items: CALIBRATION },
      doubtful: { type: 'array', items: DOUBTFUL },
      next: NEXT,
    },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
      const doubtful = calibrations.doubtful(unitId, all).map(shownDoubtful);
      return { ...(await pageOfLog(calibrations, query, unitId)), doubtful };
    },
  });
  host.route<unknown, CalibrationsQuery>({
    method: 'GET',
    path: '/_calibrations',
    access: 'viewer',
    operation: 'listAllCalibrations',
    filtersUnits: true,
    summary: 'List the calibrations of all units, the newest first',
    description: 'Of the units that the API key may see.',
    query: ALL_CALIBRATIONS_QUERY,
    answer: { data: { type: 'array', items: CALIBRATION }, next: NEXT },
    etag: true,
    errors: [],
    handle: ({ query, identity }) => pageOfLog(calibrations, query, query.unit, identity),
  });
}

async function pageOfLog(
  calibrations: Calibrations,
  query: CalibrationsQuery,
  unitId: string | undefined,
  identity?: Identity,
) {
  const { limit, cursor, versions } = query;
  const seen = calibrations
    .list(unitId, { removed: versions })
    .filter((entry) => !identity || reaches(identity, entry.unitId));
  const last = cursor === undefined ? -1 : seen.findIndex(({ id }) => id === Number(cursor));
  if (cursor !== undefined && last < 0)
    throw invalid([{ path: '/cursor', message: 'is of an entry that was removed: begin with the first page' }]);
  const { page, next } = pageOf(
    seen.slice(last + 1),
    versions ? Math.min(limit, WITH_VERSIONS) : limit,
    ({ id }) => id,
  );
  const ids = page.map(({ id }) => id);
  const byId = versions ? Map.groupBy(await calibrations.versions(ids), ({ id }) => id) : undefined;
  return { data: page.map((entry) => shownCalibration(entry, byId?.get(entry.id) ?? null)), next };
}

const ANSWER = { message: { type: 'string' }, data: CALIBRATION } as const;

function addCreation(host: Host, calibrations: Calibrations): void {
  host.route<CalibrationInput, unknown>({
    method: 'POST',
    path: '/{unit_id}/calibrations',
    access: 'operator',
    operation: 'createCalibration',
    summary: 'Log a check with a calibrator',
    description: 'Nothing is sent to the meter: the adjustment is made at its keys.',
    body: NEW_CALIBRATION,
    answer: ANSWER,
    statuses: [201],
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, body, identity }) {
      host.configs.of(unitId);
      const checked = checkedBody(host, freshBody(host, identity), body);
      const entry = await calibrations.add(unitId, checked, identity.name);
      const message = `The calibration ${entry.id} is logged.`;
      const location = `/${unitId}/calibrations/${entry.id}`;
      return json({ message, data: shownCalibration(entry) }, { status: 201, location });
    },
  });
}

function addChanges(host: Host, calibrations: Calibrations): void {
  const about = {
    path: '/{unit_id}/calibrations/{id}',
    params: CALIBRATION_ID,
    access: 'operator',
    answer: ANSWER,
    errors: ['UNIT_NOT_FOUND', 'CALIBRATION_NOT_FOUND'],
  } as const;
  host.route<CalibrationInput, unknown>({
    ...about,
    method: 'PUT',
    operation: 'changeCalibration',
    summary: 'Correct an entry of the log',
    description: 'An absent field does not change. The change is a new version; `versions=true` of the list shows all.',
    body: CHANGED_CALIBRATION,
    async handle({ unitId, params, body, identity, before }) {
      const present = found(host, calibrations, unitId, params.id);
      before(shownCalibration(present));
      const checked = checkedBody(host, present, settable(body, SHOWN_ONLY, String(present.id)));
      const entry = await calibrations.change(present.id, checked, identity.name);
      return { message: `The calibration ${entry.id} is changed.`, data: shownCalibration(entry) };
    },
  });
  host.route({
    ...about,
    method: 'DELETE',
    operation: 'removeCalibration',
    summary: 'Remove an entry of the log',
    description: 'All its versions stay and are shown with `versions=true`.',
    async handle({ unitId, params, identity, before }) {
      const present = found(host, calibrations, unitId, params.id);
      before(shownCalibration(present));
      const entry = await calibrations.remove(present.id, identity.name);
      return { message: `The calibration ${entry.id} is removed.`, data: shownCalibration(entry) };
    },
  });
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
          note: exclude ? await exclusionOf(notes, unitId, heard, identity.name) : null,
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

/** The id of the exclusion for this time: a new exclusion, or one that a person wrote for the check, made longer if necessary. */
async function exclusionOf(notes: Notes, unitId: string, { from, to }: { from: number; to: number }, by: string) {
  const present = notes
    .list(unitId)
    .find(
      (note) =>
        note.kind === 'exclusion' &&
        note.reason === 'calibration' &&
        note.channels === null &&
        note.from < to &&
        (note.to ?? to) > from,
    );
  if (present) {
    const { kind, reason, text, channels, observed } = present;
    const span = { from: Math.min(present.from, from), to: present.to === null ? null : Math.max(present.to, to) };
    const isShorter = span.from !== present.from || span.to !== present.to;
    if (isShorter) await notes.change(present.id, { ...span, kind, reason, text, channels, observed }, by);
    return String(present.id);
  }
  const text = 'A calibrator was measured.';
  const body = { from, to, kind: 'exclusion', reason: 'calibration', text, channels: null, observed: false } as const;
  return String((await notes.add(unitId, body, by)).id);
}

/** Errors: UNIT_NOT_FOUND, CALIBRATION_NOT_FOUND, also for a calibration of another unit. */
function found(host: Host, calibrations: Calibrations, unitId: string, id: string | undefined): Calibration {
  host.configs.of(unitId);
  const entry = calibrations.find(Number(id));
  if (entry?.unitId !== unitId)
    throw new GatewayError('CALIBRATION_NOT_FOUND', `There is no calibration ${id} of ${unitId}.`);
  return entry;
}

const freshBody = ({ clock }: Host, { name }: Identity): CalibrationBody => ({
  time: clock.now(),
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
function checkedBody({ clock }: Host, present: CalibrationBody, given: CalibrationInput): CalibrationBody {
  const body: CalibrationBody = {
    time: given.time === undefined ? present.time : momentOf(given.time, '/time'),
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
  if (body.time > clock.now() + CLOCKS_MS) throw invalid([{ path: '/time', message: 'must not be in the future' }]);
  const shown = { before_db: body.beforeDb, after_db: body.afterDb };
  for (const [name, level] of Object.entries(shown)) {
    if (level !== null && Math.abs(level - body.nominalDb) > MOST_DEVIATION)
      throw invalid([{ path: `/${name}`, message: `is more than ${MOST_DEVIATION} dB from nominal_db` }]);
  }
  return body;
}
