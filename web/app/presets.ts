import { say } from '../words/say.ts';

/** The periods of the day that an index can have, as the API names them. */
export const presets = (): readonly (readonly [preset: string, index: 'lden' | 'ldn' | 'cnel', word: string])[] => [
  ['eu', 'lden', say('Lden, evening 19-23')],
  ['eu-late', 'lden', say('Lden, evening 20-23')],
  ['it', 'lden', say('Lden, Italy')],
  ['us', 'ldn', 'Ldn'],
  ['cnel', 'cnel', 'CNEL'],
];
