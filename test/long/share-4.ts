import { shareOfLong } from '../support/share.ts';

await shareOfLong(4, 4);
