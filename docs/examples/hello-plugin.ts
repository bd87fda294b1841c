/**
 * An example of a plugin (docs/plugins.md walks through it): it asks a meter for its type and its time, and has a WebSocket that
 * reports when it is loud there. It changes nothing on the meter.
 */
import { COMMAND_ERRORS, type Host, type LiveFrame, type Plugin, type Watcher } from '../../lib/index.ts';

interface Settings {
  readonly greeting: string;
  readonly loud_db: number;
}

const plugin: Plugin<Settings> = {
  name: 'hello',
  settings: {
    type: 'object',
    properties: {
      greeting: { type: 'string', title: 'What to say', default: 'Hello from' },
      loud_db: { type: 'number', title: 'Level from which it is loud, dB', minimum: 0, maximum: 200, default: 70 },
    },
  },
  register(host) {
    greet(host);
    watchForLoudness(host);
    host.onStop(() => host.log.info({}, 'goodbye'));
  },
};
export default plugin;

function greet(host: Host<Settings>) {
  host.route<unknown, { loudly: boolean }>({
    method: 'GET',
    path: '/{unit_id}/hello',
    access: 'viewer',
    summary: 'Ask the meter which one it is and what time it has',
    query: { loudly: { type: 'boolean', default: false, description: 'In capitals.' } },
    answer: { greeting: { type: 'string' }, clock: { type: 'string' } },
    errors: COMMAND_ERRORS,
    async handle({ unitId, query, caller }) {
      // Two questions, with nothing else between them. With `caller`, the wait ends when the client disconnects.
      const meter = host.meter(unitId);
      meter.assertCan('model', 'clock');
      const [model, clock] = await meter.reserve(
        'hello',
        async (reservation) => [await reservation.perform('model'), await reservation.perform('clock')] as const,
        caller,
      );
      const greeting = `${host.settings.greeting} ${model}`;
      return { greeting: query.loudly ? greeting.toUpperCase() : greeting, clock };
    },
  });
}

function watchForLoudness(host: Host<Settings>) {
  host.socket({
    path: '/{unit_id}/hello',
    access: 'viewer',
    summary: 'Hear when it is loud',
    messages: [
      {
        type: 'object',
        properties: { unit_id: { type: 'string' }, lp: { type: 'string', description: 'dB' } },
        required: ['unit_id', 'lp'],
      },
    ],
    errors: COMMAND_ERRORS,
    // Throws UNIT_NOT_FOUND or TCP_DISABLED: the client gets that answer in place of a WebSocket.
    admit: ({ unitId }) => void host.meter(unitId),
    open(client, { unitId }) {
      const watcher: Watcher<LiveFrame> = {
        frame({ frame: { main } }) {
          if (main.lp !== null && Number(main.lp) >= host.settings.loud_db)
            client.send({ unit_id: unitId, lp: main.lp });
        },
        status() {},
        end: (reason, detail) => client.close(reason === 'stopping' ? 1001 : 1011, detail),
      };
      const unwatch = host.meter(unitId).feed.watch(watcher);
      client.gone.addEventListener('abort', unwatch, { once: true });
    },
  });
}
