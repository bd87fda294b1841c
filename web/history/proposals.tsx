/** Exclusions of the shown time because of the weather. A person accepts them, or has allowed them without a question. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, span as spanWords } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { reasonWord } from '../ui/notes.tsx';
import { say, sayWith } from '../words/say.ts';
import { ExclusionRules, quantityWord } from './exclusion-rules.tsx';

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
      <h2 id="proposals">{say('Weather')}</h2>
      {proposals.length === 0 && <p>{say('The rules of this meter propose to exclude nothing of this time.')}</p>}
      <ul>
        {proposals.slice(0, SHOWN).map((proposal) => (
          <li key={`${proposal.from} ${proposal.reason}`}>
            {sayWith('{from} to {to}: {text}', {
              from: dayAndTime(proposal.from, zone),
              to: dayAndTime(proposal.to, zone),
              text: <bdi class="lines">{proposal.text}</bdi>,
            })}
          </li>
        ))}
      </ul>
      {proposals.length > SHOWN && <p>{say('And {number} more.', { number: proposals.length - SHOWN })}</p>}
      {unobserved.map(({ quantity, seconds }) => (
        <p key={quantity} class="soft">
          {UNOBSERVED[quantity]?.(spanWords(seconds)) ??
            say('{quantity} was not observed for {length} of this time: nothing is known of it.', {
              quantity: quantityWord(quantity),
              length: spanWords(seconds),
            })}
        </p>
      ))}
      {mayOperate.value && (
        <div class="row">
          {reasons.map((reason) => (
            <button key={reason} type="button" disabled={waits} onClick={() => void accept(reason)}>
              {excludeWords(reason, proposals.filter((each) => each.reason === reason).length)}
            </button>
          ))}
          <Said outcome={outcome} waiting="" />
        </div>
      )}
      <ExclusionRules unitId={unitId} zone={zone} again={lookAgain} />
    </section>
  );
}

const UNOBSERVED: Readonly<Record<string, (length: string) => string>> = {
  wind_speed: (length) =>
    say('The wind was not observed for {length} of this time: nothing is known of it.', { length }),
  gust: (length) => say('Gusts were not observed for {length} of this time: nothing is known of them.', { length }),
  rain: (length) => say('Rain was not observed for {length} of this time: nothing is known of it.', { length }),
};

function excludeWords(reason: schemas.NoteProposal['reason'], count: number): string {
  if (reason === 'wind')
    return say('Exclude one time because of wind|Exclude {count} times because of wind', { count });
  if (reason === 'rain')
    return say('Exclude one time because of rain|Exclude {count} times because of rain', { count });
  return say('Exclude one time: {reason}|Exclude {count} times: {reason}', { count, reason: reasonWord(reason) });
}
