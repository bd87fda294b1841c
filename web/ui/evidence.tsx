/** Makes a package of evidence of the span of a page, shows its progress, and hands it over. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { changes, now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';
import { DownloadLink } from './download-link.tsx';

interface Props {
  readonly unitId: string;
  /** RFC 3339; what is still to come is left out. */
  readonly span: { readonly from: string; readonly to: string };
}

export function Evidence({ unitId, span }: Props) {
  const [id, setId] = useState('');
  const { outcome, run, waits } = useAction();
  const path = `/${encodeURIComponent(unitId)}/evidence`;
  const { found: job } = useFound(
    async () => (id === '' ? undefined : (await client.value.jobs({ unit: unitId })).find((each) => each.id === id)),
    [id, changes.value.job],
  );
  const isDone = job?.state === 'done';
  const { found: made } = useFound(
    async () =>
      isDone
        ? (await client.value.call<{ data: schemas.EvidencePackage[] }>(path)).data.find((each) => each.id === id)
        : undefined,
    [id, isDone],
  );
  if (!mayOperate.value) return null;
  const make = () =>
    run(async () => {
      const to = new Date(Math.min(Date.parse(span.to), now.peek())).toISOString();
      const answer = await client.value.call<{ job: string }>(path, { method: 'POST', body: { from: span.from, to } });
      setId(answer.job);
      return '';
    });
  const isGoing = job?.state === 'queued' || job?.state === 'running';
  return (
    <div class="row">
      <button type="button" disabled={waits || isGoing} onClick={() => void make()}>
        {say('Evidence')}
      </button>
      {job && isGoing && (
        <p class="soft" role="status">
          {job.progress
            ? say('The package is being made: {size} kB ...', { size: Math.round(job.progress.done / 1_000) })
            : say('The package is being made ...')}
        </p>
      )}
      {isDone && (
        <DownloadLink path={`${path}/${id}`} query={{}} name={`${unitId}-evidence-${id}.zip`}>
          {say('Save the package')}
        </DownloadLink>
      )}
      {made && <p class="soft">{stampWords(made)}</p>}
      {job?.error && <p class="said bad">{job.error.detail}</p>}
      {job?.state === 'cancelled' && <p class="said bad">{job.message}</p>}
      <Said outcome={outcome} waiting="" />
    </div>
  );
}

/** The authority that stamped a package, or the reason why it has no stamp. */
export function stampWords({ stamped, not_stamped }: schemas.EvidencePackage): string {
  if (!stamped) return say('Not stamped: {why}.', { why: not_stamped ?? '' });
  const gaps = { time: dayAndTime(stamped.at), authority: stamped.authority };
  return stamped.is_known
    ? say('Stamped {time} by {authority}.', gaps)
    : say('Stamped {time} by {authority} (not checked against a known authority).', gaps);
}
