/** Is a package of evidence as it was signed? It needs no gateway and no network. */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { type Outcome, reportLines } from '../../plugins/evidence/verify/report.ts';
import { authoritiesFault } from '../../plugins/evidence/verify/stamp.ts';
import type { ByteSource } from '../../plugins/evidence/verify/zip.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { printed } from '../output.ts';

/** The command's own exit codes, the same as those of `client/python/verify.py`. */
const CODES: Readonly<Record<Outcome, number>> = { whole: 0, differs: 1, 'not a package': 2, unchecked: 3 };

export const VERIFY: readonly Command[] = [
  {
    name: 'verify',
    summary: 'Check a package of evidence: is it as it was signed, by whom, when, and what differs',
    words: [{ name: 'FILE', completion: 'file' }],
    options: [
      {
        name: 'fingerprint',
        value: 'KEY',
        help: 'the key that you know to be the gateway’s, sha256:…; another one is a difference',
      },
      {
        name: 'authority',
        value: 'PEM',
        help: 'a file with the certificates of a time stamp authority that you know; a stamp of another one, and none at all, is a difference',
      },
    ],
    examples: [
      'slm verify roof.zip',
      'slm verify roof.zip --json',
      `slm verify roof.zip --fingerprint sha256:${'0'.repeat(64)}`,
      'slm verify roof.zip --authority authority.pem',
    ],
    notes: [
      'It asks no gateway and uses no network. Exit code 0: the package is whole. 1: it differs, and each file, line and field that differs is named. 2: it is no package, or the file cannot be read. 3: nothing differs, but something could not be checked.',
    ],
    run: verify,
  },
];

async function verify(call: CommandCall): Promise<number> {
  const { fingerprint } = call.options;
  if (fingerprint !== undefined && !/^sha256:[0-9a-f]{64}$/.test(String(fingerprint)))
    throw new WrongWords('--fingerprint is sha256: and 64 digits from 0 to f, as the gateway shows it');
  const authorities = await authoritiesOf(call.options.authority);
  const path = call.words.FILE ?? '';
  const file = await open(path).catch((error: unknown) => {
    throw new WrongWords(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  try {
    const report = await verifyPackage(await sourceOf(file), {
      ...(fingerprint !== undefined && { fingerprint: String(fingerprint) }),
      authorities,
      onProgress: () => call.signal.throwIfAborted(),
    });
    printed(call, report, () => reportLines(report).join('\n'));
    return CODES[report.outcome];
  } finally {
    await file.close();
  }
}

/** The text of the file, if one is named. */
async function authoritiesOf(path: string | boolean | undefined): Promise<string | undefined> {
  if (typeof path !== 'string') return undefined;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new WrongWords(`--authority: ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  const fault = await authoritiesFault(text);
  if (fault !== undefined) throw new WrongWords(`--authority: ${path} is of no use: ${fault}`);
  return text;
}

async function sourceOf(file: FileHandle): Promise<ByteSource> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new WrongWords('FILE is not a file');
  return {
    size: stats.size,
    async read(offset, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, stats.size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return bytes.subarray(0, bytesRead);
    },
  };
}
