import { share } from '../support/share.ts';

await share(5, 5);
