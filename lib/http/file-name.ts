/** The name of a download. It comes from a device or a caller and is not trusted. */

const LONGEST_NAME = 200;

/** The last segment, without control and direction characters, not longer than a file system takes; in ASCII, too. */
export function attachmentName(given: string): { readonly name: string; readonly fallback: string } {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
  const name = [...plain].slice(0, LONGEST_NAME).join('') || 'file';
  return { name, fallback: name.replaceAll(/[^\x20-\x7e]/gu, '_') };
}
