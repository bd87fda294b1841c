/** The seals of local days: what was stored of a unit when its day was over, as one hash in the audit chain. */
import { type Host, invalid, named, type Plugin, type Schema } from '../../lib/index.ts';
import { DaySealer } from './sealer.ts';
import { DAY_SEALS, type SealRow, sealMigrations } from './table.ts';

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

interface SealsQuery {
  readonly from?: string;
  readonly to?: string;
}

const plugin: Plugin = {
  name: 'seals',
  about: 'The seals of days',
  async register(host) {
    const tables = await host.tables([DAY_SEALS], sealMigrations);
    const leaving = new AbortController();
    const running = new DaySealer(host, tables).run(leaving.signal);
    host.onStop(async () => {
      leaving.abort();
      await running;
    });
    addList(host, (unitId) =>
      tables.read((rows) => rows.find(DAY_SEALS, { where: { unitId }, order: { day: 'asc', version: 'asc' } })),
    );
  },
};
export default plugin;

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

const shownSeal = ({ unitId: _, digest: __, sealedAt, record, ...seal }: SealRow) => ({
  ...seal,
  sealed_at: new Date(sealedAt).toISOString(),
  audit: record,
});
