/** What goes wrong, in order. Each fault ends healed: all instances run and all links are there. */
import { setTimeout as pause } from 'node:timers/promises';
import { clockFaults } from './clock-faults.ts';
import { diskFaults } from './disk-faults.ts';
import { type Done, type Fault, type Scene, seconds, waiting } from './fault.ts';
import { giveAddress, HOSTS, type Host, setLink } from './network.ts';

/** Time until everybody knows that all is well again, ms. */
const SETTLED_MS = 20_000;

const stopped = (s: number, within: number): Fault => ({
  name: `the process of the owner stands still for ${s} s (SIGSTOP)`,
  within,
  async run({ owner }) {
    const instance = await owner();
    instance.signal('SIGSTOP');
    await seconds(s);
    instance.signal('SIGCONT');
    await seconds(5);
    // One that stood still for longer than its lease has ended itself.
    if (!instance.isThere) await instance.begin();
  },
});

const cut = (name: string, within: number, s: number, of: (scene: Scene) => Promise<Host>): Fault => ({
  name: `${name} is cut off for ${s} s`,
  within,
  async run(scene) {
    const host = await of(scene);
    setLink(host, false);
    await seconds(s);
    setLink(host, true);
    await seconds(10);
    for (const instance of scene.instances) if (!instance.isThere) await instance.begin();
  },
});

/** In this order: after the last one the database has moved. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'the owner is stopped in order',
    within: 5,
    async run({ owner }) {
      const instance = await owner();
      instance.signal('SIGTERM');
      await instance.ended();
      await owner();
      await instance.begin();
    },
  },
  {
    name: 'the process of the owner is killed and started again at once',
    within: 10,
    async run({ owner }) {
      const instance = await owner();
      instance.signal('SIGKILL');
      await instance.ended();
      await instance.begin();
      await owner();
    },
  },
  {
    name: 'the process of the owner is killed and stays away for two minutes',
    within: 75,
    async run({ owner }) {
      const instance = await owner();
      instance.signal('SIGKILL');
      await instance.ended();
      await seconds(120);
      await instance.begin();
    },
  },
  stopped(10, 15),
  stopped(45, 75),
  // Its system keeps the connections of a process that stands still: the places are free when it goes on.
  stopped(90, 110),
  // What it ends meanwhile reaches the meters when the cable is there again.
  cut('the owner', 150, 120, async ({ owner }) => (await owner()).host),
  cut('one that waits', 0, 60, async (scene) => (await waiting(scene)).host),
  cut('the database', 0, 20, async () => 'primary'),
  // The others promise not to take over.
  cut('the database', 0, 120, async () => 'primary'),
  {
    name: 'the server of the database is started again',
    within: 0,
    async run({ database }) {
      await database.stop('primary', 'SIGINT');
      await database.begin('primary');
    },
  },
  {
    name: 'the server of the database crashes and comes back after 15 s',
    within: 0,
    async run({ database }) {
      await database.stop('primary', 'SIGQUIT');
      await seconds(15);
      await database.begin('primary');
    },
  },
  ...clockFaults,
  ...diskFaults,
  {
    name: 'the computer of the owner loses its power; its address moves to another one after 20 s',
    within: 75,
    async run({ owner, instances }) {
      const instance = await owner();
      const { host } = instance;
      setLink(host, false);
      instance.signal('SIGKILL');
      await instance.ended();
      await seconds(20);
      const heir = instances.find((each) => each !== instance && each.isThere)?.host ?? host;
      giveAddress(HOSTS[host], heir);
      await seconds(100);
      giveAddress(HOSTS[host], host);
      setLink(host, true);
      await instance.begin();
    },
  },
  {
    name: 'the primary loses its power, and the standby is promoted after 20 s',
    within: 0,
    async run({ database }) {
      setLink('primary', false);
      await database.stop('primary', 'SIGQUIT');
      await seconds(20);
      database.promote();
      await seconds(60);
      setLink('primary', true);
    },
  },
];

/** Runs one fault and waits until all is quiet. Times in ms since 1970 UTC. */
export async function commit(fault: Fault, scene: Scene): Promise<Done> {
  const from = Date.now();
  await fault.run(scene);
  for (const instance of scene.instances) if (!instance.isThere) await instance.begin();
  await scene.owner();
  await pause(SETTLED_MS);
  return { fault, from, to: Date.now() };
}
