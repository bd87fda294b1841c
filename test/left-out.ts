/** Prints what no test for each change runs, and how long it takes. */
import { BEFORE_RELEASE } from './support/slow-files.ts';

/** `npm run test:more` runs two files at a time. */
const JOBS = 2;
const files = Object.keys(BEFORE_RELEASE);
const seconds = Object.values(BEFORE_RELEASE).reduce((sum, one) => sum + one, 0);
console.log(
  `Not run: ${files.length} files that run before a release, with \`npm run test:more\`, in about ${Math.ceil(seconds / JOBS / 60)} minutes:`,
);
console.log(
  files
    .map((file) => file.replace(/^test\/|(\.test)?\.ts$/g, ''))
    .toSorted()
    .join(', '),
);
