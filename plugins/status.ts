/** The last known values of a meter, from memory: GET status never touches the meter, so it also works with TCP disabled. */
import {
  ageSeconds,
  extending,
  keyedPage,
  LAST_ERROR,
  listQuery,
  NEXT,
  type PageQuery,
  type Reachability,
  START_SOURCE,
  shownAge,
  shownDoubts,
  shownReachability,
  shownUnit,
  shownValues,
  TIME_OR_NULL,
  UNIT,
  type UnitStatus,
  VALUES,
} from '../lib/built-in.ts';
import { type DeviceConfig, orNull, type Plugin, reaches, type Schema } from '../lib/index.ts';

const DATA: Schema = extending(VALUES, 'Status', {
  unit_id: { type: 'string' },
  measurement_start_time: TIME_OR_NULL,
  measurement_start_source: START_SOURCE,
  last_seen: { ...TIME_OR_NULL, description: 'When the meter last gave one of these values.' },
  age_s: {
    type: ['number', 'null'],
    minimum: 0,
    description: 'Seconds since last_seen. In GET live it is the time since measured_at.',
  },
  is_reachable: { type: ['boolean', 'null'], description: 'null: not tried since the gateway started.' },
  consecutive_failures: { type: 'integer', minimum: 0 },
  last_error: orNull(LAST_ERROR),
});

interface Filters extends Partial<PageQuery> {
  readonly units?: string;
  readonly tag?: string;
  readonly state?: string;
  readonly q?: string;
}

const STATE = '(unknown|online|degraded|offline|asleep\\?|wedged)';

const FILTERS: Readonly<Record<string, Schema>> = {
  units: { type: 'string', description: 'Unit ids, with commas between.' },
  tag: { type: 'string', description: 'Units that have this tag.' },
  state: {
    type: 'string',
    pattern: `^${STATE}(,${STATE}){0,9}$`,
    description: 'Any of unknown, online, degraded, offline, asleep?, wedged, with commas between.',
  },
  q: { type: 'string', description: 'Text in id, name or place; upper and lower case are the same.' },
};

/** Without a limit the answer has all units. */
const LIMIT: Schema = { type: 'integer', minimum: 1, maximum: 1_000, description: 'Default: all.' };

const plugin: Plugin = {
  name: 'status',
  about: 'The last known values, without asking a meter',
  register(host) {
    host.route<unknown, Filters>({
      method: 'GET',
      path: '/_status',
      access: 'viewer',
      operation: 'getUnits',
      filtersUnits: true,
      summary: 'Show all meters in one answer, without contacting them',
      description:
        'All units that the API key may see, in one answer unless there is a limit. Levels are numbers here.',
      query: listQuery(FILTERS, { type: 'string', maxLength: 64 }, LIMIT),
      answer: { data: { type: 'array', items: UNIT }, next: NEXT },
      errors: [],
      handle({ identity, query }) {
        const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
        const found = own.filter((config) => matches(config, host.reachability(config.unitId)?.state, query));
        const asked = { limit: Number.POSITIVE_INFINITY, ...query };
        const { page, next } = keyedPage(found, asked, ({ unitId }) => unitId);
        return { data: page.map((config) => shownUnit(host, config)), next };
      },
    });

    host.route({
      method: 'GET',
      path: '/{unit_id}/status',
      access: 'viewer',
      summary: 'Show the last snapshot of a meter without contacting it',
      description: 'Everything is null before the first reading. Works while TCP is disabled.',
      answer: { data: DATA },
      errors: ['UNIT_NOT_FOUND'],
      handle({ unitId }) {
        const config = host.configs.of(unitId);
        return answerOf(config, host.status.of(unitId), host.reachability(unitId));
      },
    });
  },
};
export default plugin;

interface Answered {
  readonly from: readonly unknown[];
  readonly answer: object;
}

/** The last answer about each unit: a dashboard asks more often than a meter changes, so the same answer is given until then. */
const answered = new WeakMap<DeviceConfig, Answered>();

function answerOf(config: DeviceConfig, status: UnitStatus, reachability: Reachability | undefined): object {
  const doubts = shownDoubts(status, config.pollIntervalSeconds);
  const age = ageSeconds(status.age('lastSeen'));
  const from = [status.values, status.levelSettings, reachability, age, ...Object.values(doubts)];
  const last = answered.get(config);
  if (last?.from.every((part, index) => part === from[index])) return last.answer;
  const values = shownValues(status, config.pollIntervalSeconds);
  const data = { unit_id: config.unitId, ...values, ...shownAge(status), ...reach(reachability) };
  const answer = Object.freeze({ data });
  answered.set(config, { from, answer });
  return answer;
}

function matches(config: DeviceConfig, state: string | undefined, filters: Filters): boolean {
  const { unitId, name, place, tags } = config;
  const { units, tag, state: states, q } = filters;
  if (units !== undefined && !units.split(',').includes(unitId)) return false;
  if (tag !== undefined && !tags.includes(tag)) return false;
  if (states !== undefined && !states.split(',').includes(state ?? 'unknown')) return false;
  const text = q?.toLowerCase();
  return text === undefined || [unitId, name, place].some((each) => each?.toLowerCase().includes(text));
}

const reach = (reachability: Reachability | undefined) => {
  const { is_reachable, consecutive_failures, last_error } = shownReachability(reachability);
  return { is_reachable, consecutive_failures, last_error };
};
