import { share } from '../support/share.ts';

await share(3, 4);
