import { shareOfBrowser } from '../support/share.ts';

await shareOfBrowser(4, 4);
