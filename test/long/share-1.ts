import { shareOfLong } from '../support/share.ts';

await shareOfLong(1, 4);
