/** Routes of the assistant of a calibration, and of calibrators that nobody announced. */
import { invalid, shownVersions } from '../../lib/built-in.ts';
import {
  daysIn,
  GatewayError,
  type Host,
  iso,
  named,
  orNull,
  type Schema,
  SPAN,
  spanOf,
  TIME,
} from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import type { Assisted, CalibrationAssistants } from './assistant.ts';
import { CALIBRATION, CALIBRATION_VERSIONS, NOMINAL } from './calibration.ts';
import { CALIBRATION_GIVEN, type CalibrationInput, checkedCalibration, freshCalibration } from './checked.ts';
import { unannounced } from './proposals.ts';
import type { CalibrationRecords } from './records.ts';
import type { Tone } from './tones.ts';

const MOST_DAYS = 31;
const DAY_MS = 86_400_000;

const TONE: Schema = named('CalibratorTone', {
  from: TIME,
  to: TIME,
  level_db: { type: 'number', description: 'Energetic mean, dB.' },
  spread_db: { type: 'number', description: 'The highest less the lowest level, dB.' },
  nominal_db: { type: 'number', description: 'Level of the calibrator, dB: the nearest known one.' },
  deviation_db: { type: 'number', description: 'level_db less nominal_db.' },
});
const ASSISTED: Schema = named('AssistedCalibration', {
  from: TIME,
  ends_at: { ...TIME, description: 'An assistant that nobody ends is over then.' },
  by: { type: 'string', description: 'The person who began it.' },
  note: { type: 'string', description: 'The id of its exclusion.' },
  nominal_db: NOMINAL,
  tones: { type: 'array', items: TONE, description: 'Found so far, the oldest first.' },
});

const shownTone = ({ from, to, level, spread, nominal }: Tone) => ({
  from: iso(from * 1_000),
  to: iso(to * 1_000),
  level_db: level,
  spread_db: spread,
  nominal_db: nominal,
  deviation_db: Math.round((level - nominal) * 100) / 100,
});
const shownAssisted = ({ from, endsAt, by, note, nominal, tones }: Assisted) => ({
  from: iso(from),
  ends_at: iso(endsAt),
  by,
  note: String(note),
  nominal_db: nominal,
  tones: tones.map(shownTone),
});

interface Parts {
  readonly host: Host;
  readonly calibrations: CalibrationRecords;
  readonly notes: Notes;
  readonly assistants: CalibrationAssistants;
}

export function addAssistant(parts: Parts): void {
  addStart(parts);
  addEnd(parts);
  addProposals(parts);
}

function addStart({ host, calibrations, assistants }: Parts): void {
  const about = { path: '/{unit_id}/calibrations/assistant', answer: { data: orNull(ASSISTED) } } as const;
  const shown = (unitId: string) => {
    const found = assistants.of(unitId);
    return { data: found ? shownAssisted(found) : null };
  };
  host.route({
    ...about,
    method: 'GET',
    access: 'viewer',
    operation: 'showCalibrationAssistant',
    summary: 'Show the calibration that goes on, with the tones that were found',
    description: 'null: none goes on.',
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      host.configs.of(unitId);
      return shown(unitId);
    },
  });
  host.route<{ readonly nominal_db?: number }, unknown>({
    ...about,
    method: 'POST',
    access: 'operator',
    operation: 'startCalibration',
    summary: 'Start a calibration: this time is excluded, and the tone is looked for',
    description:
      'The exclusion begins now, so rules are quiet. It ends with the calibration, after half an hour at the latest. A calibration that goes on continues. Without `nominal_db` the level of the last calibration counts.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { nominal_db: NOMINAL },
      example: { nominal_db: 94 },
    },
    bodyMayBeAbsent: true,
    errors: ['UNIT_NOT_FOUND', 'TCP_DISABLED', 'NOT_SUPPORTED'],
    async handle({ unitId, body, identity }) {
      const [last] = calibrations.list(unitId);
      await assistants.start(host.meter(unitId), body?.nominal_db ?? last?.nominalDb ?? 94, identity.name);
      return shown(unitId);
    },
  });
}

function addEnd({ host, calibrations, assistants }: Parts): void {
  host.route<CalibrationInput | undefined, unknown>({
    method: 'POST',
    path: '/{unit_id}/calibrations/assistant/end',
    access: 'operator',
    operation: 'endCalibration',
    summary: 'End a calibration, and log it with the tones that were found',
    description:
      'Logged: the time from the first tone to the last one, the level of the first (`before_db`), and of the last if another tone followed (`after_db`). Fields of the body count before these, calibrator and certificate are those of the last calibration. Without a tone and `before_db` nothing is logged.',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: CALIBRATION_GIVEN,
      example: { calibrator: 'NC-75' },
    },
    bodyMayBeAbsent: true,
    answer: { message: { type: 'string' }, data: orNull(CALIBRATION) },
    errors: ['UNIT_NOT_FOUND', 'CALIBRATION_NOT_FOUND'],
    async handle({ unitId, body = {}, identity }) {
      host.configs.of(unitId);
      const found = assistants.of(unitId);
      if (!found) throw new GatewayError('CALIBRATION_NOT_FOUND', `No calibration of ${unitId} goes on.`);
      const [first, last] = [found.tones[0], found.tones.at(-1)];
      if (!first && body.before_db === undefined) {
        await assistants.end(unitId, identity.name);
        return { message: 'The calibration has ended. No steady tone was found, so nothing is logged.', data: null };
      }
      const [before] = calibrations.list(unitId);
      const fresh = {
        ...freshCalibration(host, identity),
        ...(before && {
          calibrator: before.calibrator,
          serial: before.serial,
          certificate: before.certificate,
          validUntil: before.validUntil,
        }),
        nominalDb: first?.nominal ?? found.nominal,
        beforeDb: first?.level ?? found.nominal,
        afterDb: last && last !== first ? last.level : null,
        ...(first && last && { time: first.from * 1_000, begunAt: first.from * 1_000, endedAt: last.to * 1_000 }),
      };
      const entry = await calibrations.add(unitId, checkedCalibration(host, fresh, body), identity.name);
      await assistants.end(unitId, identity.name);
      return {
        message: `The calibration ${entry.id} is logged.`,
        data: shownVersions(CALIBRATION_VERSIONS.fields, entry),
      };
    },
  });
}

function addProposals({ host, calibrations, notes }: Parts): void {
  host.route<unknown, { readonly from: string; readonly to: string }>({
    method: 'GET',
    path: '/{unit_id}/calibrations/proposals',
    access: 'viewer',
    operation: 'proposeCalibrations',
    summary: 'Find the tones of calibrators that nobody announced',
    description:
      'Steady tones near 94 or 114 dB in the recorded seconds that the log of calibrations does not have. At most 31 days. POST calibrations with the times and levels of a tone logs it and excludes its time.',
    query: SPAN,
    answer: { data: { type: 'array', items: TONE } },
    cost: ({ query }) => daysIn(query),
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query, caller }) {
      host.configs.of(unitId);
      const span = spanOf(query);
      if (span.to - span.from > MOST_DAYS * DAY_MS)
        throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
      const tones = await unannounced(
        { clock: host.clock, history: host.history, calibrations, notes },
        unitId,
        span,
        caller.signal,
      );
      return { data: tones.map(shownTone) };
    },
  });
}
