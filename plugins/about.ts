/** What a client wants to know first: which gateway this is, and what it may do there. */
import { type Plugin, VERSION } from '../lib/index.ts';

const plugin: Plugin = {
  name: 'about',
  register(host) {
    host.route({
      method: 'GET',
      path: '/_about',
      access: 'viewer',
      filtersUnits: true,
      summary: 'Show the version of the gateway, and what the caller may do',
      answer: {
        data: {
          type: 'object',
          properties: {
            version: { type: 'string' },
            time: { type: 'string', format: 'date-time', description: 'Of the clock of the gateway.' },
            caller: {
              type: 'object',
              properties: {
                name: { type: 'string', description: 'Of the API key; anybody where no key is needed.' },
                role: { type: 'string', enum: ['viewer', 'operator', 'admin'] },
                units: {
                  type: ['array', 'null'],
                  items: { type: 'string' },
                  description: 'The units that the key is limited to; null: all.',
                },
              },
              required: ['name', 'role', 'units'],
              additionalProperties: false,
            },
          },
          required: ['version', 'time', 'caller'],
          additionalProperties: false,
        },
      },
      errors: [],
      handle({ identity: { name, role, units } }) {
        const time = new Date(host.clock.now()).toISOString();
        return { data: { version: VERSION, time, caller: { name, role, units } } };
      },
    });
  },
};
export default plugin;
