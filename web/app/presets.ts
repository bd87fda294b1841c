/** The periods of the day that an index can have, as the API names them. */
export const PRESETS: readonly (readonly [preset: string, index: 'lden' | 'ldn' | 'cnel', word: string])[] = [
  ['eu', 'lden', 'Lden, evening 19-23'],
  ['eu-late', 'lden', 'Lden, evening 20-23'],
  ['it', 'lden', 'Lden, Italy'],
  ['us', 'ldn', 'Ldn'],
  ['cnel', 'cnel', 'CNEL'],
];
