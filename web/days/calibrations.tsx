/** The log of checks with a calibrator, and the times that they make doubtful. The calibrator is measured and one more check is logged here. */
import { useState } from 'preact/hooks';
import type { schemas, Unit } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';

interface Log {
  readonly data: readonly schemas.Calibration[];
  readonly doubtful: readonly schemas.DoubtfulTime[];
}

/** The card below the calendar. */
export function Calibrations({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const path = `/${encodeURIComponent(unit_id)}/calibrations`;
  const { found: log, again } = useFound(() => client.value.call<Log>(path, { query: { limit: 20 } }), [unit_id]);
  if (!log || (log.data.length === 0 && !mayOperate.value)) return null;
  return (
    <section class="card stack" aria-labelledby="calibrations">
      <h2 id="calibrations">Calibration</h2>
      {log.doubtful.map(({ from, to, drift_db }) => (
        <p key={from} class="said bad">
          From {dayAndTime(from, timezone)} to {dayAndTime(to, timezone)} the levels are doubtful: the meter drifted by{' '}
          {drift_db.toFixed(2)} dB.
        </p>
      ))}
      {log.data.length === 0 ? <p class="soft">No calibration is logged.</p> : <Checked log={log} zone={timezone} />}
      {mayOperate.value && <NewCheck path={path} again={again} />}
    </section>
  );
}

function Checked({ log, zone }: { readonly log: Log; readonly zone: string }) {
  return (
    <ul>
      {log.data.map(({ id, time, nominal_db, before_db, after_db, calibrator, serial, by }) => (
        <li key={id} class="entry">
          {dayAndTime(time, zone)}: <strong>{before_db.toFixed(2)} dB</strong> at {nominal_db.toFixed(2)} dB,{' '}
          {after_db === null ? 'not adjusted' : `adjusted to ${after_db.toFixed(2)} dB`}.{' '}
          <span class="soft small">
            <bdi>{[calibrator, serial, by].filter((word) => word !== '').join(', ')}</bdi>
          </span>
        </li>
      ))}
    </ul>
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
      return `${data.level_db.toFixed(2)} dB, ${data.steady ? 'steady' : `not steady: it moved by ${data.spread_db.toFixed(2)} dB`}. This time is excluded.`;
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
    <form class="stack" onSubmit={(event) => void write(event)} aria-label="New calibration">
      <div class="fields">
        <Field label="Calibrator gives, dB" {...level} value={nominal} change={setNominal} required />
        <Field label="Meter showed, dB" {...level} value={before} change={setBefore} required />
        <Field label="After it was adjusted, dB" {...level} hint="not adjusted" value={after} change={setAfter} />
        <Field label="Calibrator" hint="type and serial number" value={calibrator} change={setCalibrator} />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={waits}>
          Log this check
        </button>
        <button type="button" disabled={waits || nominal === ''} onClick={() => void measure()}>
          Measure the calibrator for 20 s
        </button>
      </div>
      <Said outcome={measured.outcome} waiting="Measuring for 20 s ..." />
      <Said outcome={logged.outcome} waiting="" />
    </form>
  );
}
