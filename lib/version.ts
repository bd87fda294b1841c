/** The version of the package this file is in. */
import { readFileSync } from 'node:fs';
import { ROOT } from './root.ts';

const text = readFileSync(new URL('package.json', ROOT), 'utf8');

/** Of `package.json`: `0.3.0`. */
export const VERSION: string = (JSON.parse(text) as { version: string }).version;
