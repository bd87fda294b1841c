/** The usual problems of inputs in the language of the page. The gateway has them in English; one that is not here stays as it is. */
import { say } from '../words/say.ts';

type Found = Readonly<Record<string, string>>;

/** Messages of the gateway (`lib/http/checks.ts`), and their texts on the page. */
const PROBLEMS: readonly (readonly [message: RegExp, text: (found: Found) => string])[] = [
  [/^is required$/, () => say('is required')],
  [/^is given more than once$/, () => say('is given more than once')],
  [/^must not be empty$/, () => say('must not be empty')],
  [/^must not name the same twice$/, () => say('must not name the same twice')],
  [/^must be one of (?<choices>.+)$/, ({ choices = '' }) => say('must be one of {choices}', { choices })],
  [/^must be a whole number$/, () => say('must be a whole number')],
  [/^must be a number$/, () => say('must be a number')],
  [/^must be >= (?<least>\S+)$/, ({ least = '' }) => say('must be {least} or more', { least })],
  [/^must be <= (?<most>\S+)$/, ({ most = '' }) => say('must be {most} or less', { most })],
  [
    /^must not have more than (?<most>\d+) characters$/,
    ({ most = '' }) => say('must have {most} characters or fewer', { most }),
  ],
  [
    /^must not have fewer than (?<least>\d+) characters$/,
    ({ least = '' }) => say('must have {least} characters or more', { least }),
  ],
  [
    /^must not have more than (?<most>\d+) items$/,
    ({ most = '' }) => say('must have {most} entries or fewer', { most }),
  ],
  [
    /^must have (?<least>\d+) entries or more$/,
    ({ least = '' }) => say('must have {least} entries or more', { least }),
  ],
  [
    /^must have (?<least>\d+) to (?<most>\d+) characters; several words are easier to remember$/,
    ({ least = '', most = '' }) =>
      say('must have {least} to {most} characters; several words are easier to remember', { least, most }),
  ],
  [/^must not be the name$/, () => say('must not be the name')],
  [/^there is a person of this name$/, () => say('is the name of somebody else here')],
  [
    /^must be: up to 64 letters, digits, spaces and /,
    () => say('must have up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit'),
  ],
  [
    /^is no time zone; give an IANA name such as Europe\/Berlin$/,
    () => say('is no time zone; give an IANA name such as Europe/Berlin'),
  ],
  [
    /^is no day of the calendar; write it as 2026-12-25$/,
    () => say('is no day of the calendar; write it as 2026-12-25'),
  ],
];

/** `is required` in English. */
export function problemText(message: string): string {
  for (const [pattern, text] of PROBLEMS) {
    const found = pattern.exec(message);
    if (found) return text(found.groups ?? {});
  }
  return message;
}

/** `to 1` of `/to/0`, `rules 3, limit db` of `/rules/2/limit_db`: people count from 1. */
export const pathWords = (path: string): string =>
  path
    .replaceAll(/\/(\d+)(?=\/|$)/g, (_, index: string) => ` ${Number(index) + 1}`)
    .replaceAll('/', ', ')
    .replaceAll('_', ' ')
    .replace(/^[, ]+/, '');
