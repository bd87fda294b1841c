import { shareOfBrowser } from '../support/share.ts';

await shareOfBrowser(3, 4);
