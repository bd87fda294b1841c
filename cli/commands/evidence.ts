/** Packages of evidence: made by the gateway, fetched from it. `verify` checks one without it. */

import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { schemas } from '../../client/index.ts';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { type Outcome, reportLines } from '../../plugins/evidence/verify/report.ts';
import { authoritiesFault } from '../../plugins/evidence/verify/stamp.ts';
import type { ByteSource } from '../../plugins/evidence/verify/zip.ts';
import { givenIn, listIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { FORCE, saveFile } from '../download.ts';
import { EXIT } from '../exit-codes.ts';
import { youngest } from '../list.ts';
import { moment, printed, printedRows, size } from '../output.ts';
import { spanOf, spanOptions } from '../times.ts';
import { ended, finish } from './jobs.ts';

export const EVIDENCE: readonly Command[] = [
  {
    name: 'evidence make',
    summary: 'Make a signed package of levels and what belongs to them',
    words: [UNIT],
    options: [
      ...spanOptions('7d'),
      {
        name: 'include',
        value: 'KINDS',
        help: 'what is in it, such as levels,files,notes (all that the key may hand over)',
      },
    ],
    examples: [
      'slm evidence make roof --from 2026-11-01 --to 2026-12-01',
      'slm evidence make roof --include levels,notes',
    ],
    notes: ['Ctrl-C leaves the gateway at work: slm jobs shows it.'],
    run: make,
  },
  {
    name: 'evidence list',
    summary: 'List the packages of a unit, the newest first',
    words: [UNIT],
    examples: ['slm evidence list roof'],
    run(call) {
      const head = ['id', 'from', 'to', 'size', 'made', 'stamped', 'include'];
      return printedRows(call, youngest<schemas.EvidencePackage>(call, pathOf(call), {}), head, rowOf, 'No packages.');
    },
  },
  {
    name: 'evidence get',
    summary: 'Download a package',
    words: [UNIT, { name: 'ID' }],
    options: [{ name: 'output', value: 'FILE', help: 'where to (UNIT-evidence-ID.zip)' }, FORCE],
    examples: ['slm evidence get roof 12', 'slm verify roof-evidence-12.zip'],
    run: get,
  },
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

const pathOf = (call: CommandCall): string => `${unitPath(call)}/evidence`;

async function make(call: CommandCall): Promise<number> {
  const { include } = givenIn(call.options, 'include');
  const body = { ...(await spanOf(call, '7d')), ...(include !== undefined && { include: listIn(include) }) };
  const { job } = await call.client().call<{ job: string }>(pathOf(call), { method: 'POST', body });
  const end = await ended(call, job);
  if (end.state !== 'done') return finish(call, end);
  const [made] = (await youngest<schemas.EvidencePackage>(call, pathOf(call), {})).filter(({ id }) => id === job);
  printed(call, made ?? end, () =>
    made ? `Package ${made.id}, ${size(made.bytes)}, SHA-256 ${made.sha256}\n${stampWords(made)}` : 'Done.',
  );
  return EXIT.done;
}

async function get(call: CommandCall): Promise<undefined> {
  const { UNIT: unit = '', ID: id = '' } = call.words;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new WrongWords('ID is the number of a package: slm evidence list');
  const { output = `${unit}-evidence-${id}.zip` } = call.options;
  return saveFile(call, String(output), `${pathOf(call)}/${id}`);
}

const rowOf = ({ id, from, to, bytes, made_at, stamped, include }: schemas.EvidencePackage): string[] => [
  ...[id, moment(from), moment(to), size(bytes), moment(made_at)],
  ...[stamped ? moment(stamped.at) : 'no', include.join(' ')],
];

function stampWords({ stamped, not_stamped }: schemas.EvidencePackage): string {
  if (!stamped) return `Not stamped${not_stamped === null ? '' : `: ${not_stamped}`}.`;
  const known = stamped.is_known ? '' : ', not checked against a known authority';
  return `Stamped at ${stamped.at} by ${stamped.authority}${known}.`;
}

/** The command's own exit codes, the same as those of `client/python/verify.py`. */
const CODES: Readonly<Record<Outcome, number>> = { whole: 0, differs: 1, 'not a package': 2, unchecked: 3 };

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
