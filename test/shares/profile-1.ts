import { shareOfProfile } from '../support/share.ts';

await shareOfProfile(1, 2);
