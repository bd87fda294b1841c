/** Care of the gateway itself: backups, settings, its log. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { schemas } from '../../client/index.ts';
import { moveOver } from '../../lib/system.ts';
import own from '../../package.json' with { type: 'json' };
import { DamagedBackup, type Manifest, readBackup } from '../backup-file.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { download } from '../download.ts';
import { counted, moment, printed, printedMessage, printedRows, size, table, text } from '../output.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];
const FILE = { name: 'FILE', completion: 'file' } as const;

export const CARE: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Save everything the gateway keeps to one file, while it runs',
    words: [FILE],
    options: [{ name: 'force', help: 'replace an existing file' }],
    examples: ['slm backup /var/backups/slm.tar.gz', 'slm backup monday.tar.gz --force'],
    notes: [
      'It contains meters, settings of alerts, levels, API keys as hashes, the audit log and the files of the mirror. It does not contain the key of the stored passwords.',
      'The file is checked before it gets its name. The command needs an API key with the role admin.',
    ],
    run: backup,
  },
  {
    name: 'restore',
    summary: 'Put a backup into an empty data folder, on the computer of the gateway',
    words: [FILE, { name: 'FOLDER', completion: 'file' }],
    examples: [
      'slm restore /var/backups/slm.tar.gz /var/lib/slm-gateway',
      'slm restore monday.tar.gz /tmp/look-into-it',
    ],
    notes: ['The gateway must not run on the folder. If the file is damaged, nothing is left in the folder.'],
    run: restore,
  },
  {
    name: 'settings',
    summary: 'Show the present settings of the gateway',
    examples: ['slm settings', 'slm settings --json'],
    async run(call) {
      const { data } = await call.client().call<schemas.GetSettingsAnswer>('/_settings');
      return printedRows(call, data, ['setting', 'a change needs', 'value'], settingRow, '');
    },
  },
  {
    name: 'cluster',
    summary: 'Show the instances that share one database, and which of them is active',
    examples: ['slm cluster'],
    run(call) {
      const alone = 'This gateway keeps its data in its own folder: there are no other instances.';
      const head = ['instance', 'state', 'last sign of life', 'address', 'version'];
      return printedRows(call, call.client().instances(), head, instanceRow, alone);
    },
  },
  {
    name: 'cluster remove',
    summary: 'Remove an instance that is gone for good',
    words: [{ name: 'INSTANCE' }],
    examples: ['slm cluster remove south'],
    notes: [
      'INSTANCE is its name or its id (slm cluster --json). It has to be silent or stopped. If it is started again, it joins again.',
    ],
    run: (call) => printedMessage(call, call.client().removeInstance(call.words.INSTANCE ?? '')),
  },
  {
    name: 'reload',
    summary: 'Let the gateway read its settings again',
    examples: ['slm reload'],
    notes: ['Some settings change at once, the others need a restart: the answer says which.'],
    run: (call) => printedMessage(call, call.client().call('/_settings/reload', { method: 'POST', body: {} })),
  },
  {
    name: 'log-level',
    summary: 'Show or change how much the log of the gateway says, by part',
    words: [
      { name: 'PART', optional: true },
      { name: 'LEVEL', optional: true, completion: LEVELS },
    ],
    examples: ['slm log-level', 'slm log-level mqtt debug', 'slm log-level all info'],
    notes: [
      `LEVEL is one of ${LEVELS.join(', ')}. It lasts until the settings are read again; to keep it, set log_levels in the settings.`,
    ],
    run: logLevel,
  },
];

const settingRow = ({
  name,
  value,
  takes_effect,
  restart_needed,
}: schemas.GetSettingsAnswer['data'][number]): string[] => [
  name,
  restart_needed ? 'a restart (a new value waits)' : takes_effect === 'reload' ? 'slm reload' : 'a restart',
  // Last: some are long.
  text(value),
];

/** `all` is every part, those that are named as well. */
async function logLevel(call: CommandCall): Promise<undefined> {
  const { PART: part, LEVEL: level } = call.words;
  const path = '/_settings/log-levels';
  let { data } = await call.client().call<schemas.GetSettingLogLevelsAnswer>(path);
  if (part !== undefined) {
    if (level === undefined) throw new WrongWords(`name the level: one of ${LEVELS.join(', ')}`);
    const body = part === 'all' ? { log_level: level, levels: {} } : { levels: { ...data.levels, [part]: level } };
    ({ data } = await call.client().call<schemas.GetSettingLogLevelsAnswer>(path, { method: 'PUT', body }));
  }
  const rows = data.parts.map((name) => [name, data.levels[name] ?? '-']);
  return printed(call, data, () => table(['part', 'level'], [['all others', data.log_level], ...rows], ''));
}

async function backup(call: CommandCall): Promise<undefined> {
  const { FILE: file = '' } = call.words;
  if (existsSync(file) && call.options.force !== true)
    throw new WrongWords(`${file} exists already: add --force to replace it`);
  const draft = `${file}.new`;
  for (const left of [draft, `${draft}.part`, `${draft}.part.etag`]) rmSync(left, { force: true });
  const open = () => call.client().open('/_backup', { method: 'POST', body: {}, signal: call.signal });
  try {
    await download(open, { target: draft, force: true, terminal: call.terminal, signal: call.signal, mode: 0o600 });
    const manifest = await readBackup(draft, undefined, call.signal).catch(explained(file));
    await moveOver(draft, file);
    return printed(call, { file, bytes: statSync(file).size, ...shown(manifest) }, () =>
      [
        `${file}: ${size(statSync(file).size)}, ${counted(manifest.files.length, 'file')}, checked.`,
        'Keep the key file of the gateway in another place: it is not in the backup.',
      ].join('\n'),
    );
  } finally {
    for (const left of [draft, `${draft}.part`]) rmSync(left, { force: true });
  }
}

const shown = ({ version, made_at, files }: Manifest) => ({ version, made_at, files: files.length });

/** Of two releases such as 0.10.0 and 0.2.0. */
const isNewer = (one: string, other: string): boolean => one.localeCompare(other, 'en', { numeric: true }) > 0;

async function restore(call: CommandCall): Promise<undefined> {
  const { FILE: file = '', FOLDER: folder = '' } = call.words;
  if (!existsSync(file)) throw new WrongWords(`there is no file ${file}`);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new WrongWords(`${folder} is not empty: name another folder, or move its files away`);
  }
  const target = resolve(folder);
  const isThere = existsSync(target);
  // Within a folder that is there: what is above it may be of another user, or on another disk.
  const draft = isThere ? join(target, '.restore') : `${target}.new`;
  if (existsSync(draft)) throw new WrongWords(`${draft} is left from an earlier try: remove it first`);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const manifest = await readBackup(file, draft, call.signal).catch(explained(file));
    if (isNewer(manifest.version, own.version))
      throw new WrongWords(
        `${file} is of release ${manifest.version}, and this is ${own.version}, which cannot read newer tables: restore it with the slm of that release`,
      );
    const names = isThere ? readdirSync(draft) : [''];
    for (const name of names) await moveOver(join(draft, name), join(target, name));
    return printed(call, { folder: target, ...shown(manifest) }, () =>
      [
        `${target}: ${counted(manifest.files.length, 'file')} of ${moment(manifest.made_at)} UTC, release ${manifest.version}. All are unchanged.`,
        'Start the gateway on this folder with the key file that it had then. API keys that were revoked since then are valid again: revoke them.',
      ].join('\n'),
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const explained =
  (file: string) =>
  (error: unknown): never => {
    if (!(error instanceof DamagedBackup)) throw error;
    throw new Error(`${file} cannot be used: ${error.message}`);
  };

const instanceRow = ({ name, state, last_seen, address, version }: schemas.ClusterInstance) =>
  [name, state, last_seen, address, version].map(text);
