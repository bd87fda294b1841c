/** A meter whose side of a connection stayed open when an instance was cut off: the others have that instance free it, and try the meter at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Test } from 'tap';
import { OpenPlaces } from '../../../lib/transport/open-places.ts';
import { configOf } from '../../support/world.ts';
import { openPair, type SharedDatabase } from './pair.ts';

/** Two instances; the second has the meter now, which still has a connection to somebody in the place of the first. */
async function openCut(t: Test, open: (t: Test) => Promise<SharedDatabase>, more: object = {}) {
  const pair = await openPair(t, open);
  const { meter, begin, ask, pass, passing, until, takesOver } = pair;
  const first = await begin('first');
  const second = await begin('second');
  await ask('PUT', `${first.base}/roof/config`, { ...configOf(meter), ...more });
  t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
  first.store.isAway = true;
  await pass(45_000, { stepMs: 500 });
  // As a connection of the first one that was cut: the meter keeps its place, and the port stands on the disk.
  const deaf = meter.faults.on('half-open');
  const place = { host: '127.0.0.1', port: meter.tcpPort };
  const cut = connect(place);
  cut.write('Type?\r\n');
  await passing(once(cut, 'data'));
  const remember = async (port: number) => {
    const ports = new OpenPlaces(first.ports);
    ports.opened(place, port);
    await ports.settled();
  };
  await remember(cut.localPort ?? 0);
  cut.resetAndDestroy();
  await until(() => meter.log.events.at(-1)?.kind === 'disconnect', 20);
  meter.faults.off(deaf);
  await takesOver(second.instance, 500);
  /** The first one reaches the database again, and knows who has the meters. */
  const comesBack = async () => {
    first.store.isAway = false;
    const knows = () => first.instance.members().some(({ id, state }) => id === 'second' && state === 'has the meters');
    await until(knows, 500);
  };
  const held = () => meter.log.events.filter(({ kind }) => kind === 'held').length;
  return { ...pair, first, second, remember, comesBack, held };
}

/** Runs the suite. */
export async function placesAreFreed(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('it is freed by the instance that had it, and nobody knocks from then on', async (t) => {
    const { meter, ask, pass, first, second, comesBack, held } = await openCut(t, open);
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 504, 'nobody is there who could free it');
    await comesBack();
    for (let tries = 0; tries < 30 && (await ask('GET', `${second.base}/roof/live`)).status !== 200; tries += 1)
      await pass(2_000, { stepMs: 20 });
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
    const knocks = held();
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    await pass(60_000, { stepMs: 1_000 });
    t.equal(held(), knocks, 'from then on nobody knocks');

    const stranger = await ask(
      'POST',
      `http://127.0.0.1:${first.instance.port}/_place?host=127.0.0.1&port=${meter.tcpPort}`,
    );
    t.equal(stranger.status, 404, 'only an instance of the same cluster is heard');
  });

  await t.test('it is tried at once when the other one is back, however rarely it was tried by then', async (t) => {
    const more = { poll_enabled: true, poll_interval_seconds: 60 };
    const { meter, pass, comesBack, held, until } = await openCut(t, open, more);
    // Each failed reading makes the next one rarer, up to five minutes.
    await pass(900_000, { stepMs: 2_500 });
    const knocks = held();
    await until(() => held() > knocks, 500);
    await pass(20_000, { stepMs: 500 });
    const before = meter.log.commands.length;
    await comesBack();
    // What is freed is noted on a disk, which takes the computer's own time.
    await pass(20_000, { stepMs: 20 });
    t.ok(meter.log.commands.length > before, 'not when its turn would have come');
    await pass(130_000, { stepMs: 500 });
    t.ok(meter.log.commands.length >= before + 2, 'and is read at its usual pace');
    t.ok(held() <= knocks + 4, 'with few tries');
  });
}
