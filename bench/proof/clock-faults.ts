/** The wall clock of one computer is an hour off. The others and their clocks stay as they are. */
import { type Fault, instanceOf, type Roles, seconds, type Whose } from './fault.ts';

const HOUR_S = 3_600;
/** Some beats. */
const OFF_S = 30;
/** The owner sends nothing to a meter until its next beat. */
const BEAT_S = 10;

/** How long the meters of the instance with the wrong clock may be without it. */
const withinOf = (whose: Whose, { isShared }: Roles): number => (whose === 'owner' || isShared ? BEAT_S : 0);

/** Levels have the time of the gateway. */
const lacksOf = (whose: Whose): number => (whose === 'owner' ? Number.POSITIVE_INFINITY : 0);

/** `off`: s. It jumps while the gateway runs, and is right again afterwards. */
const jumps = (whose: Whose, off: number, roles: Roles): Fault => ({
  name: `the clock of ${roles[whose]} is set an hour ${off > 0 ? 'forward' : 'back'}, and right again after ${OFF_S} s`,
  within: withinOf(whose, roles),
  clockOff: off,
  lacks: lacksOf(whose),
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.setClock(off);
    await seconds(OFF_S);
    instance.setClock(0);
    return instance.host;
  },
});

/** It starts with the wrong clock, which is set right afterwards. */
const starts = (whose: Whose, off: number, roles: Roles): Fault => ({
  name: `${roles[whose]} is killed and starts with a clock that is an hour ${off > 0 ? 'ahead' : 'behind'}, right again after ${OFF_S} s`,
  within: withinOf(whose, roles),
  clockOff: off,
  lacks: lacksOf(whose),
  async run(scene) {
    const instance = await instanceOf(scene, whose);
    instance.signal('SIGKILL');
    await instance.ended();
    instance.setClock(off);
    await instance.begin();
    await seconds(OFF_S);
    instance.setClock(0);
    return instance.host;
  },
});

/** Forward and back, of the gateway and of another one, while it runs and from its start. */
export const clockFaultsOf = (roles: Roles): readonly Fault[] => [
  jumps('owner', HOUR_S, roles),
  jumps('owner', -HOUR_S, roles),
  starts('owner', -HOUR_S, roles),
  starts('owner', HOUR_S, roles),
  jumps('other', HOUR_S, roles),
  jumps('other', -HOUR_S, roles),
  starts('other', HOUR_S, roles),
];
