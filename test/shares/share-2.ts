import { share } from '../support/share.ts';

await share(2, 4);
