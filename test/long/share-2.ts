import { shareOfLong } from '../support/share.ts';

await shareOfLong(2, 4);
