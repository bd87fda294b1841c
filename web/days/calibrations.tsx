/** The log of checks with a calibrator, and the times that they make doubtful. The calibrator is measured and one more check is logged here. */
import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { schemas, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { CalibratorProposals, hundredths } from '../ui/tone.tsx';
import { listOf, say, sayWith } from '../words/say.ts';
import { CalibrationAssistant } from './calibration-assistant.tsx';

interface Log {
  readonly data: readonly schemas.Calibration[];
  readonly doubtful: readonly schemas.DoubtfulTime[];
}

/** Calibrators that nobody announced are looked for in the last days, ms. */
const LOOK_MS = 7 * 86_400_000;
const STEP_MS = 600_000;

/** The card below the calendar. */
export function Calibrations({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const path = `/${encodeURIComponent(unit_id)}/calibrations`;
  const { found: log, again } = useFound(() => client.value.call<Log>(path, { query: { limit: 20 } }), [unit_id]);
  const day = useComputed(() => Math.floor(now.value / STEP_MS) * STEP_MS).value;
  if (!log || (log.data.length === 0 && !mayOperate.value)) return null;
  return (
    <section class="card stack" aria-labelledby="calibrations">
      <h2 id="calibrations">{say('Calibration')}</h2>
      {log.doubtful.map(({ from, to, drift_db }) => (
        <p key={from} class="said bad">
          {say('From {from} to {to} the levels are doubtful: the meter drifted by {drift} dB.', {
            from: dayAndTime(from, timezone),
            to: dayAndTime(to, timezone),
            drift: hundredths(drift_db),
          })}
        </p>
      ))}
      {log.data.length === 0 ? (
        <p class="soft">{say('No calibration is logged.')}</p>
      ) : (
        <Checked log={log} zone={timezone} />
      )}
      <CalibratorProposals unitId={unit_id} zone={timezone} from={day - LOOK_MS} to={day} again={again} />
      {mayOperate.value && (
        <>
          <CalibrationAssistant path={path} zone={timezone} last={log.data[0]} again={again} />
          <details>
            <summary>{say('Log a check by hand')}</summary>
            <NewCheck path={path} again={again} />
          </details>
        </>
      )}
    </section>
  );
}

function Checked({ log, zone }: { readonly log: Log; readonly zone: string }) {
  return (
    <ul>
      {log.data.map(({ id, time, nominal_db, before_db, after_db, calibrator, serial, by }) => (
        <li key={id} class="entry">
          <Shown time={dayAndTime(time, zone)} before={before_db} nominal={nominal_db} after={after_db} />{' '}
          <span class="soft small">
            <bdi>{listOf([calibrator, serial, by].filter((word) => word !== ''))}</bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ShownProps {
  readonly time: string;
  /** Levels in dB; `after` is null where the meter was not adjusted. */
  readonly before: number;
  readonly nominal: number;
  readonly after: number | null;
}

function Shown({ time, before, nominal, after }: ShownProps) {
  const gaps = { time, before: <strong>{hundredths(before)} dB</strong>, nominal: hundredths(nominal) };
  return (
    <>
      {after === null
        ? sayWith('{time}: {before} at {nominal} dB, not adjusted.', gaps)
        : sayWith('{time}: {before} at {nominal} dB, adjusted to {after} dB.', { ...gaps, after: hundredths(after) })}
    </>
  );
}

function NewCheck({ path, again }: { readonly path: string; again(): void }) {
  const [nominal, setNominal] = useState('94.0');
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState('');
  const [calibrator, setCalibrator] = useState('');
  const logged = useAction();
  const measured = useAction();
  const measure = () =>
    measured.run(async () => {
      const { data } = await client.value.call<{ data: schemas.CalibratorLevel }>(`${path}/measure`, {
        method: 'POST',
        body: { nominal_db: Number(nominal) },
      });
      setBefore(data.level_db.toFixed(2));
      const level = hundredths(data.level_db);
      return data.steady
        ? say('{level} dB, steady. This time is excluded.', { level })
        : say('{level} dB, not steady: it moved by {spread} dB. This time is excluded.', {
            level,
            spread: hundredths(data.spread_db),
          });
    });
  const write = async (event: Event) => {
    event.preventDefault();
    const levels = {
      nominal_db: Number(nominal),
      before_db: Number(before),
      ...(after && { after_db: Number(after) }),
    };
    const body = { ...levels, calibrator: calibrator.trim() };
    const post = () => client.value.call<{ message: string }>(path, { method: 'POST', body });
    if (!(await logged.run(async () => (await post()).message))) return;
    setBefore('');
    setAfter('');
    again();
  };
  const waits = logged.waits || measured.waits;
  const level = { type: 'number', step: '0.01' } as const;
  return (
    <form class="stack" onSubmit={(event) => void write(event)} aria-label={say('New calibration')}>
      <div class="fields">
        <Field label={say('Calibrator gives, dB')} {...level} value={nominal} change={setNominal} required />
        <Field label={say('Meter showed, dB')} {...level} value={before} change={setBefore} required />
        <Field
          label={say('After it was adjusted, dB')}
          {...level}
          hint={say('not adjusted')}
          value={after}
          change={setAfter}
        />
        <Field
          label={say('Calibrator')}
          hint={say('type and serial number')}
          value={calibrator}
          change={setCalibrator}
        />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={waits}>
          {say('Log this check')}
        </button>
        <button type="button" disabled={waits || nominal === ''} onClick={() => void measure()}>
          {say('Measure the calibrator for 20 s')}
        </button>
      </div>
      <Said outcome={measured.outcome} waiting={say('Measuring for 20 s ...')} />
      <Said outcome={logged.outcome} waiting="" />
    </form>
  );
}
