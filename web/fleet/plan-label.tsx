/** Labels of the plan: of one meter with its level, age and state, or a short one of several meters. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Unit } from '../../client/index.ts';
import { meterPath } from '../state/address.ts';
import { isLpShownOld, type Known, needing, worstOf } from '../state/fleet.ts';
import { countOfMeters, nameOf } from '../state/numbers.ts';
import { newestLp, stateWord } from '../state/trouble.ts';
import { Age } from '../ui/age.tsx';
import { Level } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import type { Label } from './plan-layout.ts';

type Box = Pick<Label, 'x' | 'y' | 'width' | 'height' | 'side'>;

/** The label of one meter. */
export function UnitLabel({ box, known }: { readonly box: Box; readonly known: Known }) {
  const unit = known.unit.value;
  const old = useComputed(() => isLpShownOld(known.unit.value)).value;
  const worst = useComputed(() => worstOf(known.unit.value)).value;
  const { word, look } = stateWord(unit);
  // Its state says already what is wrong.
  const isAway = look.startsWith('away');
  return (
    <Place box={box}>
      <Link to={meterPath(unit.unit_id)} class={`plan-label ${box.side}`}>
        <div class="name" dir="auto">
          {unit.name ?? unit.unit_id}
        </div>
        <div>
          <UnitLevel unit={unit} old={old} />
        </div>
        <div class="small">
          <span class={isAway ? 'wrong' : 'soft'}>{word}</span>
          {' · '}
          <Age at={newestLp(unit)} zone={unit.timezone} />
        </div>
        {worst && !isAway && <div class="small wrong">{worst}</div>}
      </Link>
    </Place>
  );
}

interface CountProps {
  readonly box: Box;
  readonly some: readonly Known[];
  /** Undefined: they are listed below the plan. */
  readonly to: string | undefined;
}

/** The label of some meters: how many, the loudest level, and whether one needs attention. */
export function CountLabel({ box, some, to }: CountProps) {
  const { loudest, old, needs } = useComputed(() => inShort(some.map(({ unit }) => unit.value))).value;
  const more = [
    ...(needs > 0 ? [say('{count} needs attention|{count} need attention', { count: needs })] : []),
    ...(old > 0 ? [say('{count} old|{count} old', { count: old })] : []),
    ...(needs + old > 0 || to ? [] : [say('listed below')]),
  ];
  const words = (
    <>
      <div>
        <span class="hidden-label">{countOfMeters(some.length)}, </span>
        {loudest ? (
          <>
            <span class="small">{say('up to')}</span> <UnitLevel unit={loudest} old={false} />
          </>
        ) : (
          <span class="small soft">{to ? say('look closer') : say('no fresh level')}</span>
        )}
      </div>
      {more.length > 0 && <div class={`small ${needs > 0 ? 'wrong' : 'soft'}`}>{more.join(', ')}</div>}
    </>
  );
  return (
    <Place box={box}>
      {to ? (
        <Link to={to} class={`plan-label ${box.side}`}>
          {words}
        </Link>
      ) : (
        <div class={`plan-label ${box.side}`}>{words}</div>
      )}
    </Place>
  );
}

/** The loudest of the fresh levels; none if their weightings differ. */
function inShort(units: readonly Unit[]) {
  const inTrouble = new Set(needing.value.split(','));
  const fresh = units.filter((unit) => unit.lp !== null && !isLpShownOld(unit));
  const names = new Set(fresh.map((unit) => nameOf('lp', weightingsOf(unit))));
  const loudest = fresh.reduce<Unit | undefined>(
    (best, unit) => ((best?.lp ?? Number.NEGATIVE_INFINITY) >= (unit.lp ?? 0) ? best : unit),
    undefined,
  );
  return {
    loudest: names.size === 1 ? loudest : undefined,
    old: units.length - fresh.length,
    needs: units.filter(({ unit_id }) => inTrouble.has(unit_id)).length,
  };
}

function UnitLevel({ unit, old }: { readonly unit: Unit; readonly old: boolean }) {
  return <Level level={unit.lp} quantity="lp" weightings={weightingsOf(unit)} old={old} />;
}

const weightingsOf = ({ frequency_weighting, time_weighting }: Unit) => ({
  frequency: frequency_weighting,
  time: time_weighting,
});

function Place({
  box: { x, y, width, height },
  children,
}: {
  readonly box: Box;
  readonly children: ComponentChildren;
}) {
  return (
    <foreignObject x={x} y={y} width={width} height={height}>
      {children}
    </foreignObject>
  );
}
