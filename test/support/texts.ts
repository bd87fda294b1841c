/** Texts for property tests. fast-check's own unit `binary` first makes a table of a million characters, in each process. */
import fc from 'fast-check';

/** Any code point, half surrogates too. */
export const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
