/** What the weather of the time shown is a reason to exclude. A person accepts it, or has said that nobody need be asked. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime, span as spanWords } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { ExclusionRules } from './exclusion-rules.tsx';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** The time shown, ms. */
  readonly from: number;
  readonly to: number;
  /** After exclusions were written. */
  again(): void;
}

/** Longer spans are not asked for: the API takes a little more than a year. */
const MOST_MS = 370 * 86_400_000;
const SHOWN = 20;

/** The card below the notes; nothing where no station is for this meter. */
export function Proposals({ unitId, zone, from, to, again }: Props) {
  const asked = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { found, again: lookAgain } = useFound(
    async () => (to - from > MOST_MS ? undefined : client.value.noteProposals(unitId, asked)),
    [unitId, from, to],
  );
  const { outcome, run, waits } = useAction();
  if (!found || found.stations.length === 0) return null;
  const { data: proposals, unobserved } = found;
  const reasons = [...new Set(proposals.map(({ reason }) => reason))];
  const accept = async (reason: schemas.NoteProposal['reason']) => {
    const body = { ...asked, reasons: [reason] };
    if (!(await run(async () => (await client.value.acceptNoteProposals(unitId, body)).message))) return;
    lookAgain();
    again();
  };
  return (
    <section class="card" aria-labelledby="proposals">
      <h2 id="proposals">Weather</h2>
      {proposals.length === 0 && <p>The rules of this meter propose to exclude nothing of this time.</p>}
      <ul>
        {proposals.slice(0, SHOWN).map((proposal) => (
          <li key={`${proposal.from} ${proposal.reason}`}>
            {dayAndTime(proposal.from, zone)} to {dayAndTime(proposal.to, zone)}:{' '}
            <bdi class="lines">{proposal.text}</bdi>
          </li>
        ))}
      </ul>
      {proposals.length > SHOWN && <p>And {proposals.length - SHOWN} more.</p>}
      {unobserved.map(({ quantity, seconds }) => (
        <p key={quantity} class="soft">
          {NAMES[quantity] ?? quantity} was not observed for {spanWords(seconds)} of this time: nothing is known of it.
        </p>
      ))}
      {mayOperate.value && (
        <div class="row">
          {reasons.map((reason) => (
            <button key={reason} type="button" disabled={waits} onClick={() => void accept(reason)}>
              Exclude {timesOf(proposals, reason)} because of {BECAUSE[reason] ?? reason}
            </button>
          ))}
          <Said outcome={outcome} waiting="" />
        </div>
      )}
      <ExclusionRules unitId={unitId} zone={zone} />
    </section>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ wind_speed: 'The wind', gust: 'Gusts', rain: 'Rain' },
};
const BECAUSE: Readonly<Record<string, string>> = { own_noise: 'own noise' };

function timesOf(proposals: readonly schemas.NoteProposal[], reason: string): string {
  const count = proposals.filter((proposal) => proposal.reason === reason).length;
  return count === 1 ? 'one time' : `${count} times`;
}
