import { shareOfLong } from '../support/share.ts';

await shareOfLong(3, 4);
