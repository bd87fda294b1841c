/** Proofs between instances: what is changed, used twice, or meant for another instance is not believed. */
import t from 'tap';
import { PassedOn } from '../../lib/cluster/passed-on.ts';

const SECRET = Buffer.alloc(32, 7);
const REQUEST = {
  method: 'POST',
  url: '/api/nl43/roof/start',
  address: '192.0.2.7',
  protocol: 'https',
  host: 'meters.example',
  byProxy: false,
};
const ME = { id: 'a', epoch: 3 };

t.test('a proof counts once', async (t) => {
  const proof = new PassedOn(SECRET).prove(REQUEST, ME);
  const receiver = new PassedOn(SECRET);
  t.strictSame(receiver.check(proof, REQUEST, ME), { byProxy: false });
  t.equal(receiver.check(proof, REQUEST, ME), undefined, 'sent again, it is refused');
});

t.test('a proof is for one request, one instance, and one start of it', async (t) => {
  const sender = new PassedOn(SECRET);
  const receiver = new PassedOn(SECRET);
  const changes = [
    ...['method', 'url', 'address', 'protocol', 'host'].map((name) => ({
      request: { ...REQUEST, [name]: 'x' },
      me: ME,
    })),
    { request: REQUEST, me: { id: 'b', epoch: 3 } },
    { request: REQUEST, me: { id: 'a', epoch: 4 } },
  ];
  for (const { request, me } of changes)
    t.equal(receiver.check(sender.prove(REQUEST, ME), request, me), undefined, JSON.stringify({ request, me }));
  const proof = sender.prove(REQUEST, ME);
  t.equal(receiver.check(proof.replace('direct', 'proxy'), REQUEST, ME), undefined, 'nobody makes himself a proxy');
  t.equal(receiver.check(proof.replace(/ \d+ /, ' 900 '), REQUEST, ME), undefined);
  t.equal(new PassedOn(Buffer.alloc(32, 8)).check(proof, REQUEST, ME), undefined, 'with another key');
  for (const text of ['', ' ', 'a b c', 'a 1 direct', `${proof}x`])
    t.equal(receiver.check(text, REQUEST, ME), undefined, text);
  t.strictSame(receiver.check(proof, REQUEST, ME), { byProxy: false }, 'and none of this used it up');
});

t.test('a proxy that the sender trusts stays one', async (t) => {
  const proof = new PassedOn(SECRET).prove({ ...REQUEST, byProxy: true }, ME);
  t.strictSame(new PassedOn(SECRET).check(proof, REQUEST, ME), { byProxy: true });
});

t.test('requests may overtake each other; what is far behind is refused, and little is remembered', async (t) => {
  const sender = new PassedOn(SECRET);
  const receiver = new PassedOn(SECRET);
  const proofs = Array.from({ length: 10_002 }, () => sender.prove(REQUEST, ME));
  const [first = '', second = ''] = proofs;
  t.strictSame(receiver.check(proofs.at(-2) ?? '', REQUEST, ME), { byProxy: false });
  t.strictSame(receiver.check(second, REQUEST, ME), { byProxy: false }, 'late by 9,999');
  t.strictSame(receiver.check(proofs.at(-1) ?? '', REQUEST, ME), { byProxy: false });
  t.equal(receiver.check(first, REQUEST, ME), undefined, 'late by 10,001: it could have been seen');
});
