/** What a request says of its caller counts where another instance has proved it, once; and a proof lets nobody in. */
import t from 'tap';
import { WebSocket } from 'ws';
import { ofInstances, PassedOn, PROOF_HEADER } from '../../lib/cluster/passed-on.ts';
import { send } from '../support/send.ts';
import { configOf } from '../support/world.ts';
import { memoryDatabase } from './support/memory-database.ts';
import { openPair } from './support/pair.ts';

const [ELSEWHERE, HERE] = ['192.0.2.7', '127.0.0.1'];

t.test('a forged or replayed request is one of whoever sent it', async (t) => {
  const database = await memoryDatabase();
  const { meter, begin, ask, passing } = await openPair(t, async () => database);
  const { base, instance } = await begin('first');
  await ask('PUT', `${base}/roof/config`, configOf(meter));
  const secret = await database.store().secret(new AbortController().signal);
  const url = new URL(`${base}/roof/config`);
  const me = { id: 'first', epoch: 1 };
  const said = { method: 'PUT', url: url.pathname, protocol: 'http', host: url.host, address: ELSEWHERE };
  const prove = (by = new PassedOn(secret), of = said, to = me) => by.prove({ ...of, byProxy: false }, to);
  const change = (proof: string) => {
    const forwarded = { 'X-Forwarded-For': ELSEWHERE, 'X-Forwarded-Proto': 'http', 'X-Forwarded-Host': url.host };
    const headers = { 'Content-Type': 'application/json', ...forwarded, [PROOF_HEADER]: proof };
    return passing(send(url, { method: 'PUT', body: '{"name":"Roof"}', headers }));
  };
  /** The caller of such a request, as the audit log has it. */
  const callerOf = async (proof: string): Promise<string> => {
    t.equal((await change(proof)).status, 200);
    const { records } = (await ask('GET', `${base}/_audit`)).json;
    return records[0].address;
  };

  const proof = prove();
  t.equal(await callerOf(proof), ELSEWHERE, 'an instance is believed');
  t.equal(await callerOf(proof), HERE, 'once');
  for (const [what, forged] of Object.entries({
    'of nobody': 'a 1 direct b',
    'of another cluster': prove(new PassedOn(Buffer.alloc(32, 6))),
    'of another caller': prove(undefined, { ...said, address: '192.0.2.8' }),
    'of another request': prove(undefined, { ...said, url: `${said.url}/x` }),
    'to another instance': prove(undefined, said, { ...me, id: 'second' }),
    'to an earlier start of this one': prove(undefined, said, { ...me, epoch: 0 }),
    'with a trusted proxy written into it': prove().replace('direct', 'proxy'),
  }))
    t.equal(await callerOf(forged), HERE, what);
  for (const path of ['/_place?host=192.0.2.1&port=2255', '/_promise'])
    t.equal(
      (await passing(send(new URL(path, url), { method: 'POST', headers: { [PROOF_HEADER]: prove() } }))).status,
      404,
    );

  t.equal((await ask('POST', `${base}/_keys`, { name: 'me', role: 'admin' })).status, 201);
  const { status, json } = await change(prove());
  t.match([status, json.code], [401, 'UNAUTHENTICATED'], 'a proof is no key');
  t.ok(instance.gateway());
});

t.test('a link is let in once, from the gateway of the same database, and from nobody else', async (t) => {
  const database = await memoryDatabase();
  const { begin, passing } = await openPair(t, async () => database, { share_meters: true });
  const { instance: gateway } = await begin('first');
  const { instance } = await begin('second');
  const secret = await database.store().secret(new AbortController().signal);
  const url = '/_sessions?gateway=first';
  const me = { id: 'second', epoch: 1 };
  const prove = (by = new PassedOn(secret), of = url, to = me) => by.prove(ofInstances('GET', of), to);
  /** What the handshake is answered with. */
  const opens = (path: string, proof?: string) =>
    passing(
      new Promise<number | undefined>((resolve) => {
        const headers = proof === undefined ? {} : { [PROOF_HEADER]: proof };
        const socket = new WebSocket(`ws://127.0.0.1:${instance.port}${path}`, { headers });
        socket.once('upgrade', ({ statusCode }) => resolve(statusCode));
        socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
        socket.on('error', () => {});
        t.teardown(() => socket.terminate());
      }),
    );
  const proof = prove();
  t.equal(await opens(url, proof), 101);
  t.equal(await opens(url, proof), 404, 'once');
  const other = '/_sessions?gateway=third';
  for (const [what, path, forged] of [
    ['without a proof', url, undefined],
    ['of nobody', url, 'a 1 direct b'],
    ['of another cluster', url, prove(new PassedOn(Buffer.alloc(32, 6)))],
    ['to another instance', url, prove(undefined, url, { ...me, id: 'third' })],
    ['to an earlier start of this one', url, prove(undefined, url, { ...me, epoch: 0 })],
    ['of one that is not the gateway', other, prove(undefined, other)],
  ] as const)
    t.equal(await opens(path, forged), 404, what);
  t.ok(gateway.gateway());
});
