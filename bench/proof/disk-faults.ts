/** A disk is full to its last page for some time, and then has room again. */
import { type Fault, seconds, waiting } from './fault.ts';

const FULL_S = 60;

/** Of the instance with the meters, of one that waits, and of the database. */
export const diskFaults: readonly Fault[] = [
  {
    name: `the disk of the owner is full for ${FULL_S} s`,
    within: 0,
    async run({ owner }) {
      const { disk } = await owner();
      disk.fill();
      await seconds(FULL_S);
      disk.free();
    },
  },
  {
    name: `the disk of one that waits is full for ${FULL_S} s`,
    within: 0,
    async run(scene) {
      const { disk } = await waiting(scene);
      disk.fill();
      await seconds(FULL_S);
      disk.free();
    },
  },
  {
    name: `the disk of the database is full for ${FULL_S} s`,
    within: 0,
    async run({ database }) {
      database.disk.fill();
      await seconds(FULL_S);
      database.disk.free();
      // A server without room for its log ends, and whoever watches it starts it again.
      if (!database.runs('primary')) await database.begin('primary');
    },
  },
];
