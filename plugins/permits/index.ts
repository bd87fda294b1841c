/**
 * Permits: the limits of a site, and the verdict about its days. Pages, reports and messages take the verdict from here,
 * so that they agree. Without a permit a day has a level and no verdict.
 */
import type { DeviceConfig, Plugin } from '../../lib/index.ts';
import assessment from '../assessment/index.ts';
import { lastDates, type UnitDay, unitDays } from './judge.ts';
import { addPermitRules, addPermits, addVerdicts } from './routes.ts';
import { isFor, PERMIT_MIGRATIONS, PERMITS, permitStore } from './store.ts';

export { PERMIT_VERDICTS, type PermitVerdict } from './contract.ts';
export { type PermitDay, together, togetherOfDays, type UnitDay } from './judge.ts';

/** For other plugins. */
export interface Permits {
  /** Permits that are for the unit: GET verdicts judges its days by them. */
  of(config: DeviceConfig): readonly { readonly name: string; readonly title: string }[];
  /** Today so far, as GET _verdicts has it; undefined: no limit of a permit applies today. Errors: those of the history. */
  today(config: DeviceConfig, signal: AbortSignal): Promise<UnitDay | undefined>;
}

const plugin: Plugin<unknown, Permits> = {
  name: 'permits',
  about: 'Limits of a site, and the verdict about its days',
  uses: ['assessment'],
  async register(host) {
    const store = permitStore(await host.tables([PERMITS], PERMIT_MIGRATIONS), host.clock);
    await store.load();
    host.onStop(() => store.close());
    const parts = { host, store, assessments: host.use(assessment) };
    addPermits(parts);
    addPermitRules(parts);
    addVerdicts(parts);
    return {
      of: (config) =>
        store
          .list()
          .filter((permit) => isFor(permit, config))
          .map(({ name, body: { title } }) => ({ name, title })),
      today: async (config, signal) =>
        (await unitDays(parts, config, { dates: lastDates(config.timezone, host.clock.now(), 1) }, signal))[0],
    };
  },
};
export default plugin;
