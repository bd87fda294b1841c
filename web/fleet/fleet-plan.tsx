/** Meters at their places, on a picture of the site or a plain grid. Meters that are close together can be shown larger. */
import { useEffect, useRef } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { PLAN, PLAN_BY_POSITION, search } from '../state/address.ts';
import type { Known } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { Link } from '../ui/link.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { say, sayWith } from '../words/say.ts';
import { PicturePlan } from './picture-plan.tsx';
import { isWithin, partFrom, positionOf } from './plan.ts';
import { type Placed, PlanDrawing } from './plan-drawing.tsx';
import { UnitList } from './unit-list.tsx';

export interface PlanProps {
  readonly shown: readonly Known[];
  /** Undefined until the gateway has said whether there is a picture. */
  readonly plan: schemas.Plan | undefined;
}

/** On a picture of the site if there is one, else by position; where both can be had, the address says which. */
export function FleetPlan({ shown, plan }: PlanProps) {
  if (!plan) return <Skeleton what={say('The plan is being asked for ...')} />;
  if (!plan.picture) return <PositionPlan shown={shown} />;
  const hasPositions = shown.some(({ unit }) => positionOf(unit.peek()));
  const isByPosition = hasPositions && search.value.get('on') === 'grid';
  return (
    <>
      {hasPositions && (
        <nav class="row" aria-label={say('Picture or positions')}>
          <Link to={PLAN} class="tab" current={!isByPosition}>
            {say('Picture')}
          </Link>
          <Link to={PLAN_BY_POSITION} class="tab" current={isByPosition}>
            {say('By position')}
          </Link>
        </nav>
      )}
      {isByPosition ? (
        <PositionPlan shown={shown} />
      ) : (
        <PicturePlan shown={shown} sha256={plan.picture.sha256} marks={plan.marks} />
      )}
    </>
  );
}

/** The plan of the meters that are shown; those without a position are listed below it. */
function PositionPlan({ shown }: Pick<PlanProps, 'shown'>) {
  const { found: map } = useFound(() => client.value.call<schemas.GetMapAnswer>('/_map'), []);
  const around = search.value.get('around');
  const part = partFrom(around);
  const placed = shown.flatMap((known): readonly Placed[] => {
    const position = positionOf(known.unit.peek());
    return position && (!part || isWithin(part, position)) ? [{ known, position }] : [];
  });
  const elsewhere = part ? [] : shown.filter(({ unit }) => !positionOf(unit.peek()));
  return (
    <>
      {part && <PartShown key={around} count={placed.length} />}
      {placed.length > 0 && <PlanDrawing placed={placed} map={map?.data ?? undefined} />}
      {elsewhere.length > 0 && (
        <section class="stack" aria-labelledby="elsewhere">
          <div class="row">
            <h2 id="elsewhere">
              {say('{count} meter has no position|{count} meters have no position', { count: elsewhere.length })}
            </h2>
            {mayAdminister.value && (
              <p class="soft">
                {sayWith('Enter it under {link}.', { link: <Link to="settings">{say('Settings')}</Link> })}
              </p>
            )}
          </div>
          <UnitList shown={elsewhere} label={say('Meters without a position')} />
        </section>
      )}
    </>
  );
}

/** The link that was clicked is gone, so this gets the keyboard focus. */
function PartShown({ count }: { readonly count: number }) {
  const here = useRef<HTMLParagraphElement>(null);
  useEffect(() => here.current?.focus(), []);
  return (
    <p ref={here} tabIndex={-1}>
      {say('{count} meter of this part of the plan.|{count} meters of this part of the plan.', { count })}{' '}
      <Link to={PLAN}>{say('The whole plan')}</Link>
    </p>
  );
}
