/** The seals of local days by the API, and one row of a sealed day proved alone: its line, and the hashes that lead to the seal. */
import { invalid, MOMENT, momentOf, type StoredKind, zones } from '../../../lib/built-in.ts';
import { GatewayError, type Host, named, type Schema, type Tables } from '../../../lib/index.ts';
import { NATIVE_HASHES } from '../native-hashes.ts';
import { MerkleTree } from '../verify/merkle.ts';
import { DAY_SEALS, type SealRow } from './sealer.ts';

interface SealsQuery {
  readonly from?: string;
  readonly to?: string;
}

interface RowsQuery {
  readonly time: string;
  readonly kind: StoredKind;
}

const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const DAY: Schema = { type: 'string', format: 'date', description: 'A local day of the unit, `YYYY-MM-DD`.' };

const SEAL: Schema = named('DaySeal', {
  day: DAY,
  version: {
    type: 'integer',
    description: '1, and one more each time the levels of the day changed after it was sealed.',
  },
  root: { ...HASH, description: 'The tree over the tables of the day, see docs/evidence.md.' },
  rows: { type: 'integer', description: 'Stored rows of the day.' },
  replaces: { type: ['string', 'null'], description: 'The root of the version before.' },
  kinds: {
    type: 'array',
    items: named('SealedTable', {
      kind: { type: 'string', enum: ['intervals', 'minutes', 'seconds'] },
      root: HASH,
      rows: { type: 'integer' },
    }),
    description: 'With their roots one table proves itself, also where another is no longer kept.',
  },
  sealed_at: { type: 'string', format: 'date-time' },
  audit: { type: 'object', additionalProperties: true, description: 'The record of the audit log that has the seal.' },
});

const shownSeal = ({ unitId: _, digest: __, sealedAt, record, ...seal }: SealRow) => ({
  ...seal,
  sealed_at: new Date(sealedAt).toISOString(),
  audit: record,
});

const PROVED_ROW: Schema = named('ProvedRow', {
  line: { type: 'string', description: 'As it is stored, and as it stands in a package.' },
  index: { type: 'integer', description: 'Its place in the table of the day, from 0.' },
  path: { type: 'array', items: HASH, description: 'Hashes beside its way to the root of the table, from below.' },
});

export function sealRoutes(host: Host, tables: Tables): void {
  const sealsOf = (unitId: string) =>
    tables.read((rows) => rows.find(DAY_SEALS, { where: { unitId }, order: { day: 'asc', version: 'asc' } }));
  addList(host, sealsOf);
  addProof(host, sealsOf);
}

function addList(host: Host, sealsOf: (unitId: string) => Promise<readonly SealRow[]>): void {
  host.route<unknown, SealsQuery>({
    method: 'GET',
    path: '/{unit_id}/seals',
    access: 'viewer',
    summary: 'List the seals of the days of a unit, the oldest first',
    description:
      'A local day is sealed an hour after its end. A day without levels has no seal. A day whose levels change later gets a new version, which names the root of the one before.',
    query: {
      from: { ...DAY, description: 'The first day.' },
      to: { ...DAY, description: 'The last day.' },
    },
    answer: { data: { type: 'array', items: SEAL } },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query: { from = '', to = '9999-12-31' } }) {
      host.configs.of(unitId);
      if (from > to) throw invalid([{ path: '/to', message: 'is before from' }]);
      const wanted = (await sealsOf(unitId)).filter(({ day }) => day >= from && day <= to);
      return { data: wanted.map(shownSeal) };
    },
  });
}

/** `sealsOf`: all seals of a unit, versions in their order. */
function addProof(host: Host, sealsOf: (unitId: string) => Promise<readonly SealRow[]>): void {
  host.route<unknown, RowsQuery>({
    method: 'GET',
    path: '/{unit_id}/seals/{day}/rows',
    params: { day: DAY },
    access: 'viewer',
    operation: 'proveRows',
    summary: 'Prove the rows of one moment by the seal of their day',
    description:
      'The rows of this table that begin at `time`, one for each source and weighting, each with the hashes that lead from it to the root of its table in the latest seal. docs/evidence.md has the steps. The whole day is read and compared with the seal first.',
    query: {
      time: { ...MOMENT, required: true },
      kind: { type: 'string', enum: ['intervals', 'minutes', 'seconds'], default: 'seconds' },
    },
    answer: {
      data: named('RowProof', {
        kind: { type: 'string' },
        rows: { type: 'array', items: PROVED_ROW },
        seal: SEAL,
      }),
    },
    errors: ['UNIT_NOT_FOUND', 'SEAL_NOT_FOUND', 'SEAL_OUTDATED'],
    cost: () => 1,
    async handle({ unitId, params: { day = '' }, query: { time, kind }, caller }) {
      const { timezone } = host.configs.of(unitId);
      const at = momentOf(time, '/time');
      const [span] = zones.calendarSpans(timezone, { from: at, to: at + 1 }, 'day');
      if (span?.name !== day) throw invalid([{ path: '/time', message: `is not within ${day} of ${timezone}` }]);
      const seal = (await sealsOf(unitId)).findLast((each) => each.day === day);
      if (!seal) throw new GatewayError('SEAL_NOT_FOUND', `The ${day} of ${unitId} is not sealed.`);
      const asked = { unitId, kind, from: span.from / 1_000, to: span.to / 1_000 };
      const found = await readRows(host, asked, `${new Date(at).toISOString().replace('.000', '')},`, caller.signal);
      if (found.root !== seal.kinds.find((each) => each.kind === kind)?.root)
        throw new GatewayError(
          'SEAL_OUTDATED',
          `The ${kind} of ${day} are no longer those of version ${seal.version} of its seal: they were changed, or removed by their age.`,
        );
      if (found.rows.length === 0)
        throw new GatewayError('SEAL_NOT_FOUND', `No row of the ${kind} of ${unitId} begins at ${time}.`);
      return { data: { kind, rows: found.rows, seal: shownSeal(seal) } };
    },
  });
}

/** `begin`: how the lines begin that are wanted. */
async function readRows(
  { stored }: Pick<Host, 'stored'>,
  asked: Parameters<Host['stored']['lines']>[0],
  begin: string,
  signal: AbortSignal,
) {
  const tree = new MerkleTree(NATIVE_HASHES);
  const wanted: { readonly line: string; readonly index: number }[] = [];
  for await (const lines of stored.lines(asked, signal))
    for (const line of lines) {
      const isWanted = line.startsWith(begin);
      if (isWanted) wanted.push({ line, index: tree.count });
      tree.add(line, isWanted);
    }
  const paths = tree.proofs();
  return { root: tree.root(), rows: wanted.map((row, place) => ({ ...row, path: paths[place] ?? [] })) };
}
