/** What every store of a cluster must do. `open` gives an empty one with the units `1` and `2`. */
import type { Test } from 'tap';
import type { BeatRequest, ClusterAnswer, ClusterStore } from '../../../lib/cluster/contract.ts';
import { FORMER_OWNER } from '../../../lib/domain/former-owner.ts';
import { aboutMember } from './memory-store.ts';

/** Runs the suite. */
export async function storeKeepsContract(t: Test, open: () => Promise<ClusterStore>): Promise<void> {
  const begun = async () => {
    const store = await open();
    const { signal } = new AbortController();
    const join = (member: string) => store.ask({ kind: 'join', member, sites: ['x'], ...aboutMember(member) }, signal);
    const beat = (member: string, number: number, more: Partial<BeatRequest> = {}) =>
      store.ask(
        {
          ...{ kind: 'beat', member, epoch: 1, beat: number, answered: 0 },
          ...{ release: [], close: [], claim: [], voters: [], state: 'staying', ...more },
        },
        signal,
      );
    await join('a');
    await join('b');
    return { store, join, beat };
  };
  const ownersIn = (answer: ClusterAnswer) => answer !== 'refused' && answer.owners.map(({ member }) => member);

  await t.test('a unit of nobody goes to the first who claims it', async (t) => {
    const { beat } = await begun();
    t.strictSame(ownersIn(await beat('a', 1, { claim: ['1', 'unknown'] })), ['a', undefined]);
    t.strictSame(ownersIn(await beat('b', 1, { claim: ['1', '2'], release: ['1'] })), ['a', 'b']);
  });

  await t.test('a beat that another one has overtaken is refused and changes nothing', async (t) => {
    const { beat } = await begun();
    await beat('a', 2, { claim: ['1'] });
    t.equal(await beat('a', 2, { release: ['1'] }), 'refused');
    t.equal(await beat('a', 1, { release: ['1'] }), 'refused');
    t.strictSame(ownersIn(await beat('b', 1)), ['a', undefined]);
  });

  await t.test('who comes back keeps its units; what was sent before is refused', async (t) => {
    const { join, beat } = await begun();
    await beat('a', 1, { claim: ['1'] });
    t.strictSame(ownersIn(await join('a')), ['a', undefined]);
    t.equal(await beat('a', 2), 'refused');
    t.strictSame(ownersIn(await beat('a', 1, { epoch: 2, release: ['1'] })), [undefined, undefined]);
  });

  await t.test('a member is taken over only as it was seen', async (t) => {
    const { join, beat } = await begun();
    await beat('a', 1, { claim: ['1'] });
    const take = (epoch: number, number: number, at: number) =>
      beat('b', at, { close: [{ id: 'a', epoch, beat: number }], claim: ['1'] });
    t.strictSame(ownersIn(await take(1, 0, 1)), ['a', undefined]);
    t.strictSame(ownersIn(await take(2, 1, 2)), ['a', undefined]);
    t.strictSame(ownersIn(await take(1, 1, 3)), ['b', undefined]);
    t.equal(await beat('a', 2), 'refused');
    t.strictSame(ownersIn(await join('a')), ['b', undefined], 'and comes back without');
  });

  await t.test(
    'whom a member knows stands in its row from its first beat on, and not after it has joined again',
    async (t) => {
      const { join, beat } = await begun();
      const votersIn = (answer: ClusterAnswer) =>
        answer !== 'refused' && answer.members.find(({ id }) => id === 'a')?.voters;
      t.equal(votersIn(await beat('b', 1)), undefined);
      t.strictSame(votersIn(await beat('a', 1, { voters: ['b', 'c'] })), ['b', 'c']);
      t.strictSame(votersIn(await beat('b', 2)), ['b', 'c']);
      t.strictSame(votersIn(await beat('a', 2, { voters: [] })), []);
      t.equal(votersIn(await join('a')), undefined);
    },
  );

  await t.test('who is gone owns nothing and is heard no more', async (t) => {
    const { beat } = await begun();
    await beat('a', 1, { claim: ['1', '2'] });
    t.strictSame(ownersIn(await beat('a', 2, { state: 'gone' })), [undefined, undefined]);
    t.equal(await beat('a', 3, { claim: ['1'] }), 'refused');
  });

  await t.test(
    'a store that has gone back in time gives the units to nobody until their former owner was silent',
    async (t) => {
      for (const lost of [{ answered: 4 }, { epoch: 3 }]) {
        const { join, beat } = await begun();
        await beat('a', 1, { claim: ['1', '2'] });
        t.equal(await beat('b', 5, lost), 'refused', 'it was told of beats that the store does not know');
        t.equal(await beat('a', 2, { answered: 1 }), 'refused', 'all fences are closed');
        const back = await join('b');
        const [b] = back === 'refused' ? [] : back.members.filter(({ id }) => id === 'b');
        t.ok((b?.epoch ?? 0) > 1_000, 'with an epoch that nobody had');
        t.strictSame(ownersIn(back), [FORMER_OWNER.id, FORMER_OWNER.id]);
        const epoch = b?.epoch ?? 0;
        t.strictSame(ownersIn(await beat('b', 1, { epoch, claim: ['1', '2'] })), [FORMER_OWNER.id, FORMER_OWNER.id]);
        const former = back !== 'refused' && back.members.find(({ id }) => id === FORMER_OWNER.id);
        t.match(former, { open: true, leaving: true, address: '' });
        const close = [{ id: FORMER_OWNER.id, epoch: former ? former.epoch : 0, beat: 0 }];
        t.strictSame(ownersIn(await beat('b', 2, { epoch, answered: 1, close, claim: ['1'] })), ['b', undefined]);
      }
    },
  );

  await t.test(
    'a member that owns nothing is removed as it was seen; it is heard no more, and comes back under a later epoch',
    async (t) => {
      const { store, join, beat } = await begun();
      const { signal } = new AbortController();
      const remove = (id: string, epoch: number, number: number) => store.remove({ id, epoch, beat: number }, signal);
      const idsIn = (answer: ClusterAnswer) => answer !== 'refused' && answer.members.map(({ id }) => id);
      await beat('a', 1, { claim: ['1'] });
      t.notOk(await remove('a', 1, 1), 'it owns a unit');
      t.notOk(await remove('c', 1, 0), 'nobody knows it');
      await beat('b', 1);
      t.notOk(await remove('b', 1, 0), 'it has given a sign of life since');
      t.notOk(await remove('b', 2, 1));
      t.strictSame(idsIn(await beat('a', 2)), ['a', 'b']);
      t.ok(await remove('b', 1, 1));
      t.strictSame(idsIn(await beat('a', 3)), ['a']);
      t.equal(await beat('b', 2, { answered: 1, claim: ['2'] }), 'refused');
      t.strictSame(ownersIn(await beat('a', 4, { answered: 3 })), ['a', undefined], 'nothing was lost by it');
      const back = await join('b');
      t.strictSame(idsIn(back), ['a', 'b']);
      const [b] = back === 'refused' ? [] : back.members.filter(({ id }) => id === 'b');
      t.match(b, { epoch: 2, open: true });
      t.equal(await beat('b', 3, { claim: ['2'] }), 'refused', 'what it sent before comes too late');
      await beat('b', 1, { epoch: 2, state: 'gone' });
      t.strictSame(idsIn(await beat('a', 5)), ['a', 'b'], 'one that has left is named again');
    },
  );

  await t.test('a request whose signal has aborted is rejected', async (t) => {
    const store = await open();
    await t.rejects(
      store.ask({ kind: 'join', member: 'a', sites: [], ...aboutMember('a') }, AbortSignal.abort(new Error('late'))),
      {
        message: 'late',
      },
    );
  });
}
