/** Texts from a meter or another far end, as people and programs may read them. Pure. */

const LONGEST = 300;
/** More is not looked at. */
const MOST_CHARACTERS = 16_384;
const MASK = '***';

/** `secret` is masked also in Base64, as a part of something longer: `AUTH PLAIN AGdhdGV3YXkAc2VjcmV0`. Empty: nothing is masked. */
export function masked(words: string, secret: string): string {
  const looked = words.slice(0, MOST_CHARACTERS);
  if (secret === '') return looked;
  const forms = new Set([secret, encodeURIComponent(secret.toWellFormed())]);
  return [...forms].reduce((text, form) => withoutEncoded(text.replaceAll(form, MASK), form), looked);
}

/** Masked as by `masked`, and one short line. */
export function withoutSecret(words: string, secret: string): string {
  const shown = masked(words, secret);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const line = shown.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
}

/** Other letters may be directly before it, so each of the four possible beginnings of a group is tried. */
const withoutEncoded = (words: string, secret: string): string =>
  words.replace(/[A-Za-z0-9+/_-]{4,}={0,2}/g, (token) =>
    [0, 1, 2, 3].some((from) => Buffer.from(token.slice(from), 'base64').includes(secret)) ? MASK : token,
  );

/**
 * Cleans a text from a meter. C1 controls (U+0080 to U+009F) are replaced: JSON writes them as they are, and a terminal
 * obeys them. C0 controls need nothing here: JSON escapes them, values with them are refused, and `slm` and the log in
 * text replace them.
 */
const C1_CONTROLS = /[\u0080-\u009f]/g;

/**
 * The text with U+FFFD for each C1 control. All code that reads bytes of a meter as text (lines, FTP, files of the
 * card) must call it.
 */
export const meterText = (text: string): string => text.replace(C1_CONTROLS, '\ufffd');
