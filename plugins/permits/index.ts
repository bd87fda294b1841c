/**
 * Permits: the limits of a site, and the verdict about its days. Pages, reports and messages take the verdict from here,
 * so that they agree. Without a permit a day has a level and no verdict.
 */
import type { Plugin } from '../../lib/index.ts';
import assessment from '../assessment/index.ts';
import type { Dates } from './judge.ts';
import { addPermitRules, addPermits, addVerdicts, unitDays } from './routes.ts';
import { PERMIT_MIGRATIONS, PERMITS, PermitStore } from './store.ts';

export type { PermitDay, PermitPart, PermitVerdict } from './contract.ts';
export { type Dates, lastDates } from './judge.ts';

/** The verdicts, for other plugins. */
export interface Permits {
  /** The days of a unit on which a permit is valid for it. Errors: UNIT_NOT_FOUND, and those of the history. */
  days(unitId: string, dates: Dates, signal: AbortSignal): ReturnType<typeof unitDays>;
}

const plugin: Plugin<unknown, Permits> = {
  name: 'permits',
  about: 'Limits of a site, and the verdict about its days',
  uses: ['assessment'],
  async register(host) {
    const store = new PermitStore(await host.tables([PERMITS], PERMIT_MIGRATIONS), host.clock);
    await store.load();
    host.onStop(() => store.close());
    const parts = { host, store, assessments: host.use(assessment) };
    addPermits(parts);
    addPermitRules(parts);
    addVerdicts(parts);
    return { days: (unitId, dates, signal) => unitDays(parts, unitId, dates, signal) };
  },
};
export default plugin;
