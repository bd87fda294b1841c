/** Cables that are pulled, and computers that lose their power. */
import { type Fault, instanceOf, NOT_COPIED_S, type Roles, type Scene, seconds, type Whose } from './fault.ts';
import { giveAddress, HOSTS, type Host, setApart, setLink } from './network.ts';

async function pull(host: Host, s: number, { instances }: Scene): Promise<void> {
  setLink(host, false);
  await seconds(s);
  setLink(host, true);
  await seconds(10);
  for (const instance of instances) if (!instance.isThere) await instance.begin();
}

/** What it ends meanwhile reaches the meters when the cable is there again. */
export const isCutOff = (whose: Whose, roles: Roles, s: number): Fault => ({
  name: `${roles[whose]} is cut off for ${s} s`,
  within: whose === 'owner' || roles.isShared ? 150 : 0,
  lacks: whose === 'owner' ? NOT_COPIED_S : 0,
  async run(scene) {
    const { host } = await instanceOf(scene, whose);
    await pull(host, s, scene);
    return host;
  },
});

/** The others promise not to take over. */
export const databaseIsCutOff = (s: number): Fault => ({
  name: `the database is cut off for ${s} s`,
  within: 0,
  async run(scene) {
    await pull('primary', s, scene);
    return undefined;
  },
});

/** Each of them reaches all others, the database and the meters. */
export const areApart = (roles: Roles, s: number): Fault => ({
  name: `${roles.owner} and ${roles.other} do not reach each other for ${s} s`,
  within: 0,
  async run(scene) {
    const pair = [(await instanceOf(scene, 'owner')).host, (await instanceOf(scene, 'other')).host] as const;
    for (const host of pair) setApart(host, true);
    await seconds(s);
    for (const host of pair) setApart(host, false);
    await seconds(10);
    return undefined;
  },
});

/** Nobody says goodbye to the meters. */
export const losesPower = (whose: Whose, roles: Roles): Fault => ({
  name: `the computer of ${roles[whose]} loses its power; its address moves to another one after 20 s`,
  within: 75,
  lacks: whose === 'owner' ? NOT_COPIED_S : 0,
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    const { host } = instance;
    setLink(host, false);
    instance.signal('SIGKILL');
    await instance.ended();
    await seconds(20);
    const heir = scene.instances.find((each) => each !== instance && each.isThere)?.host ?? host;
    giveAddress(HOSTS[host], heir);
    await seconds(100);
    giveAddress(HOSTS[host], host);
    setLink(host, true);
    await instance.begin();
    return host;
  },
});
