/** What goes wrong, in order. Each fault ends healed: all instances run and all links are there. */
import { setTimeout as pause } from 'node:timers/promises';
import { clockFaultsOf } from './clock-faults.ts';
import { diskFaultsOf } from './disk-faults.ts';
import { type Done, type Fault, type Roles, type Scene, seconds } from './fault.ts';
import { setLink } from './network.ts';
import { areApart, databaseIsCutOff, isCutOff, losesPower } from './network-faults.ts';
import { dies, leaves, restarts, standsStill } from './process-faults.ts';

/** Time until everybody knows that all is well again, ms. */
const SETTLED_MS = 20_000;

/** In this order: after the last one the database has moved. Where meters are shared out what hits one that serves comes beside. */
export function faultsOf(roles: Roles): readonly Fault[] {
  const served = (...faults: readonly Fault[]) => (roles.isShared ? faults : []);
  return [
    leaves('owner', roles),
    ...served(leaves('other', roles)),
    restarts('owner', roles),
    ...served(restarts('other', roles)),
    dies('owner', roles),
    ...served(dies('other', roles)),
    standsStill('owner', roles, 10, 15),
    ...served(standsStill('other', roles, 10, 15)),
    standsStill('owner', roles, 45, 75),
    // Its system keeps the connections of a process that stands still: the places are free when it goes on.
    standsStill('owner', roles, 90, 110),
    ...served(standsStill('other', roles, 90, 110)),
    isCutOff('owner', roles, 120),
    isCutOff('other', roles, roles.isShared ? 120 : 60),
    ...served(areApart(roles, 60)),
    databaseIsCutOff(20),
    databaseIsCutOff(120),
    ...databaseFaults,
    ...clockFaultsOf(roles),
    ...diskFaultsOf(roles),
    losesPower('owner', roles),
    promoted,
  ];
}

const databaseFaults: readonly Fault[] = [
  {
    name: 'the server of the database is started again',
    within: 0,
    async run({ database }) {
      await database.stop('primary', 'SIGINT');
      await database.begin('primary');
      return undefined;
    },
  },
  {
    name: 'the server of the database crashes and comes back after 15 s',
    within: 0,
    async run({ database }) {
      await database.stop('primary', 'SIGQUIT');
      await seconds(15);
      await database.begin('primary');
      return undefined;
    },
  },
];

const promoted: Fault = {
  name: 'the primary loses its power, and the standby is promoted after 20 s',
  within: 0,
  async run({ database }) {
    setLink('primary', false);
    await database.stop('primary', 'SIGQUIT');
    await seconds(20);
    database.promote();
    await seconds(60);
    setLink('primary', true);
    return undefined;
  },
};

/** Runs one fault and waits until all is quiet. Times in ms since 1970 UTC. */
export async function commit(fault: Fault, scene: Scene): Promise<Done> {
  const from = Date.now();
  const hit = await fault.run(scene);
  for (const instance of scene.instances) if (!instance.isThere) await instance.begin();
  await scene.owner();
  const even = scene.even();
  await pause(SETTLED_MS);
  const to = Date.now();
  await even;
  return { fault, hit, from, to };
}
