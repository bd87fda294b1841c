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
  NEXT,
  pageOf,
  reaches,
  settable,
} from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import { checkedCalibration, freshCalibration } from './checked.ts';
import type { Calibration, Calibrations } from './contract.ts';
import { DOUBTFUL, shownDoubtful } from './drift.ts';
import { excludeCalibration, excludeSpan } from './excluding.ts';
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

/** The most entries of a page that has all their versions. */
const WITH_VERSIONS = 50;
export function addCalibrationRoutes(host: Host, calibrations: Calibrations, notes: Notes): void {
  addLists(host, calibrations);
  addCreation(host, calibrations, notes);
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

function addCreation(host: Host, calibrations: Calibrations, notes: Notes): void {
  host.route<CalibrationInput, unknown>({
    method: 'POST',
    path: '/{unit_id}/calibrations',
    access: 'operator',
    operation: 'createCalibration',
    summary: 'Log a check with a calibrator',
    description:
      'Nothing is sent to the meter: the adjustment is made at its keys. With `from` and `to` this time is excluded, too.',
    body: NEW_CALIBRATION,
    answer: ANSWER,
    statuses: [201],
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, body, identity }) {
      host.configs.of(unitId);
      const checked = checkedCalibration(host, freshCalibration(host, identity), body);
      const entry = await calibrations.add(unitId, checked, identity.name);
      await excludeSpan(notes, entry, identity.name);
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
      const checked = checkedCalibration(host, present, settable(body, SHOWN_ONLY, String(present.id)));
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

/** Errors: UNIT_NOT_FOUND, CALIBRATION_NOT_FOUND, also for a calibration of another unit. */
function found(host: Host, calibrations: Calibrations, unitId: string, id: string | undefined): Calibration {
  host.configs.of(unitId);
  const entry = calibrations.find(Number(id));
  if (entry?.unitId !== unitId)
    throw new GatewayError('CALIBRATION_NOT_FOUND', `There is no calibration ${id} of ${unitId}.`);
  return entry;
}
