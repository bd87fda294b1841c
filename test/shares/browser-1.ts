import { shareOfBrowser } from '../support/share.ts';

await shareOfBrowser(1, 4);
