/** A disk is full to its last page for some time, and then has room again. */
import { type Fault, instanceOf, type Roles, seconds, type Whose } from './fault.ts';

const FULL_S = 60;

const fills = (whose: Whose, roles: Roles): Fault => ({
  name: `the disk of ${roles[whose]} is full for ${FULL_S} s`,
  within: 0,
  // The gateway records the levels of all.
  lacks: whose === 'owner' ? Number.POSITIVE_INFINITY : 0,
  async run(scene) {
    const { disk, host } = await instanceOf(scene, whose);
    disk.fill();
    await seconds(FULL_S);
    disk.free();
    return host;
  },
});

/** Of the gateway, of another one, and of the database. */
export const diskFaultsOf = (roles: Roles): readonly Fault[] => [
  fills('owner', roles),
  fills('other', roles),
  {
    name: `the disk of the database is full for ${FULL_S} s`,
    within: 0,
    async run({ database }) {
      database.disk.fill();
      await seconds(FULL_S);
      database.disk.free();
      // A server without room for its log ends, and whoever watches it starts it again.
      if (!database.runs('primary')) await database.begin('primary');
      return undefined;
    },
  },
];
