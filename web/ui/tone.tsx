/** The tone of a calibrator in words, and calibrators that nobody announced. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { clockTime, dayAndTime } from '../state/numbers.ts';
import { LOCALES } from '../words/language.ts';
import { say, sayWith } from '../words/say.ts';
import { Said, useAction } from './action.tsx';

/** Calibrations are logged to 0.01 dB. */
const HUNDREDTHS = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** `94.60` */
export const hundredths = (level: number): string => HUNDREDTHS.format(level);

interface ToneProps {
  readonly tone: schemas.CalibratorTone;
  readonly zone: string;
}

/** Its level, its difference from what the calibrator gives, and when it was heard. */
export function ToneWords({ tone: { from, to, level_db, nominal_db, deviation_db }, zone }: ToneProps) {
  return sayWith('{level}, {deviation} dB from {nominal} dB, {from} to {to}', {
    level: <strong>{hundredths(level_db)} dB</strong>,
    deviation: `${deviation_db > 0 ? '+' : ''}${hundredths(deviation_db)}`,
    nominal: hundredths(nominal_db),
    from: dayAndTime(from, zone),
    to: clockTime(to, zone),
  });
}

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** The time that is looked at, ms. */
  readonly from: number;
  readonly to: number;
  /** After a calibration was logged. */
  again(): void;
}

/** The API takes no more. */
const MOST_MS = 31 * 86_400_000;
/** A time that moves is looked at again after this long, ms. */
const STEP_MS = 600_000;

/** Nothing where none was found. */
export function CalibratorProposals({ unitId, zone, from, to, again }: Props) {
  const path = `/${encodeURIComponent(unitId)}/calibrations`;
  const end = Math.ceil(to / STEP_MS) * STEP_MS;
  const begin = Math.max(Math.floor(from / STEP_MS) * STEP_MS, end - MOST_MS);
  const query = { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
  const { found, again: lookAgain } = useFound(
    () => client.value.call<schemas.ProposeCalibrationsAnswer>(`${path}/proposals`, { query }),
    [unitId, begin, end],
  );
  const { outcome, run, waits } = useAction();
  const log = async ({ from, to, nominal_db, level_db }: schemas.CalibratorTone) => {
    const body = { time: from, from, to, nominal_db, before_db: level_db };
    const post = () => client.value.call<{ message: string }>(path, { method: 'POST', body });
    if (!(await run(() => post()))) return;
    lookAgain();
    again();
  };
  const isEmpty = !found || found.data.length === 0;
  if (isEmpty && !('said' in outcome)) return null;
  return (
    <div class="stack">
      {!isEmpty && <p>{say('This looks like a calibrator that nobody announced:')}</p>}
      <ul>
        {found?.data.map((tone) => (
          <li key={tone.from} class="row">
            <span>
              <ToneWords tone={tone} zone={zone} />
            </span>
            {mayOperate.value && (
              <button type="button" disabled={waits} onClick={() => void log(tone)}>
                {say('Log it and exclude its time')}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Said outcome={outcome} waiting="" />
    </div>
  );
}
