/** Checks step by step what is wrong with a meter, and shows what to do. */
import { useState } from 'preact/hooks';
import type { Examination } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { Said, useAction } from '../ui/action.tsx';

const MARKS = { ok: 'well', warning: 'check it', failed: 'failed', skipped: 'not tried' };

/** The button that starts the check, and its steps. */
export function ExaminationPanel({ unitId }: { readonly unitId: string }) {
  const [examination, setExamination] = useState<Examination | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  const examine = () =>
    run(async () => {
      const found = await client.value.doctor(unitId);
      setExamination(found);
      return found.healthy ? 'Nothing is wrong.' : 'This is wrong:';
    });
  return (
    <section class="card" aria-labelledby="examination">
      <div class="row end">
        <h2 id="examination">Test the connection</h2>
        <button type="button" disabled={waits} onClick={() => void examine()}>
          Test it step by step
        </button>
      </div>
      <Said
        outcome={outcome}
        waiting="Checking name, address, port, reply, identity, clock and files, about 10 s ..."
      />
      {examination && (
        <ol class="steps">
          {examination.checks.map(({ check, outcome, detail, advice }) => (
            <li key={check} class={outcome}>
              <strong>
                {check.replaceAll('_', ' ')}: {MARKS[outcome]}.
              </strong>{' '}
              {detail} {advice && <em>{advice}</em>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
