/** The log of a unit, in SLMM's levels and categories. */
import { type SlmmRoute, type SlmmValues, slmmRoute } from './route.ts';

const PAGE = 1_000;

interface Entry {
  readonly id: string;
  readonly time: string;
  readonly kind: string;
  readonly text: string;
  readonly outcome: string | null;
}

const CATEGORIES: Readonly<Record<string, string>> = {
  command: 'COMMAND',
  connection: 'TCP',
  reachability: 'TCP',
  file: 'FTP',
  state: 'STATE',
};

const shown = ({ id, time, kind, text, outcome }: Entry) => {
  const isWell = outcome === null || outcome === 'ok';
  return {
    id: Number(id),
    timestamp: time,
    level: isWell ? 'INFO' : 'ERROR',
    category: CATEGORIES[kind] ?? 'GENERAL',
    message: isWell ? text : `${text}: ${outcome}`,
  };
};

type Shown = ReturnType<typeof shown>;

const counts = (entries: readonly Shown[], name: 'level' | 'category'): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const entry of entries) found[entry[name]] = (found[entry[name]] ?? 0) + 1;
  return found;
};

/** From the newest entries, at most a page of the gateway. */
const logs = slmmRoute(
  'GET',
  '/{unit_id}/logs',
  'viewer',
  {
    query: {
      limit: { type: 'integer', minimum: 1, maximum: PAGE, default: 100 },
      offset: { type: 'integer', minimum: 0, default: 0 },
      level: { type: 'string' },
      category: { type: 'string' },
    },
  },
  async (request, { ask }) => {
    const {
      limit,
      offset,
      level = null,
      category = null,
    } = request.query as SlmmValues & { limit: number; offset: number };
    const { data } = await ask(request, { method: 'GET', path: '/{unit_id}/log', query: { limit: PAGE } });
    const all = (data as readonly Entry[]).map(shown);
    const isWanted = (value: string, wanted: unknown) => wanted === null || value === String(wanted).toUpperCase();
    const found = all.filter((entry) => isWanted(entry.level, level) && isWanted(entry.category, category));
    const page = found.slice(offset, offset + limit);
    return {
      unit_id: request.unitId,
      logs: page,
      count: page.length,
      stats: {
        total: all.length,
        by_level: counts(all, 'level'),
        by_category: counts(all, 'category'),
        oldest: all.at(-1)?.timestamp ?? null,
        newest: all[0]?.timestamp ?? null,
      },
      filters: { level, category },
      pagination: { limit, offset },
    };
  },
);

export const LOG_ROUTES: readonly SlmmRoute[] = [logs];
