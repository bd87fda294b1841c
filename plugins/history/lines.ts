/** The last minutes of all meters for small lines in a list: one request for any number of meters. */
import {
  type Host,
  iso,
  named,
  orNull,
  type Request,
  reaches,
  type Schema,
  TIME,
  tables,
  WEIGHTING,
} from '../../lib/index.ts';
import type { HistorySettings } from './schemas.ts';

const STEP_S = 10;
const MINUTES = 10;
/** Meters whose rows are read at the same time. */
const AT_ONCE = 8;

const LINES: Schema = named('HistoryLines', {
  from: { ...TIME, description: 'Beginning of the first level of each line.' },
  step_s: { type: 'integer', description: 'Seconds from one level to the next.' },
  units: {
    type: 'array',
    description: 'Units that are recorded.',
    items: named('HistoryLine', {
      unit_id: { type: 'string' },
      levels: {
        type: 'array',
        items: { type: ['number', 'null'] },
        description: 'dB: Leq, or the mean of single readings if nothing was measured; null: no data.',
      },
      quantity: {
        type: 'string',
        enum: ['leq', 'lp', 'mixed'],
        description: 'The kind of the levels: Leq, means of single readings, or some of both.',
      },
      weighting: { ...orNull(WEIGHTING), description: 'Of all levels of the line.' },
    }),
  },
});

/** `GET /_history/lines`. */
export function addLines(host: Host<HistorySettings>): void {
  host.route({
    method: 'GET',
    path: '/_history/lines',
    operation: 'getHistoryLines',
    access: 'viewer',
    filtersUnits: true,
    summary: `Show the last ${MINUTES} minutes of all meters`,
    description: `Levels of ${STEP_S} s of each unit that the API key may see and that is recorded. No meter is contacted.`,
    answer: { data: LINES },
    errors: [],
    handle: async (request) => ({ data: await linesOf(host, request) }),
  });
}

async function linesOf({ clock, configs, history }: Host<HistorySettings>, { identity, caller }: Request) {
  const to = Math.floor(clock.now() / 1_000 / STEP_S) * STEP_S;
  const from = to - MINUTES * 60;
  const own = configs.list().filter(({ unitId, history }) => history !== 'off' && reaches(identity, unitId));
  const units: Line[] = [];
  for (let first = 0; first < own.length; first += AT_ONCE) {
    const some = own.slice(first, first + AT_ONCE).map(async ({ unitId }) => {
      const answer = await history.query({ unitId, over: { from, to, step: STEP_S } }, caller.signal);
      return lineOf(unitId, answer);
    });
    units.push(...(await Promise.all(some)).filter(({ levels }) => levels.some((level) => level !== null)));
  }
  return { from: iso(from * 1_000), step_s: STEP_S, units };
}

interface Line {
  readonly unit_id: string;
  readonly levels: readonly (number | null)[];
  readonly quantity: 'leq' | 'lp' | 'mixed';
  readonly weighting: object | null;
}

async function lineOf(
  unitId: string,
  { rows, weighting }: Awaited<ReturnType<Host['history']['query']>>,
): Promise<Line> {
  const levels: (number | null)[] = [];
  let [means, readings] = [0, 0];
  for await (const page of rows)
    for (const { leq, lp } of page) {
      levels.push(tenths(leq ?? lp));
      if (leq !== null) means += 1;
      else if (lp !== null) readings += 1;
    }
  const quantity = readings === 0 ? 'leq' : means === 0 ? 'lp' : 'mixed';
  return { unit_id: unitId, levels, quantity, weighting };
}

/** dB. */
const tenths = (level: number | null): number | null => (level === null ? null : tables.shownTenths(level));
