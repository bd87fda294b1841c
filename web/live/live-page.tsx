/** The present values of a meter, and its controls: start, stop, power and card. */
import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Control, Unit } from '../../client/index.ts';
import { can } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { areLevelsShownOld, isLpShownOld, type Known, lostSince } from '../state/fleet.ts';
import { bytes, clockTime, MEASURED, whole } from '../state/numbers.ts';
import { newestLp } from '../state/trouble.ts';
import { Said, useAction } from '../ui/action.tsx';
import { AskedTwice } from '../ui/asked-twice.tsx';
import { Age, Level } from '../ui/level.tsx';
import { say, sayWith } from '../words/say.ts';
import { BudgetPanel } from './budget-panel.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { ConnectionPanel, ExaminationPanel } from './connection-panel.tsx';
import { useFrames } from './frames.ts';
import { LiveChart } from './live-chart.tsx';
import { Markers } from './markers.tsx';
import { MeterSettings } from './meter-settings.tsx';

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
      <Markers key={unit.unit_id} unitId={unit.unit_id} zone={unit.timezone} />
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

/** After these the display shows another measurement, or its end. */
const READ_AFTER: readonly Control[] = ['start', 'stop', 'reset'];

const controlsOf = (): readonly (readonly [control: Control, word: string, does: string])[] => [
  ['start', say('Start'), say('Clears the values on the display and begins a measurement.')],
  ['stop', say('Stop'), say('Ends the measurement. The values stay on the display.')],
  ['pause', say('Pause'), say('Leaves out the sound until you resume.')],
  ['resume', say('Resume'), say('Goes on after a pause.')],
  ['reset', say('Reset'), say('Clears the values of the measurement.')],
  ['store', say('Store'), say('Writes the values on the display to the card.')],
];

/** These end or clear values for good. */
const sureOf = (control: Control, isMeasuring: boolean): string | undefined => {
  if (control === 'stop') return say('Yes, stop');
  if (control === 'reset') return say('Yes, reset');
  return control === 'start' && isMeasuring ? say('Yes, start again') : undefined;
};

function MeasurementControl({ unit }: { readonly unit: Unit }) {
  const { outcome, run, waits } = useAction();
  const controls = controlsOf().filter(([control]) => can(unit.unit_id, control));
  if (!mayOperate.value || controls.length === 0) return null;
  const isMeasuring = unit.measurement_state === 'Measure';
  const send = (control: Control) =>
    run(async () => {
      const { message, warning } = await client.value.control(unit.unit_id, control);
      // Its values come as a reading, as those of others do.
      if (READ_AFTER.includes(control)) void client.value.live(unit.unit_id).catch(() => {});
      return [
        message,
        warning,
        say('The meter confirmed it at {time}.', { time: clockTime(Date.now(), unit.timezone) }),
      ]
        .filter(Boolean)
        .join(' ');
    });
  return (
    <section class="card" aria-labelledby="control">
      <h2 id="control">{say('Measurement')}</h2>
      <ul class="controls">
        {controls.map(([control, word, does]) => (
          <li key={control}>
            <ControlButton
              word={word}
              sure={sureOf(control, isMeasuring)}
              describedBy={`does-${control}`}
              isMain={control === (isMeasuring ? 'stop' : 'start')}
              waits={waits}
              work={() => void send(control)}
            />
            <span id={`does-${control}`} class="soft small">
              {does}
            </span>
          </li>
        ))}
      </ul>
      <Said outcome={outcome} />
    </section>
  );
}

interface ControlProps {
  readonly word: string;
  /** The text of a second button that asks once more; undefined: it is done at once. */
  readonly sure: string | undefined;
  readonly describedBy: string;
  readonly isMain: boolean;
  readonly waits: boolean;
  work(): void;
}

function ControlButton({ word, sure, describedBy, isMain, waits, work }: ControlProps) {
  const look = isMain ? 'main' : '';
  if (sure === undefined)
    return (
      <button type="button" class={look} disabled={waits} aria-describedby={describedBy} onClick={work}>
        {word}
      </button>
    );
  return (
    <span class="asked">
      <AskedTwice
        first={word}
        sure={sure}
        keep={say('Cancel')}
        class={look}
        waits={waits}
        describedBy={describedBy}
        work={work}
      />
    </span>
  );
}

const SOURCES: Readonly<Record<string, () => string>> = {
  Battery: () => say('its batteries'),
  External: () => say('an external supply'),
  USB: () => 'USB',
};

function SupplyPanel({ unit }: { readonly unit: Unit }) {
  const { battery_level, battery_state, battery_at, power_source, sd_remaining_mb, sd_free_ratio, sd_at } = unit;
  if (!['battery', 'power_source', 'card_space'].some((name) => can(unit.unit_id, name))) return null;
  return (
    <section class="card" aria-labelledby="supplies">
      <h2 id="supplies">{say('Power and card')}</h2>
      <dl class="facts">
        <dt>{say('Runs on')}</dt>
        <dd>{power_source === null ? say('not known') : SOURCES[power_source]?.()}</dd>
        <dt>{say('Battery')}</dt>
        <dd>
          {battery_level === null ? (battery_state ?? say('not known')) : `${whole(battery_level)} %`}{' '}
          <Age at={battery_at} />
        </dd>
        <dt>{say('Card')}</dt>
        <dd>
          {sd_remaining_mb === null
            ? say('not known')
            : say('{bytes} free', { bytes: bytes(sd_remaining_mb * 1_000_000) })}
          {sd_free_ratio !== null && ` (${whole(sd_free_ratio)} %)`} <Age at={sd_at} />
        </dd>
      </dl>
    </section>
  );
}
