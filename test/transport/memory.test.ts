import t from 'tap';
import type { ByteStream } from '../../lib/transport/contract.ts';
import { memoryTransport } from '../../lib/transport/memory.ts';
import { type FarEnd, transportContract } from '../contract/transport.ts';
import { arrivals, memoryEnd } from './far-ends.ts';

const METER = { host: 'meter', port: 2255 };
const patient = () => new AbortController().signal;

transportContract(t, async () => {
  const network = memoryTransport();
  const far = arrivals<FarEnd>();
  network.listen(METER, (connection) => far.add(memoryEnd(connection)));
  return { transport: network.transport, address: METER, nobody: { host: 'nobody', port: 1 }, accept: far.next };
});

t.test('a dial that is never answered waits until its signal aborts', async (t) => {
  const network = memoryTransport();
  let called = 0;
  network.listen(METER, () => called++);
  const answerAgain = network.hang(METER);
  const controller = new AbortController();
  const reason = new Error('5 s are over');
  const dialled = network.transport.dial(METER, controller.signal);
  setImmediate(() => controller.abort(reason));
  await t.rejects(dialled, reason);
  t.equal(called, 0);
  answerAgain();
  t.ok(await network.transport.dial(METER, patient()));
});

t.test('an address refuses again when its listener has gone, and takes one listener only', async (t) => {
  const network = memoryTransport();
  const stop = network.listen(METER, () => {});
  t.throws(() => network.listen(METER, () => {}), /There is a listener on meter:2255 already/);
  stop();
  stop();
  await t.rejects(network.transport.dial(METER, patient()), { name: 'DialError', fault: 'refused' });
});

t.test('nothing arrives within the call that sent it, and the order is kept', async (t) => {
  const network = memoryTransport();
  const accepted = arrivals<ByteStream>();
  network.listen(METER, accepted.add);
  const near = await network.transport.dial(METER, patient());
  const far = await accepted.next();
  const heard: string[] = [];
  far.receive((chunk) => heard.push(Buffer.from(chunk).toString()));
  near.send(Buffer.from('one'));
  near.send(Buffer.from('two'));
  near.close('done');
  t.same(heard, [], 'not yet');
  t.equal((await far.ended).by, 'peer');
  t.same(heard, ['one', 'two'], 'before the goodbye, in order');
});
