/** Why something is noted of a time, in words. */
import type { schemas } from '../../client/index.ts';
import { say } from '../words/say.ts';

/** As the API names it. */
export type Reason = schemas.Note['reason'];

const WORDS: readonly (readonly [Reason, () => string])[] = [
  ['other', () => say('Other')],
  ['own_noise', () => say('Our own noise')],
  ['calibration', () => say('Calibration')],
  ['rain', () => say('Rain')],
  ['wind', () => say('Wind')],
  ['intrusion', () => say('Somebody at the microphone')],
  ['fault', () => say('Fault of the meter')],
];

/** All reasons, in the order of a form. */
export const reasonChoices = (): (readonly [Reason, string])[] =>
  WORDS.map(([reason, word]) => [reason, word()] as const);
/** Of one reason. */
export const reasonWord = (reason: Reason): string => WORDS.find(([name]) => name === reason)?.[1]() ?? reason;
