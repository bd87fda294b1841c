/** Families of meters that only tests know, as `lib/drivers/index.ts` has the built-in ones: one line for each. */
import type { Family } from '../../../lib/drivers/contract.ts';
import { JSONBOX } from './jsonbox/index.ts';
import { PUSHBOX } from './pushbox/index.ts';

export const TEST_FAMILIES: readonly Family[] = [JSONBOX, PUSHBOX];
