/** Instances on the command line: their list, and the removal of an instance by its name or its id. */
import { join } from 'node:path';
import t from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import type { MemberState } from '../../lib/cluster/contract.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { placesIn } from '../support/empty-data.ts';
import { slm } from './setup.ts';

t.test('instances are listed; a silent or stopped instance is removed', async (t) => {
  const usual = { address: 'http://192.0.2.10:8100', version: '1', lastSeen: undefined, isSelf: false };
  let members: readonly MemberState[] = [
    { ...usual, id: 'n', name: 'north', state: 'active', isSelf: true },
    { ...usual, id: 's', name: 'south', state: 'silent' },
    { ...usual, id: 'e', name: 'east', state: 'left' },
    { ...usual, id: 'e2', name: 'east', state: 'silent' },
  ];
  const instance = {
    ownership: { member: 'n', incarnation: 1 },
    mayAct: () => true,
    troubles: () => [],
    known: () => ({ members, takeovers: 1, gap: undefined }),
    remove: async (id: string) => {
      if (id === 'e2') return false;
      members = members.filter((one) => one.id !== id);
      return true;
    },
    beforeListen: async () => {},
  };
  const clock = new VirtualClock();
  const passing = <T>(work: Promise<T>) => clock.until(work);
  const settings = { ...placesIn(join(t.testdir(), 'data')), port: 0 };
  const gateway = await passing(startGateway(settings, { clock, log: createLog('silent'), instance }));
  t.teardown(() => passing(gateway.stop()));
  const world = { clock, passing, base: gateway.baseUrl };
  const remove = (name: string) => slm(world, `cluster remove ${name}`);

  const listed = (await slm(world, 'cluster')).out;
  t.match(listed, /north +active[\s\S]*south +silent/);
  t.match(await remove('south'), { code: 0, out: /^The instance south is removed\./ });
  t.match(await remove('south'), { err: /There is no instance south\./ });
  t.match(await remove('north'), { err: /north is active: only a silent or stopped instance/ });
  t.match(await remove('east'), { err: /several instances.*e, e2/ });
  t.match(await remove('e2'), { err: /has just given a sign of life/ });
  t.match(await remove('e'), { code: 0, out: /east is removed/ });
  t.match((await slm(world, 'cluster --json')).json, [{ name: 'north' }, { id: 'e2' }]);
  for (const name of ['north', 'nobody', '../_keys']) t.not((await remove(name)).code, 0);
});
