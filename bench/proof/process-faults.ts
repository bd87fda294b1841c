/** What happens to the process of an instance: it ends, is killed, or stands still. */
import { type Fault, instanceOf, NOT_COPIED_S, type Roles, seconds, type Whose } from './fault.ts';

/** Only a gateway that dies takes levels of others along. */
const lacksOf = (whose: Whose): number => (whose === 'owner' ? NOT_COPIED_S : 0);

/** It is stopped in order, and started when others have its meters. */
export const leaves = (whose: Whose, roles: Roles): Fault => ({
  name: `${roles[whose]} is stopped in order`,
  within: 5,
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.signal('SIGTERM');
    await instance.ended();
    await scene.owner();
    await instance.begin();
    return instance.host;
  },
});

/** It is killed and started again. */
export const restarts = (whose: Whose, roles: Roles): Fault => ({
  name: `the process of ${roles[whose]} is killed and started again at once`,
  within: 10,
  lacks: lacksOf(whose),
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.signal('SIGKILL');
    await instance.ended();
    await instance.begin();
    await scene.owner();
    return instance.host;
  },
});

/** Others take its meters. */
export const dies = (whose: Whose, roles: Roles): Fault => ({
  name: `the process of ${roles[whose]} is killed and stays away for two minutes`,
  within: 75,
  lacks: lacksOf(whose),
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.signal('SIGKILL');
    await instance.ended();
    await seconds(120);
    await instance.begin();
    return instance.host;
  },
});

/** `s`: how long; `within`: of the promise, s. */
export const standsStill = (whose: Whose, roles: Roles, s: number, within: number): Fault => ({
  name: `the process of ${roles[whose]} stands still for ${s} s (SIGSTOP)`,
  within,
  lacks: lacksOf(whose),
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.signal('SIGSTOP');
    await seconds(s);
    instance.signal('SIGCONT');
    await seconds(5);
    // One that stood still for longer than its lease has ended itself.
    if (!instance.isThere) await instance.begin();
    return instance.host;
  },
});
