/** A store that cannot write: told once to those who are recorded, shown in the extent, and over when it is over. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import type { HistoryStatus } from '../../lib/history/contract.ts';
import type { Request, Route } from '../../lib/index.ts';
import { createLog } from '../../lib/log.ts';
import history from '../../plugins/history/index.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { configOf, using } from '../plugin/doubles.ts';
import { PlainHistory } from '../support/plain-history.ts';
import { standIn } from '../support/stand-in.ts';

t.test('a full disk is an event of each unit that is recorded, and the state of its recording', async (t) => {
  const clock = new VirtualClock();
  const events = createEventStream(clock, createLog('silent'));
  const kept = new PlainHistory(() => clock.now());
  let status: HistoryStatus = kept.status;
  let tell: (status: HistoryStatus) => void = () => {};
  const configs = [
    { ...configOf({ unitId: 'roof' }), tcpEnabled: true, history: 'poll' as const },
    { ...configOf({ unitId: 'yard' }), tcpEnabled: true, history: 'off' as const },
  ];
  const routes = new Map<string, Route>();
  const host = standIn<Parameters<typeof history.register>[0]>({
    clock,
    settings: { import_mb: 1 },
    jobs: { kind: () => () => {} },
    history: Object.assign(Object.create(kept), {
      extent: kept.extent.bind(kept),
      onState: (listener: typeof tell) => {
        tell = listener;
        return () => {};
      },
    }),
    configs: {
      of: (id: string) => configs.find(({ unitId }) => unitId === id) ?? configOf({ unitId: id }),
      list: () => configs,
      onChange: () => () => {},
    },
    families: createFamilies(),
    use: using(),
    meter: () => ({
      family: createFamilies().get('nl43'),
      deviceState: { frequencyWeighting: null, timeWeighting: null },
    }),
    on: () => () => {},
    publish: events.publish,
    part: () => {},
    route: (route: Route) => void routes.set(`${route.method} ${route.path}`, route),
    onStop: () => {},
  });
  Object.defineProperty(host.history, 'status', { get: () => status });
  history.register(host);
  const heard: string[] = [];
  events.on('recording', ({ unitId, data }) => void heard.push(`${unitId} ${data.state}`));
  const recording = async (unitId: string) => {
    const request = standIn<Request>({
      unitId,
      query: { channel: 'main' },
      caller: { signal: new AbortController().signal },
    });
    const answer = await routes.get('GET /{unit_id}/history/extent')?.handle(request);
    return (answer as { data: { recording: object } }).data.recording;
  };

  t.match(await recording('roof'), { mode: 'poll', state: 'waiting' });
  status = { ...status, state: 'full', reason: 'The disk is full.' };
  tell(status);
  t.strictSame(heard, ['roof full']);
  t.match(await recording('roof'), { state: 'full', reason: 'The disk is full.' });
  t.match(await recording('yard'), { state: 'off' });
  status = { ...status, state: 'recording', reason: null };
  tell(status);
  t.strictSame(heard, ['roof full', 'roof recording']);
  t.match(await recording('roof'), { state: 'waiting' });
});
