/** Parts that do not work now, for `/health`, `/readyz` and the first lines of the log. Anybody may see this. */
import { basename } from 'node:path';
import type { Journal } from '../audit/journal.ts';
import type { History } from '../history/contract.ts';
import type { Trouble } from '../http/health.ts';
import type { Failure } from '../plugin/load.ts';
import type { PartStates, PartTrouble } from '../status/contract.ts';
import type { Store } from '../store/contract.ts';

interface TroubleSources {
  readonly failures: readonly Failure[];
  readonly audit: Pick<Journal, 'shortage'>;
  readonly store: Pick<Store, 'trouble'>;
  readonly parts: Pick<PartStates, 'states'>;
}

export const troublesOf = ({ failures, audit, store, parts }: TroubleSources): Trouble[] => [
  ...failures.map(troubleOf),
  ...auditTrouble(audit),
  ...storageTrouble(store),
  ...partTroubles(parts),
];

/** The reason may name a path of this computer: it is only in the log. */
export const troubleOf = ({ entry, step }: Failure): Trouble => {
  const name = basename(entry);
  return { part: `plugin ${name}`, detail: `The plugin ${name} failed at step ${step}; the log has the reason.` };
};

const auditTrouble = ({ shortage }: TroubleSources['audit']): Trouble[] =>
  shortage ? [{ part: 'audit log', detail: shortage.detail, ...(!shortage.full && { harmless: true }) }] : [];

function storageTrouble(store: TroubleSources['store']): Trouble[] {
  const detail = store.trouble();
  return detail === undefined ? [] : [{ part: 'database', detail }];
}

const partTroubles = (parts: TroubleSources['parts']): Trouble[] =>
  parts
    .states()
    .flatMap(({ name, trouble }) =>
      trouble ? [{ part: name, detail: trouble.detail, ...(!trouble.isGrave && { harmless: true }) }] : [],
    );

/** The reason of the system may name a path: it is only in the log. */
export function historyTrouble({
  status: { state, away, drops, damage },
}: Pick<History, 'status'>): PartTrouble | undefined {
  if (state === 'full') return { detail: 'No levels are recorded: there is no room for them.', isGrave: true };
  if (state === 'failing') return { detail: 'No levels are recorded: the history cannot be written.', isGrave: true };
  if (damage !== null)
    return {
      detail:
        'The history is damaged: some levels cannot be read, the others can. Restore a backup of the history; the log has details.',
      isGrave: true,
    };
  if (drops)
    return {
      detail:
        'New levels are dropped: their times have levels already. The clock of this computer was set back, or is wrong.',
      isGrave: true,
    };
  if (away !== null)
    return {
      detail:
        'The shared database takes no levels. They are recorded on this computer, and go to the database as soon as it takes them. Older levels cannot be asked for until then.',
      isGrave: false,
    };
  return undefined;
}
