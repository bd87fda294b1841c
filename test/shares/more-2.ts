import { share } from '../support/share.ts';

await share('more', 'moreBrowser');
