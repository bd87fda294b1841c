/** The fonts of printed reports: Noto Sans, under the SIL Open Font License. The build has them in a folder of its own. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ROOT } from '../../../lib/index.ts';

const BUILT = new URL('fonts/', ROOT);
const FILES = Object.freeze({ plain: '400Regular/NotoSans_400Regular.ttf', bold: '700Bold/NotoSans_700Bold.ttf' });

/** A weight of the font. */
export type Weight = keyof typeof FILES;

/** The bytes of both weights, in TrueType. */
export async function readFonts(): Promise<Readonly<Record<Weight, Buffer>>> {
  const folder = existsSync(BUILT) ? BUILT : new URL('node_modules/@expo-google-fonts/noto-sans/', ROOT);
  const [plain, bold] = await Promise.all([
    readFile(new URL(FILES.plain, folder)),
    readFile(new URL(FILES.bold, folder)),
  ]);
  return { plain, bold };
}
