/** Files: on the card of a meter, and those that the gateway keeps. */
import { basename } from 'node:path';
import type { CardFile, KeptFile, schemas } from '../../client/index.ts';
import { givenIn, UNIT, unitPath } from '../command-line.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { FORCE, saveFile } from '../download.ts';
import { harmless, moment, printedMessage, printedRows, size, text } from '../output.ts';

const KEPT = { name: 'kept', help: 'use the copies on the gateway: works while the meter cannot be reached' };

const VERSIONS = { name: 'versions', help: 'all copies of this file, of each card and with each content that it had' };

export const FILES: readonly Command[] = [
  {
    name: 'files',
    summary: 'List a folder on the card of a meter',
    words: [UNIT, { name: 'PATH', optional: true }],
    options: [KEPT, VERSIONS],
    examples: [
      'slm files roof',
      'slm files roof /NL-43/Auto_0019',
      'slm files roof --kept',
      'slm files roof /NL-43/Auto_0019/NL_0001_SLM_0019.rnh --versions',
    ],
    notes: ['FTP has to be allowed (slm edit roof ftp_enabled=true) and on in the meter (slm set roof ftp on).'],
    run(call) {
      if (call.options.versions === true) return versions(call);
      return call.options.kept === true ? kept(call) : onCard(call);
    },
  },
  {
    name: 'download',
    summary: 'Fetch a file from the card of a meter',
    words: [UNIT, { name: 'PATH' }],
    options: [
      {
        name: 'output',
        short: 'o',
        value: 'FILE',
        help: 'name of the new file (that of the file, in this folder)',
        completion: 'file',
      },
      FORCE,
      KEPT,
      {
        name: 'sha256',
        value: 'HASH',
        help: 'with --kept: the copy with these bytes (slm files UNIT PATH --versions)',
      },
    ],
    examples: [
      'slm download roof /NL-43/Auto_0019/NL_0001_SLM_0019.rnh',
      'slm download roof "/NL-43/Auto_0019/Auto_Lp_01/NL_0001_SLM_Lp _0019_0001.rnd" -o monday.rnd',
    ],
    notes: [
      'Until it is whole it is called FILE.part. If it breaks off, the same command goes on where it stopped, if the file is still the same.',
    ],
    async run(call) {
      const { PATH: path = '' } = call.words;
      const { output = harmless(basename(path)).replaceAll(/[\\/:*?"<>|]/g, '_'), sha256 } = call.options;
      const target = String(output);
      if (target === '' || target === '.' || target === '..') throw new WrongWords('name the file with --output');
      const route = call.options.kept === true ? 'files/content' : 'ftp/file';
      if (sha256 !== undefined && call.options.kept !== true) throw new WrongWords('--sha256 needs --kept');
      return saveFile(call, target, `${unitPath(call)}/${route}`, { path, ...givenIn(call.options, 'sha256') });
    },
  },
  {
    name: 'mirror',
    summary: 'Let the gateway fetch new files from the card of a meter',
    words: [UNIT],
    examples: ['slm mirror roof', 'slm jobs'],
    run: (call) => printedMessage(call, call.client().mirror(call.words.UNIT ?? '')),
  },
];

function onCard(call: CommandCall): Promise<undefined> {
  const files = call.client().files(call.words.UNIT ?? '', call.words.PATH ?? '/');
  return printedRows(call, files, ['name', 'size', 'modified'], row, 'The folder is empty.');
}

const row = (file: CardFile): string[] => [
  `${harmless(file.name)}${file.is_dir ? '/' : ''}`,
  file.is_dir ? '-' : size(file.size),
  file.modified_at?.replace('T', ' ') ?? file.modified,
];

async function versions(call: CommandCall): Promise<undefined> {
  const { UNIT: unit = '', PATH: path } = call.words;
  if (path === undefined) throw new WrongWords('name the file whose versions are wanted');
  const head = ['card', 'size', 'modified', 'state', 'sha256'];
  return printedRows(
    call,
    call.client().fileVersions(unit, path),
    head,
    versionRow,
    'There are no copies of this file.',
  );
}

const versionRow = ({ card, size: bytes, modified, state, sha256 }: schemas.KeptVersion): string[] => [
  ...[text(card), size(bytes), moment(modified), text(state), sha256],
];

async function kept(call: CommandCall): Promise<undefined> {
  const folder = (call.words.PATH ?? '/').replace(/\/*$/, '/');
  const all = await call.client().all<KeptFile>(`${unitPath(call)}/files`);
  const files = all.filter(({ path }) => `${path}/`.startsWith(folder));
  const head = ['path', 'size', 'modified', 'state'];
  return printedRows(call, files, head, keptRow, 'No files are kept of this meter.');
}

const keptRow = ({ path, size: bytes, modified, state }: KeptFile): string[] => [
  ...[harmless(path), size(bytes), moment(modified), text(state)],
];
