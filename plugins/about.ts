/** The first question of a client: which gateway this is, and what the caller may do. */
import { ROLES, VERSION } from '../lib/built-in.ts';
import { named, type Plugin, type Schema, TIME, whole } from '../lib/index.ts';

const ABOUT: Schema = named('About', {
  version: { type: 'string' },
  time: { ...TIME, description: 'The time of the gateway.' },
  families: {
    type: 'array',
    items: named('FamilyName', {
      name: { type: 'string', description: 'As in `family` of a config.' },
      title: { type: 'string', description: 'In words.' },
    }),
    description: 'The families of meters that this gateway knows.',
  },
  evidence_key: {
    type: ['string', 'null'],
    description: 'The fingerprint of the key that signs packages of evidence; null: no key was needed yet.',
  },
  sites: { type: 'integer', minimum: 0, description: 'Other gateways whose units GET /_sites shows.' },
  caller: whole({
    name: { type: 'string', description: 'Name of the API key; anybody if no key is needed.' },
    role: { type: 'string', enum: ROLES },
    units: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The units that the key is limited to; null: all.',
    },
    session: { type: 'boolean', description: 'Whether a person signed in, and can sign out.' },
  }),
});

const plugin: Plugin<{ readonly sites: number }> = {
  name: 'about',
  about: 'Which gateway this is, and who calls',
  register(host) {
    const { sites } = host.settings;
    const families = host.families.names.map((name) => ({ name, title: host.families.get(name).title }));
    host.route({
      method: 'GET',
      path: '/_about',
      access: 'viewer',
      filtersUnits: true,
      summary: 'Show the version of the gateway, and what the caller may do',
      answer: { data: ABOUT },
      errors: [],
      handle({ identity: { name, role, units, session } }) {
        const time = new Date(host.clock.now()).toISOString();
        const evidence_key = host.signing.fingerprint;
        const caller = { name, role, units, session: session !== undefined };
        return { data: { version: VERSION, time, families, evidence_key, sites, caller } };
      },
    });
  },
  settings: {
    type: 'object',
    properties: { sites: { type: 'integer', title: 'Number of the setting sites', minimum: 0, default: 0 } },
  },
};
export default plugin;
