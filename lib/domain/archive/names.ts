/**
 * Names in a ZIP. They come from a card and are unpacked on any system: no name leaves its folder or is a device of
 * Windows. Two names that differ only in case or in the form of an accent become different files.
 */

const LONGEST_NAME = 200;
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * One segment. Never empty, never `.` or `..`, without separators, marks of direction, control characters and
 * characters that Windows refuses.
 */
export function safeName(given: string): string {
  const plain = given
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD/\\:*?"<>|]/gu, '_');
  const cut = [...plain].slice(0, LONGEST_NAME).join('');
  const short = cut.replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return short === '' ? '_' : DEVICES.test(short) ? `_${short}` : short;
}

/** Gives each path of a card one path in the ZIP, and no two the same. A repeated path gets the same name. */
export class ZipNames {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** `path` is `/`-separated; the answer has no slash at its beginning. */
  of(path: string): string {
    let source = '';
    let target = '';
    for (const segment of path.split('/').filter((name) => name !== '')) {
      source += `/${segment}`;
      const next = this.#given.get(source) ?? this.#free(target, safeName(segment));
      this.#given.set(source, next);
      target = next;
    }
    return target === '' ? this.#free('', '_') : target;
  }

  /** Keeps this name free: no path of a card gets it. */
  reserve(name: string): void {
    this.#taken.add(keyOf(name));
  }

  #free(folder: string, name: string): string {
    const dot = name.lastIndexOf('.');
    const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let count = 1; ; count += 1) {
      const candidate = `${folder}${folder && '/'}${count === 1 ? name : `${stem} (${count})${end}`}`;
      if (this.#taken.has(keyOf(candidate))) continue;
      this.reserve(candidate);
      return candidate;
    }
  }
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
