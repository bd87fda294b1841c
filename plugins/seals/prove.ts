/** One row of a sealed day proved alone: its line, and the hashes that lead to the seal. */
import {
  GatewayError,
  type Host,
  invalid,
  MOMENT,
  merkle,
  momentOf,
  NATIVE_HASHES,
  named,
  type Schema,
  type StoredKind,
  zones,
} from '../../lib/index.ts';
import { DAY, HASH, SEAL, shownSeal } from './schemas.ts';
import type { SealRow } from './table.ts';

interface RowsQuery {
  readonly time: string;
  readonly kind: StoredKind;
}

const PROVED_ROW: Schema = named('ProvedRow', {
  line: { type: 'string', description: 'As it is stored, and as it stands in a package.' },
  index: { type: 'integer', description: 'Its place in the table of the day, from 0.' },
  path: { type: 'array', items: HASH, description: 'Hashes beside its way to the root of the table, from below.' },
});

/** Adds GET `/{unit_id}/seals/{day}/rows`. `sealsOf`: all seals of a unit, versions in their order. */
export function addProof(host: Host, sealsOf: (unitId: string) => Promise<readonly SealRow[]>): void {
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
  const tree = new merkle.MerkleTree(NATIVE_HASHES);
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
