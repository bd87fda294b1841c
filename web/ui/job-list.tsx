/** Long work that the gateway does, the newest first. */
import { client, mayOperate } from '../state/access.ts';
import { changes, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, dayAndTimeOf, whole } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';
import { Card } from './card.tsx';

type Job = Awaited<ReturnType<typeof client.value.jobs>>[number];

function stateOf(state: Job['state']): string {
  if (state === 'queued') return say('queued');
  if (state === 'running') return say('running');
  if (state === 'done') return say('done');
  return state === 'failed' ? say('failed') : say('cancelled');
}

/** `3 of 12 files`, of a job that goes on. */
export function progressOf({ done, total, unit }: NonNullable<Job['progress']>): string {
  return total === null ? `${whole(done)} ${unit}` : `${say('{done} of {total}', { done, total })} ${unit}`;
}

export function JobList({ unitId }: { readonly unitId?: string }) {
  const { outcome, run } = useAction();
  const ask = () => client.value.jobs(unitId === undefined ? {} : { unit: unitId, limit: 10 });
  const { found: jobs = [] } = useFound(ask, [unitId, changes.value.job]);
  if (jobs.length === 0) return null;
  const cancel = (id: string) =>
    run(async () => (await client.value.call<{ message: string }>(`/_jobs/${id}`, { method: 'DELETE' })).message);
  return (
    <Card id="jobs" title={say('Tasks')}>
      <Said outcome={outcome} waiting="" />
      <ul class="jobs">
        {jobs.map(({ id, title, unit_id, state, progress, message, created_at, error }) => (
          <li key={id} class="row end">
            <div>
              <strong>{title}</strong> {unit_id}
              <span class="soft">
                {' '}
                {unitId === undefined
                  ? dayAndTimeOf(created_at, unitOf(unit_id)?.timezone)
                  : dayAndTime(created_at, unitOf(unit_id)?.timezone)}
                {progress && state === 'running' && `, ${progressOf(progress)}`}
              </span>
              <p class={error ? 'said bad' : 'soft'}>{error?.detail ?? message}</p>
            </div>
            <div class="row">
              <span class={state === 'failed' ? 'said bad' : 'soft'}>{stateOf(state)}</span>
              {mayOperate.value && (state === 'queued' || state === 'running') && (
                <button type="button" onClick={() => void cancel(id)}>
                  {say('Cancel')}
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
