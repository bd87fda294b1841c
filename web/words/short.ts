/** The short name of an English text. Pure; the build uses it, too. */

/** As the tables have it on their way to the browser, so that they do not carry the English texts: 32 bits (FNV-1a) in base 36. */
export function shortOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
