/** Builds data lines for tests, by hand from the protocol sheet and not from the layouts that the decoder reads. */

/** One DOD channel with a different number in every place: 20.0, 20.1 ... */
export const MAIN_16 = [
  ' 20.0',
  ' 20.1',
  ' 20.2',
  ' 20.3',
  ' 20.4',
  ' 20.5',
  ' 20.6',
  ' 20.7',
  ' 20.8',
  ' 20.9',
  ' 21.0',
  ' 21.1',
  ' 21.2',
  ' 21.3',
  '0',
  '1',
];
export const OFF_16 = [...Array<string>(14).fill('  -.-'), '-', '-'];
export const MAIN_8 = [' 43.7', ' 43.2', ' 43.8', ' 43.6', ' 54.2', '  -.-', '0', '1'];
export const OFF_8 = [...Array<string>(6).fill('  -.-'), '-', '-'];

export const dod = (main = MAIN_16, sub1 = OFF_16, sub2 = OFF_16, sub3 = OFF_16): string =>
  [main, sub1, sub2, sub3].flat().join(',');
export const drd = (counter = '163', main = MAIN_8, sub1 = OFF_8): string =>
  [counter, main, sub1, OFF_8, OFF_8].flat().join(',');

/** The same list with one place changed. */
export const withField = (list: readonly string[], index: number, text: string): string[] => list.with(index, text);
