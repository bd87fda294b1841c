/** The process behind `npm run audit`: checks the hash chain of the audit log. It may run while a gateway runs: it only reads. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WrongWords } from '../access/commands.ts';
import { type AuditVerdict, verify } from '../audit/chain.ts';
import { countOf } from '../domain/figures.ts';
import { runCommand, say, settingsHere } from './command-line.ts';

const USAGE = `npm run audit -- verify [options]

  verify             check every record of the audit log against the one before it
    --head HASH        and that this hash, noted earlier, is still one of them: a log cut short at its end looks whole

  --data-dir D, --config F   the data folder, if not the one of the settings; the settings file
  --help                     this text
`;

await runCommand(
  { name: 'audit', call: 'npm run audit --', usage: USAGE, options: { head: { type: 'string' } } },
  async (values, words) => {
    if (words.join(' ') !== 'verify') throw new WrongWords('the only command is verify');
    const folder = resolve(settingsHere(values).data_dir, 'audit');
    if (!existsSync(folder))
      throw new Error(`there is no audit log in ${folder}: name the data folder with --data-dir`);
    tell(await verify(folder, values.head), folder);
  },
);

function tell({ records, head, broken, found }: AuditVerdict, folder: string): void {
  if (broken) {
    say(
      `broken: ${join(folder, broken.file)} line ${broken.line}${broken.n === undefined ? '' : `, record ${broken.n}`}: ${broken.why}`,
    );
  } else if (!found) {
    say(
      `broken: the chain in ${folder} is consistent, but the noted hash is not in it: records were removed at the end, or the log was written again`,
    );
  } else {
    say(
      `whole: ${countOf(records, 'record')} in ${folder}${head ? `, the last is ${head.n} with hash ${head.hash}` : ''}`,
    );
  }
  if (broken || !found) process.exitCode = 1;
}
