/** A place whose client is gone without a word: only the same address and port gets it back, or the power. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { OpenPlaces } from '../../../lib/transport/open-places.ts';
import { tcpTransport } from '../../../lib/transport/tcp.ts';
import type { SimulatedMeter } from '../../../simulator/index.ts';
import { eventually } from '../bare.ts';
import { faultRig, HEALTHY } from './rig.ts';

const count = (meter: SimulatedMeter, wanted: string) => meter.log.events.filter(({ kind }) => kind === wanted).length;

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** A client at this port of its own, or at any. */
async function clientAt(t: Test, meter: SimulatedMeter, localPort?: number) {
  const socket: Socket = connect({ host: meter.host, port: meter.tcpPort, ...(localPort && { localPort }) });
  t.teardown(() => socket.destroy());
  // The power cycle resets those that wait.
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  await once(socket, 'connect');
  return { socket, heard: () => text };
}

/** A meter that does not hear of this client's end, and the port that it was at. */
async function lostClient(t: Test, meter: SimulatedMeter): Promise<number> {
  const first = await clientAt(t, meter);
  first.socket.write('Type?\r\n');
  await eventually(() => first.heard() === HEALTHY);
  const port = first.socket.localPort ?? 0;
  first.socket.resetAndDestroy();
  await eventually(() => count(meter, 'disconnect') === 1);
  return port;
}

t.test('the same address and port is served again, others are not', async (t) => {
  // Another program of this computer may get the port in between; then a new meter is tried.
  for (let tries = 1; tries <= 5; tries++) {
    const { meter, clock } = await faultRig(t);
    meter.faults.on('half-open');
    const port = await lostClient(t, meter);
    const other = await clientAt(t, meter);
    other.socket.write('Type?\r\n');
    await eventually(() => count(meter, 'held') === 1);
    await clock.advance(86_400_000);
    t.equal(other.heard(), '', 'not after a day');
    const again = await clientAt(t, meter, port).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
    if (!again) continue;
    again.socket.write('Type?\r\n');
    await eventually(() => again.heard() === HEALTHY);
    t.equal(other.heard(), '');
    return;
  }
  t.fail('five ports were taken by others');
});

t.test('without the fault the place of such a client is free', async (t) => {
  const { meter } = await faultRig(t);
  await lostClient(t, meter);
  const other = await clientAt(t, meter);
  other.socket.write('Type?\r\n');
  await eventually(() => other.heard() === HEALTHY);
  t.equal(count(meter, 'held'), 0);
});

t.test('the place stays taken when the fault is switched off, and is free after a power cycle', async (t) => {
  const { meter, clock } = await faultRig(t);
  meter.faults.on('half-open');
  await lostClient(t, meter);
  meter.faults.clear();
  await clientAt(t, meter);
  await eventually(() => count(meter, 'held') === 1);
  await clock.until(meter.powerCycle(1_000));
  const next = await clientAt(t, meter);
  next.socket.write('Type?\r\n');
  await eventually(() => next.heard() === HEALTHY);
});

t.test('a gateway that kept its local port is served after its computer lost the power', async (t) => {
  for (let tries = 1; tries <= 5; tries++) {
    const { meter } = await faultRig(t);
    meter.faults.on('half-open');
    const folder = join(t.testdir(), String(tries));
    const port = await lostClient(t, meter);
    const address = { host: meter.host, port: meter.tcpPort };
    const before = new OpenPlaces(folder);
    before.opened(address, port);
    await before.settled();
    const stream = await tcpTransport({ places: new OpenPlaces(folder) }).dial(address, AbortSignal.timeout(10_000));
    t.teardown(() => stream.destroy('the test is over'));
    let text = '';
    stream.receive((bytes) => {
      text += Buffer.from(bytes).toString('latin1');
    });
    stream.send(Buffer.from('Type?\r\n'));
    await eventually(() => text === HEALTHY || count(meter, 'held') > 0);
    if (text === HEALTHY) return t.equal(count(meter, 'held'), 0, `served at try ${tries}`);
  }
  t.fail('it was never served from the kept port');
});
