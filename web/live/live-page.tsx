/** The present values of a meter, and its controls. */
import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { areLevelsShownOld, isLpShownOld, type Known, lostSince } from '../state/fleet.ts';
import { MEASURED } from '../state/numbers.ts';
import { newestLp } from '../state/trouble.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Age } from '../ui/age.tsx';
import { Level } from '../ui/level.tsx';
import { say, sayWith } from '../words/say.ts';
import { BudgetPanel } from './budget-panel.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { ConnectionPanel } from './connection-panel.tsx';
import { ExaminationPanel } from './examination-panel.tsx';
import { useFrames } from './frames.ts';
import { LiveChart } from './live-chart.tsx';
import { MeasurementControl } from './measurement-control.tsx';
import { MeterSettings } from './meter-settings.tsx';
import { SupplyPanel } from './supply-panel.tsx';

/** The first page of a meter. */
export function LivePage({ known }: { readonly known: Known }) {
  const unit = known.unit.value;
  // Beside a watched stream the test asks little: the page ends its own stream for it.
  const [isTested, setTested] = useState(false);
  const frames = useFrames(unit.unit_id, isTested);
  const frame = frames.newest.value;
  const lpOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  const levelsOld = useComputed(() => areLevelsShownOld(known.unit.value)).value;
  const { outcome, run, waits } = useAction();
  const readNow = () => run(() => client.value.live(unit.unit_id).then(() => ''));
  const isLive = useComputed(() => frames.isFresh.value && lostSince.value === undefined).value;
  const measured = measuredBy(unit);
  const weightings = { frequency: unit.frequency_weighting, time: unit.time_weighting };
  return (
    <>
      <section class="card" aria-label={say('Levels')}>
        <div class="now">
          <div>
            <Level
              level={isLive && frame ? frame.lp : unit.lp}
              quantity="lp"
              weightings={weightings}
              old={lpOld && !isLive}
              huge
            />
            <p class="soft small">
              {isLive ? say('live, ten times a second') : <Age at={newestLp(unit)} zone={unit.timezone} />}
            </p>
          </div>
          <div>
            <div class="levels">
              {measured.map((tile) => (
                <Level
                  key={`${tile.quantity}${tile.percent ?? ''}`}
                  {...tile}
                  weightings={weightings}
                  old={levelsOld}
                />
              ))}
            </div>
            <div class="row small soft">
              <span>
                {ofWhat(unit, measured.length, <Age at={unit.measured_at} zone={unit.timezone} />)}
                {isLive && measured.length > 0 && whenRead(unit)}
              </span>
              <button type="button" class="plain" disabled={waits} onClick={() => void readNow()}>
                {say('Read now')}
              </button>
              <Said outcome={outcome} />
            </div>
          </div>
        </div>
        <LiveChart unit={unit} frames={frames} weightings={weightings} />
      </section>
      <BudgetPanel unit={unit} />
      <div class="columns">
        <MeasurementControl unit={unit} />
        <div class="stack">
          <SupplyPanel unit={unit} />
          <ClockPanel unit={unit} />
        </div>
        <ConnectionPanel unitId={unit.unit_id} zone={unit.timezone} />
      </div>
      <ExaminationPanel unitId={unit.unit_id} onRun={setTested} />
      <MeterSettings unit={unit} />
    </>
  );
}

interface Tile {
  readonly quantity: string;
  readonly level: number | null;
  readonly percent?: number;
}

/**
 * Quantities with a value on the display. A percentile has its percentage when it is known, and its place on the display
 * otherwise.
 */
function measuredBy(unit: Unit): readonly Tile[] {
  const named = Object.entries(unit.ln ?? {})
    .filter(([, level]) => level !== null)
    .map(([percent, level]): Tile => ({ quantity: 'LN', level, percent: Number(percent) }));
  const isNamed = (quantity: string, level: number | null) =>
    /^ln\d$/.test(quantity) && named.some((tile) => tile.level === level);
  const others = MEASURED.map((quantity): Tile => ({ quantity, level: unit[quantity] ?? null })).filter(
    ({ quantity, level }) => level !== null && !isNamed(quantity, level),
  );
  return [...others, ...named];
}

function ofWhat({ measurement_state }: Unit, count: number, time: object) {
  if (count === 0) return sayWith('The display has no values of a measurement, read {time}', { time });
  return measurement_state === 'Stop'
    ? sayWith('Of the measurement that was stopped, read {time}', { time })
    : sayWith('Of the measurement, read {time}', { time });
}

/** Beside a stream the display is read rarely. */
function whenRead({ poll_enabled, stale_after_s, levels_stale_after_s }: Unit): string {
  if (!poll_enabled) return say('. It is not read in the background.');
  return levels_stale_after_s > stale_after_s ? say(', and rarely while the fast stream runs') : '';
}
