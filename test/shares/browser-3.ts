import { share } from '../support/share.ts';

await share('browser', 'moreBrowser');
