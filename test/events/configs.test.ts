/** The changes of configs as events. */
import t from 'tap';
import { publishConfigs } from '../../lib/app/wiring.ts';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import type { ConfigListener } from '../../lib/store/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';

t.test(
  'a new, changed or removed config is one event without its values; then comes an event of the unit',
  async (t) => {
    const events = createEventStream(new VirtualClock(), createLog('silent'));
    let tell: ConfigListener = () => {};
    const onChange = (listener: ConfigListener) => {
      tell = listener;
      return () => {};
    };
    publishConfigs({ onChange }, events);
    const seen: unknown[] = [];
    events.on('addition', ({ unitId }) => seen.push([unitId, 'added']));
    events.on('removal', ({ unitId }) => seen.push([unitId, 'gone']));
    events.on('config', ({ unitId, data }: GatewayEvent<'config'>) => seen.push([unitId, data]));
    const config = deviceConfig({ unitId: 'roof' });
    tell('roof', config, undefined);
    tell('roof', config, config);
    tell('roof', undefined, config);
    t.strictSame(seen, [
      ['roof', { change: 'created' }],
      ['roof', 'added'],
      ['roof', { change: 'changed' }],
      ['roof', { change: 'removed' }],
      ['roof', 'gone'],
    ]);
  },
);
