import { shareOfBrowser } from '../support/share.ts';

await shareOfBrowser(2, 4);
