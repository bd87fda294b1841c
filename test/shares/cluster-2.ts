import { shareOfCluster } from '../support/share.ts';

await shareOfCluster(2, 2);
