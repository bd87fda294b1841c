/** Promises: who is asked, how long they carry, and that nobody else can give one. */
import t from 'tap';
import { PassedOn } from '../../lib/cluster/passed-on.ts';
import { isPromise, promiseAsker, promiseProof, promiseQuestion } from '../../lib/cluster/promise-words.ts';
import { NeededPromises } from '../../lib/cluster/promises.ts';
import { CLUSTER_TIMES } from '../../lib/cluster/times.ts';

const at = (ms: number, jump = 0) => ({ elapsed: ms, wall: 1_000_000 + ms + jump });

t.test('all whom the store may name are asked', async (t) => {
  const promises = new NeededPromises(CLUSTER_TIMES);
  promises.sends(['b']);
  t.equal(promises.needed, undefined, 'before the first answered beat everybody may take over: promises are of no use');
  promises.answered(['b'], at(0));
  promises.sends(['c']);
  t.strictSame([...(promises.needed ?? [])], ['b', 'c'], 'a beat without an answer may have been stored');
  promises.answered(['c'], at(10));
  t.strictSame([...(promises.needed ?? [])], ['c']);
  promises.forget();
  t.equal(promises.needed, undefined);
});

t.test(
  'promises carry to the end of ten minutes after the last answered beat, and not where the computer slept',
  async (t) => {
    const promises = new NeededPromises(CLUSTER_TIMES);
    t.notOk(promises.mayCountFrom(at(0)));
    promises.answered([], at(0));
    const { promisedMs, ownMs } = CLUSTER_TIMES;
    t.ok(promises.mayCountFrom(at(promisedMs - ownMs)));
    t.notOk(promises.mayCountFrom(at(promisedMs - ownMs + 1)));
    t.ok(promises.mayCountFrom(at(60_000, 2_000)));
    t.notOk(promises.mayCountFrom(at(60_000, 2_001)));
  },
);

t.test('a promise is given by the instance that was asked, for the question that was asked, once', async (t) => {
  const secret = Buffer.alloc(32, 1);
  const [asker, voter] = [
    { id: 'a', epoch: 3 },
    { id: 'b', epoch: 5 },
  ];
  const [own, other] = [new PassedOn(secret), new PassedOn(secret)];
  const question = promiseQuestion(own, asker, voter);
  const forged = promiseQuestion(new PassedOn(Buffer.alloc(32, 2)), asker, voter);
  t.equal(promiseAsker(other, forged, voter), undefined, 'of another cluster');
  t.equal(promiseAsker(other, question, { ...voter, epoch: 6 }), undefined, 'for what this one was before');
  t.equal(promiseAsker(other, { ...question, url: question.url.replace('epoch=3', 'epoch=4') }, voter), undefined);
  t.strictSame(promiseAsker(other, question, voter), asker);
  t.equal(promiseAsker(other, question, voter), undefined, 'again');

  const proof = promiseProof(other, question, asker);
  const next = promiseQuestion(own, asker, voter);
  t.notOk(isPromise(own, next, proof, asker), 'an answer to another question');
  t.notOk(isPromise(own, question, question.proof, asker), 'the question itself');
  t.ok(isPromise(own, question, proof, asker));
  t.notOk(isPromise(own, question, proof, asker), 'again');
});
