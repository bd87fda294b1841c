/** Recordings of sound by the time in which they were made, of all units that the caller may see. */
import {
  type Host,
  type Identity,
  iso,
  listQuery,
  MOMENT,
  NEXT,
  named,
  openSpanOf,
  type PageQuery,
  pageOf,
  reaches,
  type Schema,
  TIME,
  unitIds,
} from '../../../lib/index.ts';
import type { MirrorStore } from '../store.ts';
import type { RecordingRow } from '../tables.ts';

interface RecordingQuery extends PageQuery {
  readonly unit?: string;
  readonly from?: string;
  readonly to?: string;
}

const RECORDING: Schema = named('SoundRecording', {
  unit_id: { type: 'string' },
  path: { type: 'string', description: 'On the card. GET files/content takes it with `card` and `sha256`.' },
  card: { type: 'integer', minimum: 1 },
  sha256: { type: 'string' },
  size: { type: 'integer', minimum: 0, description: 'Bytes.' },
  from: { ...TIME, description: 'From the time in the name of the file and readings of the clock of the meter.' },
  to: { ...TIME, description: '`from` and the length of the sound.' },
  uncertainty_s: { type: 'number', description: 'Both times may be so much earlier or later.' },
});

const shown = ({ unitId, path, card, sha256, size, began, ended, earliest }: RecordingRow) => ({
  unit_id: unitId,
  path,
  card,
  sha256,
  size,
  from: iso(began),
  to: iso(ended),
  uncertainty_s: began === null ? 0 : (began - earliest) / 1_000,
});

const QUERY = listQuery(
  {
    unit: { type: 'string', pattern: unitIds(100), description: 'units, separated by commas' },
    from: MOMENT,
    to: MOMENT,
  },
  { type: 'string', pattern: '^[0-9]{1,15}-[0-9a-f]{40}$' },
);

/** `GET /_recordings`. */
export function recordingRoutes(host: Host, store: MirrorStore): void {
  host.route<unknown, RecordingQuery>({
    method: 'GET',
    path: '/_recordings',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listRecordings',
    summary: 'List copied recordings of sound that overlap a span, the newest first',
    description:
      'WAV files of the cards, once their copies are whole. A recording whose time may overlap the span is in the list, too. Recordings without a known time are not: `without_time` counts them, and GET files lists all copies. The meters are not asked.',
    query: QUERY,
    answer: {
      data: { type: 'array', items: RECORDING },
      next: NEXT,
      without_time: {
        type: 'integer',
        minimum: 0,
        description: 'Copied recordings of these units with no known time.',
      },
    },
    etag: true,
    errors: [],
    async handle({ query, identity }) {
      const units = unitsOf(identity, query.unit?.split(','));
      const [before = '', id = ''] = query.cursor?.split('-') ?? [];
      const after = query.cursor === undefined ? undefined : { began: Number(before), id };
      const found = await store.recordings(units, { ...openSpanOf(query), after, limit: query.limit + 1 });
      const { page, next } = pageOf(found, query.limit, (row) => `${row.began}-${row.id}`);
      return { data: page.map(shown), next, without_time: await store.countUntimed(units) };
    },
  });
}

/** Undefined: all units. */
function unitsOf(identity: Identity, wanted: readonly string[] | undefined): readonly string[] | undefined {
  if (identity.units === null) return wanted;
  return (wanted ?? identity.units).filter((unitId) => reaches(identity, unitId));
}
