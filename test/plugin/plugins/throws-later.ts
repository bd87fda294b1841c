import type { Plugin, Schema } from '../../../lib/index.ts';

const throwing = (where: string) => (): never => {
  throw new Error(`thrown ${where}`);
};
const rejecting = (where: string) => async (): Promise<void> => {
  await Promise.resolve();
  throw new Error(`thrown ${where}, later`);
};
const ANYTHING: Schema = { type: 'object' };

/** A plugin that throws, at once and later, in whatever it hung somewhere to be called. */
const plugin: Plugin = {
  name: 'throws-later',
  register(host) {
    const about = { access: 'public', summary: 'Throws', errors: [] } as const;
    const fail = (signal: AbortSignal, where: string) => {
      signal.addEventListener('abort', throwing(where));
      signal.addEventListener('abort', rejecting(where));
    };
    host.configs.onChange(throwing('by a listener for configs'));
    host.configs.onChange(rejecting('by a listener for configs'));
    host.jobs.kind<unknown, unknown, unknown>({
      name: 'throws-later',
      run({ signal }) {
        fail(signal, 'when a job was cancelled');
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    host.route({
      ...about,
      method: 'GET',
      path: '/{unit_id}/throws',
      answer: {},
      handle({ caller }) {
        fail(caller.signal, 'when a caller had gone');
        host.log.info({}, 'somebody waits');
        return new Promise(() => {});
      },
    });
    host.route({
      ...about,
      method: 'POST',
      path: '/{unit_id}/throws',
      answer: { job: { type: 'integer' } },
      handle: async ({ unitId }) => ({ job: (await host.jobs.start('throws-later', unitId, {})).id }),
    });
    host.route({
      ...about,
      method: 'GET',
      path: '/{unit_id}/words',
      answer: {},
      wordError: throwing('by its own words for an error'),
      handle: throwing('by a handler'),
    });
    host.socket({
      ...about,
      path: '/{unit_id}/throws',
      messages: [ANYTHING],
      accepts: ANYTHING,
      admit() {},
      open(client, { unitId }) {
        fail(client.gone, 'when a client had gone');
        client.onMessage(rejecting('by a listener for messages'));
        const { feed } = host.meter(unitId);
        feed.watch({ frame: throwing('by a watcher'), status() {}, end() {} });
        feed.watch({ frame: rejecting('by a watcher'), status() {}, end() {} });
        feed.watch({ frame() {}, status() {}, end: throwing('at the end of a feed') });
        feed.watch({ frame() {}, status() {}, end: rejecting('at the end of a feed') });
      },
    });
    host.socket({
      ...about,
      path: '/{unit_id}/opens-late',
      messages: [ANYTHING],
      admit() {},
      open: rejecting('by an open stream'),
    });
  },
};
export default plugin;
