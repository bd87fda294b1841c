import { share } from '../support/share.ts';

await share(6, 6);
