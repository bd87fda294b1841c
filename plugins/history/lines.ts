/** The last minutes of all meters in one answer, for small lines in a list: one request, however many meters there are. */
import { type Host, iso, named, type Request, reaches, type Schema, TIME, tables } from '../../lib/index.ts';
import type { HistorySettings } from './schemas.ts';

const STEP_S = 10;
const MINUTES = 10;
/** Meters whose rows are read at the same time. */
const AT_ONCE = 8;
const COLUMNS = tables.columnsOf('leq,lp');

const LINES: Schema = named('HistoryLines', {
  from: { ...TIME, description: 'Beginning of the first level of each line.' },
  step_s: { type: 'integer', description: 'Seconds from one level to the next.' },
  units: {
    type: 'array',
    description: 'Units of which something is recorded.',
    items: named('HistoryLine', {
      unit_id: { type: 'string' },
      levels: {
        type: 'array',
        items: { type: ['number', 'null'] },
        description: 'dB: Leq, or the mean of single readings; null: no data.',
      },
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
  const units: { readonly unit_id: string; readonly levels: readonly (number | null)[] }[] = [];
  for (let first = 0; first < own.length; first += AT_ONCE) {
    const some = own.slice(first, first + AT_ONCE).map(async ({ unitId }) => {
      const { rows } = await history.query({ unitId, over: { from, to, step: STEP_S } }, caller.signal);
      const levels: (number | null)[] = [];
      for await (const page of rows) for (const row of page) levels.push(lineLevelOf(row));
      return { unit_id: unitId, levels };
    });
    units.push(...(await Promise.all(some)).filter(({ levels }) => levels.some((level) => level !== null)));
  }
  return { from: iso(from * 1_000), step_s: STEP_S, units };
}

/** dB, in tenths. */
function lineLevelOf(row: Parameters<typeof tables.cellsOf>[0]): number | null {
  if ('unknown' in COLUMNS) return null;
  const [, leq, lp] = tables.cellsOf(row, COLUMNS);
  const level = leq ?? lp;
  return typeof level === 'number' ? Math.round(level * 10) / 10 : null;
}
