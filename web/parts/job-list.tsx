/** Long work that the gateway does, the youngest first. */
import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { changes } from '../app/fleet.ts';
import { dayAndTime, whole } from '../app/numbers.ts';
import { Said, useAction } from './action.tsx';

export function JobList() {
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  const { outcome, run } = useAction();
  const seen = changes.value.job;
  useEffect(() => {
    let left = false;
    client.value.jobs().then(
      (found) => left || setJobs(found),
      () => {},
    );
    return () => {
      left = true;
    };
  }, [seen]);
  if (jobs.length === 0) return null;
  const cancel = (id: string) =>
    run(async () => (await client.value.call<{ message: string }>(`/_jobs/${id}`, { method: 'DELETE' })).message);
  return (
    <section class="card" aria-labelledby="jobs">
      <h2 id="jobs">Long work</h2>
      <Said outcome={outcome} waiting="" />
      <table>
        <tbody>
          {jobs.map(({ id, kind, unit_id, state, progress, message, created_at, error }) => (
            <tr key={id}>
              <td>
                {kind} {unit_id}
              </td>
              <td>{state}</td>
              <td>
                {progress &&
                  `${whole(progress.done)}${progress.total === null ? '' : ` of ${whole(progress.total)}`} ${progress.unit}`}
              </td>
              <td>{error?.detail ?? message}</td>
              <td>{dayAndTime(created_at)}</td>
              <td>
                {mayOperate.value && (state === 'queued' || state === 'running') && (
                  <button type="button" onClick={() => void cancel(id)}>
                    Cancel
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
