import { shareOfLong } from '../support/share.ts';

await shareOfLong();
