import { shareOfProfile } from '../support/share.ts';

await shareOfProfile(2, 2);
