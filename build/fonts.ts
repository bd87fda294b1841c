/** The fonts of printed reports in the build: compressed, and of the Japanese one the characters that people write. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import subsetFont from 'subset-font';

const PACKAGES = 'node_modules/@expo-google-fonts';
const LATIN = ['noto-sans/400Regular/NotoSans_400Regular.ttf', 'noto-sans/700Bold/NotoSans_700Bold.ttf'] as const;
const JAPANESE = 'biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf';
const LICENCES = ['noto-sans/LICENSE_FONT', 'biz-udpgothic/LICENSE_FONT'] as const;
/** Higher ones need ten times as long for 3 % less. */
const QUALITY = 9;
/** Rows of JIS X 0208, and cells of each. */
const [ROWS, CELLS] = [84, 94];
/** Latin with its accents up to U+024F, half width forms, and frequent characters of names outside JIS X 0208. */
const RANGES = [
  ...[
    [0x20, 0x24f],
    [0x2010, 0x2027],
    [0xff01, 0xff9f],
    [0x2460, 0x2473],
    [0x2160, 0x2179],
  ],
  ...[
    [0x3000, 0x30ff],
    [0x3220, 0x3243],
    [0x3280, 0x32b0],
    [0xf900, 0xfaff],
    [0x9ad9, 0x9ad9],
  ],
] as const;

/** Paths of the files that {@link writeFonts} takes, below the root. */
export const FONT_FILES: readonly string[] = [...LATIN, JAPANESE, ...LICENCES].map((name) => `${PACKAGES}/${name}`);

/** Into `folder`, under the names of the packages, with the ending `.br`. */
export async function writeFonts(root: string, folder: string): Promise<void> {
  const read = (name: string) => readFileSync(join(root, PACKAGES, name));
  const write = (name: string, bytes: Buffer) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(
      join(folder, `${name}.br`),
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
    );
  };
  for (const name of LATIN) write(name, read(name));
  const options = { targetFormat: 'truetype', noLayoutClosure: true, noHinting: true } as const;
  write(JAPANESE, await subsetFont(read(JAPANESE), japanese(), options));
  for (const name of LICENCES) cpSync(join(root, PACKAGES, name), join(folder, name));
}

/** All characters of JIS X 0208, as EUC-JP has them, and the ranges. */
function japanese(): string {
  const decoder = new TextDecoder('euc-jp');
  const bytes = Array.from({ length: ROWS * CELLS }, (_, n) => [0xa1 + Math.floor(n / CELLS), 0xa1 + (n % CELLS)]);
  const standard = decoder.decode(Uint8Array.from(bytes.flat())).replaceAll('\ufffd', '');
  const others = RANGES.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, n) => String.fromCodePoint(from + n)),
  );
  return [...new Set([...standard, ...others])].join('');
}
