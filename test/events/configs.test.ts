/** The changes of configs as events. */
import t from 'tap';
import { publishConfigs } from '../../lib/app/wiring.ts';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import type { ConfigStore } from '../../lib/store/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';

t.test(
  'a new, changed or removed config is one event without its values; then comes an event of the unit',
  async (t) => {
    const events = createEventStream(new VirtualClock(), createLog('silent'));
    let tell: Parameters<ConfigStore['onChange']>[0] = () => {};
    const old = deviceConfig({ unitId: 'old' });
    publishConfigs(
      {
        list: () => [old],
        onChange(listener) {
          tell = listener;
          return () => {};
        },
      },
      events,
    );
    const seen: unknown[] = [];
    events.on('addition', ({ unitId }) => seen.push([unitId, 'added']));
    events.on('removal', ({ unitId }) => seen.push([unitId, 'gone']));
    events.on('config', ({ unitId, data }: GatewayEvent<'config'>) => seen.push([unitId, data]));
    tell('old', old);
    tell('new', deviceConfig({ unitId: 'new' }));
    tell('old', undefined);
    tell('old', old);
    t.strictSame(seen, [
      ['old', { change: 'changed' }],
      ['new', { change: 'created' }],
      ['new', 'added'],
      ['old', { change: 'removed' }],
      ['old', 'gone'],
      ['old', { change: 'created' }],
      ['old', 'added'],
    ]);
  },
);
