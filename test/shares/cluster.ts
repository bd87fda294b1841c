import { shareOnServer } from '../support/share.ts';

await shareOnServer('cluster');
