/** Checks step by step what is wrong with a meter, and shows what to do. */
import { useState } from 'preact/hooks';
import type { Examination } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

const MARKS = {
  ok: () => say('well ## of a check'),
  warning: () => say('check it'),
  failed: () => say('failed ## of a check'),
  skipped: () => say('not tried'),
};

interface Props {
  readonly unitId: string;
  /** Told when the check begins, and when it ends. */
  onRun(runs: boolean): void;
}

/** The button that starts the check, and its steps. */
export function ExaminationPanel({ unitId, onRun }: Props) {
  const [examination, setExamination] = useState<Examination | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  const examine = () =>
    run(async () => {
      onRun(true);
      const found = await client.value.doctor(unitId).finally(() => onRun(false));
      setExamination(found);
      return found.healthy ? say('Nothing is wrong.') : say('This is wrong:');
    });
  return (
    <section class="card" aria-labelledby="examination">
      <div class="row end">
        <h2 id="examination">{say('Test the connection')}</h2>
        <button type="button" disabled={waits} onClick={() => void examine()}>
          {say('Test it step by step')}
        </button>
      </div>
      <Said
        outcome={outcome}
        waiting={say(
          'Checking name, address, port, reply, identity, clock and files: about 10 s. The chart stands still meanwhile ...',
        )}
      />
      {examination && (
        <ol class="steps">
          {examination.checks.map(({ check, outcome, detail, advice }) => (
            <li key={check} class={outcome}>
              <strong>
                {check.replaceAll('_', ' ')}: {MARKS[outcome]()}.
              </strong>{' '}
              {detail} {advice && <em>{advice}</em>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
