/** The assistant of a calibration: one click begins it, the tone is found in the stream, and one click ends and logs it. */
import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { clockTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { hundredths, ToneWords } from '../ui/tone.tsx';
import { say } from '../words/say.ts';

interface Props {
  /** Of the calibrations of the meter. */
  readonly path: string;
  readonly zone: string;
  /** The newest entry of the log: its calibrator is used again. */
  readonly last: schemas.Calibration | undefined;
  again(): void;
}

type Answer = schemas.ShowCalibrationAssistantAnswer;

/** How often a page asks while a calibration goes on, ms. */
const ASK_MS = 2_000;

export function CalibrationAssistant({ path, zone, last, again }: Props) {
  const [isRunning, setRunning] = useState(false);
  const [nominal, setNominal] = useState(String(last?.nominal_db ?? 94));
  const [calibrator, setCalibrator] = useState(last?.calibrator ?? '');
  const { outcome, run, waits } = useAction();
  const turn = useComputed(() => Math.floor(now.value / ASK_MS)).value;
  const { found, put } = useFound(async () => {
    const answer = await client.value.call<Answer>(`${path}/assistant`);
    setRunning(answer.data !== null);
    return answer;
  }, [path, isRunning ? turn : 0]);
  const start = () =>
    run(async () => {
      const body = { nominal_db: Number(nominal) };
      put(await client.value.call<Answer>(`${path}/assistant`, { method: 'POST', body }));
      setRunning(true);
      return '';
    });
  const end = async () => {
    const done = await run(async () => {
      const body = { calibrator: calibrator.trim() };
      const { message } = await client.value.call<{ message: string }>(`${path}/assistant/end`, {
        method: 'POST',
        body,
      });
      return message;
    });
    if (!done) return;
    setRunning(false);
    put({ status: 'ok', data: null });
    again();
  };
  const running = found?.data;
  if (!running)
    return (
      <div class="stack">
        <div class="row">
          <Field
            label={say('Calibrator gives, dB')}
            type="number"
            step="0.01"
            value={nominal}
            change={setNominal}
            required
          />
          <button type="button" class="main" disabled={waits || nominal === ''} onClick={() => void start()}>
            {say('Start calibration')}
          </button>
        </div>
        <Said outcome={outcome} waiting="" />
      </div>
    );
  return (
    <div class="trouble wait stack">
      <p>
        {say('Calibration since {time}: this time is excluded, and rules are quiet. It ends at {end} at the latest.', {
          time: clockTime(running.from, zone),
          end: clockTime(running.ends_at, zone),
        })}
      </p>
      {running.tones.length === 0 ? (
        <p>
          {say('Put the calibrator on the microphone and switch it on, {level} dB.', {
            level: hundredths(running.nominal_db),
          })}
        </p>
      ) : (
        <ul aria-label={say('Tones found')}>
          {running.tones.map((tone) => (
            <li key={tone.from}>
              <ToneWords tone={tone} zone={zone} />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Field label={say('Calibrator')} value={calibrator} change={setCalibrator} />
        <button type="button" class="main" disabled={waits} onClick={() => void end()}>
          {running.tones.length === 0 ? say('End without a result') : say('End and log')}
        </button>
      </div>
      <Said outcome={outcome} waiting="" />
    </div>
  );
}
