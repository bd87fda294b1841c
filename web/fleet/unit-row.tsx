/** One meter in the list of all. */

import { useComputed } from '@preact/signals';
import type { Unit } from '../../client/index.ts';
import { meterPath } from '../state/address.ts';
import { areLevelsShownOld, isLpShownOld, type Known, worstOf } from '../state/fleet.ts';
import { newestLp, stateWord } from '../state/trouble.ts';
import { Age } from '../ui/age.tsx';
import { Level } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { LimitBar } from './limit-bar.tsx';
import { type Scale, SparkLine } from './spark-line.tsx';

interface Props {
  readonly known: Known;
  /** Of the small line; undefined: its own. */
  readonly scale?: Scale | undefined;
}

/** The row of one meter, a link to its page. */
export function UnitRow({ known, scale }: Props) {
  const unit = known.unit.value;
  const lpOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  const levelsOld = useComputed(() => areLevelsShownOld(known.unit.value)).value;
  const worst = useComputed(() => worstOf(known.unit.value)).value;
  const weightings = { frequency: unit.frequency_weighting, time: unit.time_weighting };
  const { word, look } = stateWord(unit);
  return (
    <Link to={meterPath(unit.unit_id)} class="unit-row">
      <div class="name-cell">
        <div class="name" dir="auto">
          {unit.name ?? unit.unit_id}
        </div>
        <div class="soft small" dir="auto">
          {unit.place ?? (unit.name ? unit.unit_id : '')}
        </div>
      </div>
      <Level level={unit.lp} quantity="lp" weightings={weightings} old={lpOld} />
      <Level level={unit.leq} quantity="leq" weightings={weightings} old={levelsOld} />
      <div class="spark-cell">
        <SparkLine line={known.line} scale={scale} />
      </div>
      <div class="limit-cell small">
        <LimitBar unitId={unit.unit_id} />
      </div>
      <div class="facts-cell small">
        <div class={`state ${look}`}>{word}</div>
        <div class="soft">{suppliesOf(unit)}</div>
      </div>
      <div class="small age-cell">
        <Age at={newestLp(unit)} zone={unit.timezone} />
      </div>
      {worst && (
        <div class="trouble act wrong small">
          <strong>{worst}</strong>
        </div>
      )}
    </Link>
  );
}

function suppliesOf({ battery_level, power_source, sd_free_ratio }: Unit): string {
  const power =
    power_source === 'External' || power_source === 'USB'
      ? say('mains')
      : battery_level === null
        ? ''
        : say('battery {level} %', { level: battery_level });
  const card = sd_free_ratio === null ? '' : say('card {share} % free', { share: sd_free_ratio });
  return [power, card].filter((each) => each !== '').join(', ');
}
