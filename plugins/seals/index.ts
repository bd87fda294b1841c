/** The seals of local days: what was stored of a unit when its day was over, as one hash in the audit chain. */
import { type Host, invalid, type Plugin } from '../../lib/index.ts';
import { addProof } from './prove.ts';
import { DAY, SEAL, shownSeal } from './schemas.ts';
import { DaySealer } from './sealer.ts';
import { DAY_SEALS, type SealRow, sealMigrations } from './table.ts';

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
    const sealsOf = (unitId: string) =>
      tables.read((rows) => rows.find(DAY_SEALS, { where: { unitId }, order: { day: 'asc', version: 'asc' } }));
    addList(host, sealsOf);
    addProof(host, sealsOf);
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
