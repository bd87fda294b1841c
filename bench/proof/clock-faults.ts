/** The wall clock of one computer is an hour off. The others and their clocks stay as they are. */
import { type Fault, type Scene, seconds, waiting } from './fault.ts';
import type { ProofInstance } from './programs.ts';

const HOUR_S = 3_600;
/** Some beats. */
const OFF_S = 30;
/** The owner sends nothing to a meter until its next beat. */
const BEAT_S = 10;

const who = { owner: 'the owner', waiting: 'one that waits' } as const;
const of = (scene: Scene, whose: keyof typeof who): Promise<ProofInstance> =>
  whose === 'owner' ? scene.owner() : waiting(scene);

/** `off`: s. It jumps while the gateway runs, and is right again afterwards. */
const jumps = (whose: keyof typeof who, off: number): Fault => ({
  name: `the clock of ${who[whose]} is set an hour ${off > 0 ? 'forward' : 'back'}, and right again after ${OFF_S} s`,
  within: whose === 'owner' ? BEAT_S : 0,
  clockOff: off,
  async run(scene) {
    const instance = await of(scene, whose);
    instance.setClock(off);
    await seconds(OFF_S);
    instance.setClock(0);
  },
});

/** It starts with the wrong clock, which is set right afterwards. */
const starts = (whose: keyof typeof who, off: number): Fault => ({
  name: `${who[whose]} is killed and starts with a clock that is an hour ${off > 0 ? 'ahead' : 'behind'}, right again after ${OFF_S} s`,
  within: whose === 'owner' ? BEAT_S : 0,
  clockOff: off,
  async run(scene) {
    const instance = await of(scene, whose);
    instance.signal('SIGKILL');
    await instance.ended();
    instance.setClock(off);
    await instance.begin();
    await seconds(OFF_S);
    instance.setClock(0);
  },
});

/** Forward and back, of the one that has the meters and of one that waits, while it runs and from its start. */
export const clockFaults: readonly Fault[] = [
  jumps('owner', HOUR_S),
  jumps('owner', -HOUR_S),
  starts('owner', -HOUR_S),
  starts('owner', HOUR_S),
  jumps('waiting', HOUR_S),
  jumps('waiting', -HOUR_S),
  starts('waiting', HOUR_S),
];
