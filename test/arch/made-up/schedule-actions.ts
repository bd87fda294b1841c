/** The plugin of the campaigns with one more action of schedules. A second plugin has its kind of job. */
import type { Plugin } from '../../../lib/index.ts';
import { campaignWith } from '../../../plugins/campaign/index.ts';
import { ACTIONS, type ScheduleAction } from '../../../plugins/campaign/schedules/actions.ts';

const BEEP = 'beep';

/** The siren of a site is tried each week. */
const beep: ScheduleAction = {
  name: BEEP,
  words: 'sound the siren',
  job: BEEP,
  profile: 'optional',
  begin: (unitId, profile, { host }) => host.jobs.start(BEEP, unitId, { profile }),
};

const campaign = campaignWith([...ACTIONS, beep]);

const plugin: Plugin<Parameters<typeof campaign.register>[0]['settings']> = {
  ...campaign,
  async register(host) {
    host.jobs.kind({
      name: BEEP,
      title: 'Test of the siren',
      fields: [{ name: 'profile', label: 'Profile', schema: { type: 'string' } }],
      run: async () => ({ heard: true }),
    });
    await campaign.register(host);
  },
};
export default plugin;
