/** The log of checks with a calibrator, and the times that they make doubtful. The calibrator is measured and one more check is logged here. */
import { useComputed } from '@preact/signals';
import type { schemas, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { CalibratorProposals, hundredths } from '../ui/tone.tsx';
import { listOf, say, sayWith } from '../words/say.ts';
import { CalibrationAssistant } from './calibration-assistant.tsx';

type Log = Pick<schemas.ListCalibrationsAnswer, 'data' | 'doubtful'>;

/** Calibrators that nobody announced are looked for in the last days, ms. */
const LOOK_MS = 7 * 86_400_000;
const STEP_MS = 600_000;

export function Calibrations({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const path = `/${encodeURIComponent(unit_id)}/calibrations`;
  const { found: log, again } = useFound(() => client.value.call<Log>(path, { query: { limit: 20 } }), [unit_id]);
  const day = useComputed(() => Math.floor(now.value / STEP_MS) * STEP_MS).value;
  if (!log || (log.data.length === 0 && !mayOperate.value)) return null;
  return (
    <Card id="calibrations" title={say('Calibration')} class="card stack">
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
    </Card>
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

const NEW = {
  nominal_db: 94 as number | undefined,
  before_db: undefined as number | undefined,
  after_db: undefined as number | undefined,
  calibrator: '',
};

function NewCheck({ path, again }: { readonly path: string; again(): void }) {
  const [values, set] = useValues(NEW);
  const { nominal_db } = values;
  const { outcome, run, waits } = useAction();
  const measure = () =>
    run(async () => {
      const { data } = await client.value.call<{ data: schemas.CalibratorLevel }>(`${path}/measure`, {
        method: 'POST',
        body: { nominal_db },
      });
      set({ before_db: Number(data.level_db.toFixed(2)) });
      const level = hundredths(data.level_db);
      return data.steady
        ? say('{level} dB, steady. This time is excluded.', { level })
        : say('{level} dB, not steady: it moved by {spread} dB. This time is excluded.', {
            level,
            spread: hundredths(data.spread_db),
          });
    });
  const save = async () => {
    const answer = await client.value.call<{ message: string }>(path, { method: 'POST', body: values });
    set({ before_db: undefined, after_db: undefined });
    return answer;
  };
  const level = {
    type: 'number',
    step: '0.01',
    written: {
      print: (db: number | undefined) => db?.toFixed(2) ?? '',
      parse: (text: string) => (text === '' ? undefined : Number(text)),
    },
  } as const;
  return (
    <SchemaForm
      title={say('New calibration')}
      button={say('Log this check')}
      use={{ saved: again, isPlain: true }}
      parts={[
        { name: 'nominal_db', label: say('Calibrator gives, dB'), ...level, required: true },
        { name: 'before_db', label: say('Meter showed, dB'), ...level, required: true },
        { name: 'after_db', label: say('After it was adjusted, dB'), ...level, hint: say('not adjusted') },
        { name: 'calibrator', label: say('Calibrator'), hint: say('type and serial number') },
      ]}
      values={values}
      set={set}
      save={save}
      isReady={!waits}
      more={
        <button type="button" disabled={waits || nominal_db === undefined} onClick={() => void measure()}>
          {say('Measure the calibrator for 20 s')}
        </button>
      }
    >
      <Said outcome={outcome} waiting={say('Measuring for 20 s ...')} />
    </SchemaForm>
  );
}
