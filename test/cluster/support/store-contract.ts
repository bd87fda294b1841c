/** What every store of a cluster must do. `open` gives an empty one that is made with these units, of the network `x`. */
import type { Test } from 'tap';
import type { BeatRequest, ClusterAnswer, ClusterStore } from '../../../lib/cluster/contract.ts';
import { GATEWAY_ROLE } from '../../../lib/domain/cluster-units.ts';
import { FORMER_OWNER } from '../../../lib/domain/former-owner.ts';
import { aboutMember } from './memory-store.ts';

/** A store, and how another server becomes its database without a change that is lost. */
export interface TestedStore {
  readonly store: ClusterStore;
  readonly failOver: () => Promise<void>;
}

/** Runs the suite. */
export async function storeKeepsContract(
  t: Test,
  open: (units: readonly string[]) => Promise<TestedStore>,
): Promise<void> {
  const begun = async (units: readonly string[] = ['1', '2']) => {
    const { store, failOver } = await open(units);
    const { signal } = new AbortController();
    const join = (member: string) => store.ask({ kind: 'join', member, sites: ['x'], ...aboutMember(member) }, signal);
    const beat = (member: string, number: number, more: Partial<BeatRequest> = {}) =>
      store.ask(
        {
          ...{ kind: 'beat', member, epoch: 1, beat: number, answered: 0 },
          ...{ release: [], close: [], claim: [], voters: [], linked: true, state: 'staying', ...more },
        },
        signal,
      );
    await join('a');
    await join('b');
    return { store, failOver, join, beat };
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
    'whom a member knows stands in its row from its first beat on, also after it has joined again, until it was gone',
    async (t) => {
      const { join, beat } = await begun();
      const votersIn = (answer: ClusterAnswer) =>
        answer !== 'refused' && answer.members.find(({ id }) => id === 'a')?.voters;
      t.equal(votersIn(await beat('b', 1)), undefined);
      t.strictSame(votersIn(await beat('a', 1, { voters: ['b', 'c'] })), ['b', 'c']);
      t.strictSame(votersIn(await beat('b', 2)), ['b', 'c']);
      t.strictSame(votersIn(await beat('a', 2, { voters: ['c'] })), ['c']);
      t.strictSame(votersIn(await join('a')), ['c'], 'a joining that comes late does not end what it was promised');
      await beat('a', 1, { epoch: 2, voters: ['c'], state: 'gone' });
      t.equal(votersIn(await join('a')), undefined);
    },
  );

  await t.test(
    'whether the gateway reaches a member stands in its row, and not before it says so under its epoch',
    async (t) => {
      const { join, beat } = await begun();
      const linkedIn = (answer: ClusterAnswer) =>
        answer !== 'refused' && answer.members.find(({ id }) => id === 'a')?.linked;
      t.equal(linkedIn(await beat('b', 1)), false);
      t.equal(linkedIn(await beat('a', 1)), true);
      t.equal(linkedIn(await beat('b', 2)), true);
      t.equal(linkedIn(await beat('a', 2, { linked: false })), false);
      t.equal(linkedIn(await beat('a', 3)), true);
      t.equal(linkedIn(await join('a')), false);
      t.equal(linkedIn(await beat('a', 1, { epoch: 2 })), true);
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

  /** `a` is the gateway; a row as one word. */
  const shared = async () => {
    const { beat, ...rest } = await begun([GATEWAY_ROLE, 'own']);
    await beat('a', 1, { claim: [GATEWAY_ROLE] });
    const named = (...units: string[]) => ({ units: units.map((unit) => ({ unit, site: 'x' })) });
    const rows = (answer: ClusterAnswer) =>
      answer !== 'refused' &&
      answer.owners
        .filter(({ unit }) => unit !== GATEWAY_ROLE && unit !== 'own')
        .map(({ unit, site, member, removed }) => `${unit}${site} ${member}${removed ? ' removed' : ''}`)
        .toSorted();
    return { ...rest, beat, named, rows };
  };

  await t.test('units that the gateway names are nobody’s, or its own where it claims them with them', async (t) => {
    const { beat, named, rows } = await shared();
    const first = await beat('a', 2, { ...named('1', '2', '2'), claim: ['2', 'unknown'] });
    t.strictSame(rows(first), ['1x undefined', '2x a']);
    t.match(first !== 'refused' && first.owners.find(({ unit }) => unit === '1'), { pinned: undefined });
    t.strictSame(rows(await beat('b', 1, { claim: ['1', '2'] })), ['1x b', '2x a']);
    t.strictSame(rows(await beat('a', 3, named('1', '2'))), ['1x b', '2x a'], 'and keep their owners');
    const moved = { units: [{ unit: '1', site: 'y' }, ...named('2').units] };
    t.strictSame(rows(await beat('a', 4, moved)), ['1y b', '2x a'], 'also in another network');
    t.strictSame(rows(await beat('a', 5)), ['1y b', '2x a'], 'a beat that names none changes nothing');
  });

  await t.test('a unit that is not named any more has no new owner before the old one gave it away', async (t) => {
    const { beat, named, rows } = await shared();
    await beat('a', 2, { ...named('1', '2', '3'), claim: ['1'] });
    await beat('b', 1, { claim: ['2'] });
    t.strictSame(rows(await beat('a', 3, { ...named(), claim: ['2', '3'] })), ['1x a removed', '2x b removed']);
    t.strictSame(rows(await beat('a', 4, { ...named('2'), release: ['1'] })), ['2x b'], 'named again it stays');
    await beat('a', 5, named());
    t.strictSame(rows(await beat('b', 2, { release: ['2'], claim: ['2'] })), []);
    const answer = await beat('a', 6, named());
    t.equal(answer !== 'refused' && answer.owners.length, 2, 'what the store was made with stays');
    t.strictSame(rows(await beat('a', 7, { ...named('2'), claim: ['2'] })), ['2x a']);
  });

  await t.test('a removed unit goes with its owner, if it is taken over or gone', async (t) => {
    for (const ends of ['taken over', 'gone']) {
      const { beat, named, rows } = await shared();
      await beat('a', 2, named('1', '2'));
      await beat('b', 1, { claim: ['1', '2'] });
      t.strictSame(rows(await beat('a', 3, named('2'))), ['1x b removed', '2x b']);
      if (ends === 'gone') await beat('b', 2, { state: 'gone' });
      const close = [{ id: 'b', epoch: 1, beat: 1 }];
      t.strictSame(rows(await beat('a', 4, { close, claim: ['1', '2'] })), ['2x a'], ends);
    }
  });

  await t.test('only the gateway names units; one that is not it any more changes nothing', async (t) => {
    const { join, beat, named, rows } = await shared();
    await beat('a', 2, named('1'));
    t.strictSame(rows(await beat('b', 1, named('2'))), ['1x undefined']);
    t.strictSame(rows(await beat('b', 2, { ...named('2'), claim: [GATEWAY_ROLE] })), ['1x undefined']);
    t.equal(await beat('a', 1, named('2')), 'refused', 'a late beat');
    t.strictSame(rows(await beat('a', 3, { ...named('2'), release: [GATEWAY_ROLE] })), ['1x undefined']);
    await beat('b', 3, { claim: [GATEWAY_ROLE] });
    t.strictSame(rows(await beat('a', 4, named('2'))), ['1x undefined'], 'also before it knows it');
    t.strictSame(rows(await beat('b', 4, named('3'))), ['3x undefined']);
    await join('b');
    t.equal(await beat('b', 5, named('4')), 'refused');
    const none = { ...named('4'), state: 'gone' as const };
    t.strictSame(rows(await beat('b', 1, { epoch: 2, ...none })), ['3x undefined'], 'nor with its last beat');
  });

  await t.test(
    'where the store has gone back in time all units are the former owner’s, also removed ones',
    async (t) => {
      const { join, beat, named, rows } = await shared();
      await beat('a', 2, { ...named('1', '2'), claim: ['1'] });
      await beat('a', 3, named('2'));
      t.equal(await beat('b', 5, { answered: 4 }), 'refused');
      const back = await join('b');
      t.strictSame(rows(back), [`1x ${FORMER_OWNER.id} removed`, `2x ${FORMER_OWNER.id}`]);
      const epochOf = (id: string) => (back !== 'refused' && back.members.find((one) => one.id === id)?.epoch) || 0;
      const beats = (number: number, more: Partial<BeatRequest>) => beat('b', number, { epoch: epochOf('b'), ...more });
      t.strictSame(
        rows(await beats(1, { ...named('3'), claim: [GATEWAY_ROLE, '3'] })),
        rows(back),
        'nobody is the gateway',
      );
      const close = [{ id: FORMER_OWNER.id, epoch: epochOf(FORMER_OWNER.id), beat: 0 }];
      t.strictSame(rows(await beats(2, { close, claim: [GATEWAY_ROLE, '1', '2'] })), ['2x b']);
      t.strictSame(rows(await beats(3, { ...named('3'), claim: ['3'] })), ['2x b removed', '3x b']);
    },
  );

  /** `a` and `b` know each other and have a unit each, a third one is nobody's, and another server is the database now. */
  const failedOver = async () => {
    const { failOver, beat, ...rest } = await begun(['1', '2', '3']);
    await beat('a', 1, { claim: ['1'], voters: ['b'] });
    await beat('b', 1, { claim: ['2'], voters: ['a'] });
    await failOver();
    const first = await beat('a', 2, { answered: 1, voters: ['b'], timeline: 'of before', claim: ['3'] });
    const timeline = first === 'refused' ? undefined : first.timeline;
    const former = (answer: ClusterAnswer) =>
      answer === 'refused' ? undefined : answer.members.find(({ id }) => id === FORMER_OWNER.id);
    const { epoch = 0 } = former(first) ?? {};
    return { ...rest, failOver, beat, first, timeline, former, seen: { id: FORMER_OWNER.id, epoch, beat: 0 } };
  };

  await t.test(
    'where another server is the database owners keep their units, and what is nobody’s waits for a former owner',
    async (t) => {
      const { beat, first, timeline, former, seen, failOver } = await failedOver();
      t.type(timeline, 'string');
      t.strictSame(ownersIn(first), ['a', 'b', FORMER_OWNER.id]);
      t.match(former(first), { open: true, leaving: true, beat: 0, address: '' });
      t.strictSame(
        former(first)?.voters?.toSorted(),
        ['a', 'b'],
        'each is asked before another one goes on without it',
      );
      t.strictSame(former(await beat('b', 2, { timeline })), former(first), 'once');
      const given = await beat('b', 3, { timeline, release: ['2'] });
      t.strictSame(ownersIn(given), ['a', undefined, FORMER_OWNER.id], 'what its owner gives away is free at once');
      await failOver();
      const second = former(await beat('a', 3, { answered: 2, timeline: 'of before' }));
      t.ok((second?.epoch ?? 0) > seen.epoch, 'all begin to wait anew');
      t.strictSame(second?.voters, ['b'], 'b does not name a any more');
    },
  );

  await t.test('what was sent before the failover closes nobody, and gives units to the former owner', async (t) => {
    for (const state of ['staying', 'gone'] as const) {
      const { beat, timeline, seen } = await failedOver();
      const close = [{ id: 'a', epoch: 1, beat: 2 }];
      const late = { timeline: 'of before', close, claim: ['1', '2'], release: state === 'gone' ? [] : ['2'] };
      t.strictSame(ownersIn(await beat('b', 2, { ...late, state })), ['a', FORMER_OWNER.id, FORMER_OWNER.id], state);
      await beat('a', 3, { timeline, close: [seen] });
      t.strictSame(
        ownersIn(await beat('a', 4, { timeline })),
        ['a', FORMER_OWNER.id, FORMER_OWNER.id],
        'for the whole time',
      );
    }
    const { beat, timeline, seen } = await failedOver();
    await beat('a', 3, { timeline, close: [seen] });
    const late = await beat('b', 2, { timeline: 'of before', release: ['2'] });
    t.equal(late, 'refused', 'and is refused when its time is over');
    t.strictSame(ownersIn(await beat('a', 4, { timeline })), ['a', 'b', undefined]);
  });

  await t.test('who joins after a failover has no units until the time of the former owner is over', async (t) => {
    const { join, beat, timeline, seen } = await failedOver();
    t.strictSame(ownersIn(await join('b')), ['a', FORMER_OWNER.id, FORMER_OWNER.id]);
    const early = await beat('a', 3, { timeline, close: [seen] });
    t.strictSame(ownersIn(early), ['a', FORMER_OWNER.id, FORMER_OWNER.id], 'all begin to wait anew');
    await beat('a', 4, { timeline, close: [{ ...seen, beat: 1 }] });
    t.strictSame(ownersIn(await join('a')), ['a', undefined, undefined]);
  });

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
    const { store } = await open([]);
    await t.rejects(
      store.ask({ kind: 'join', member: 'a', sites: [], ...aboutMember('a') }, AbortSignal.abort(new Error('late'))),
      {
        message: 'late',
      },
    );
  });
}
