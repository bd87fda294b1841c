import { shareOfCluster } from '../support/share.ts';

await shareOfCluster(1, 2);
