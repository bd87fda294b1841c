/** Of several instances the one with the meters is at the broker, alone; the next one goes on under the same topics. */
import t from 'tap';
import { openBroker } from '../mqtt/support.ts';
import { configOf } from '../support/world.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openPair } from './support/pair.ts';

const AVAILABILITY = 'slm/_gateway/availability';
const STATE = 'slm/roof/state';

t.test('who has the meters is at the broker, whether the one before left or was cut off', async (t) => {
  const broker = await openBroker(t);
  const settings = { plugin_settings: { mqtt: { url: broker.url } } };
  const { meter, begin, ask, passing, until, takesOver, pass } = await openPair(t, memoryDatabase, settings);
  let most = 0;
  broker.aedes.on('client', () => {
    most = Math.max(most, broker.aedes.connectedClients);
  });
  const states = () => broker.texts(STATE).length;
  const isOnline = () => broker.texts(AVAILABILITY).at(-1) === 'online';
  const first = await begin('first');
  const second = await begin('second');
  await ask('PUT', `${first.base}/roof/config`, configOf(meter));
  await until(() => isOnline() && states() > 0, 100);

  const before = states();
  await passing(first.instance.stop());
  t.equal(broker.texts(AVAILABILITY).at(-1), 'offline');
  await takesOver(second.instance, 100);
  await until(() => isOnline() && states() > before, 100);
  t.ok(isOnline() && states() > before, 'the next one tells of the meter');

  const third = await begin('first');
  await pass(12_000, { stepMs: 500 });
  const later = states();
  second.store.isAway = true;
  await until(() => second.instance.gateway() === undefined, 500);
  await until(() => !isOnline(), 100);
  t.notOk(isOnline(), 'nobody has the meters');
  await takesOver(third.instance, 500);
  await until(() => isOnline() && states() > later, 100);
  t.ok(isOnline() && states() > later);
  t.equal(most, 1, 'there were never two of them');
});
