/** Last link of the chain in an earlier log. */
import type { Log } from '../log.ts';
import { latest } from './backward.ts';
import { CHAIN_START, type Link, parsed } from './chain.ts';
import { filesIn, logLines, mend } from './files.ts';

/** The point where the chain continues. A last line that is not a record leaves a gap, which `verify` will report. */
export async function lastLink({ folder, log }: { readonly folder: string; readonly log: Log }): Promise<Link> {
  for (const name of (await filesIn(folder)).reverse()) {
    const torn = await mend(folder, name);
    if (torn > 0) log.warn({ file: name, bytes: torn }, 'an unfinished last record of the audit log was cut off');
    let last: string | undefined;
    for await (const line of logLines(folder, name)) last = line;
    if (last === undefined) continue;
    const record = parsed(last);
    if (!record) log.error({ file: name }, 'the audit log is damaged: run npm run audit -- verify');
    const link = record ?? (await latest(folder, name, { limit: 1 }))[0];
    if (link) return link;
  }
  return CHAIN_START;
}
