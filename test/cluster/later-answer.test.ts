/** Members and owners are read after a request, out of turn: what may have happened between the two. */
import t from 'tap';
import type { BeatRequest, ClusterView, MemberRow } from '../../lib/cluster/contract.ts';
import { answerFrom } from '../../lib/store/postgres/cluster-view.ts';
import { aboutMember } from './support/memory-store.ts';

const row = { epoch: 2, beat: 5, open: true, leaving: false, linked: true, sites: ['x'], voters: [] };
const seen = (more: Partial<MemberRow> = {}, timeline?: string): ClusterView => ({
  members: [{ id: 'a', ...row, ...aboutMember('a'), ...more }],
  owners: [],
  timeline,
});
const beat = (state: BeatRequest['state'] = 'staying'): BeatRequest => ({
  ...{ kind: 'beat', member: 'a', epoch: 2, beat: 5, answered: 4 },
  ...{ release: [], close: [], claim: [], voters: [], linked: true, state },
});
const done = { epoch: 2, timeline: '00000001' };

t.test('who was closed, or has joined again, since its request was done is refused', async (t) => {
  const same = seen();
  t.equal(answerFrom(same, beat(), done), same);
  t.equal(answerFrom(seen({ open: false }), beat(), done), 'refused');
  t.equal(answerFrom(seen({ epoch: 3 }), beat(), done), 'refused', 'another process with its id');
  t.equal(answerFrom({ members: [], owners: [] }, beat(), done), 'refused', 'a person has removed it');
  const gone = seen({ open: false });
  t.equal(answerFrom(gone, beat('gone'), done), gone, 'who has left was closed by that');
});

t.test('where another server has answered nobody knows what it knows of the request', async (t) => {
  t.throws(() => answerFrom(seen({}, '00000002'), beat(), done), { message: /another server is the database/ });
  t.ok(answerFrom(seen({}, '00000001'), beat(), done));
  t.ok(answerFrom(seen({}, '00000002'), beat(), { epoch: 2, timeline: undefined }), 'one that tells none');
});
