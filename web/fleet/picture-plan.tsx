/** The plan on a picture of the site: meters where somebody put them, and a mode in which they are put there. */
import { useMemo, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { type Known, needing } from '../state/fleet.ts';
import { say } from '../words/say.ts';
import { type Picture, usePicture } from './picture.ts';
import { PictureMarks } from './picture-marks.tsx';
import { Groups, groupsOf, Listed } from './plan-groups.tsx';
import { UnitList } from './unit-list.tsx';
import { useWidth } from './use-width.ts';

interface Props {
  readonly shown: readonly Known[];
  readonly sha256: string;
  readonly marks: readonly schemas.PlanMark[];
}

/** The picture with its meters; those without a place on it are listed below. */
export function PicturePlan({ shown, sha256, marks: found }: Props) {
  const [marks, change] = useState(found);
  const [isMoving, setMoving] = useState(false);
  const { picture, wrong } = usePicture(sha256);
  const onIt = new Set(marks.map(({ unit_id }) => unit_id));
  const elsewhere = shown.filter(({ unit }) => !onIt.has(unit.peek().unit_id));
  return (
    <>
      {mayOperate.value && (
        <div class="row">
          <button type="button" aria-pressed={isMoving} onClick={() => setMoving(!isMoving)}>
            {isMoving ? say('Done ## with moving') : say('Move meters')}
          </button>
          {!isMoving && elsewhere.length > 0 && (
            <p class="soft">
              {say('{count} meter is not on the plan.|{count} meters are not on the plan.', {
                count: elsewhere.length,
              })}
            </p>
          )}
        </div>
      )}
      {wrong && <p class="trouble">{wrong}</p>}
      {picture && isMoving && <PictureMarks picture={picture} shown={shown} marks={marks} change={change} />}
      {picture && !isMoving && <PictureDrawing picture={picture} shown={shown} marks={marks} />}
      {!isMoving && elsewhere.length > 0 && (
        <section class="stack" aria-labelledby="elsewhere">
          <h2 id="elsewhere">{say('Not on the plan')}</h2>
          <UnitList shown={elsewhere} label={say('Meters that are not on the plan')} />
        </section>
      )}
    </>
  );
}

interface DrawingProps extends Pick<Props, 'shown' | 'marks'> {
  readonly picture: Picture;
}

function PictureDrawing({ picture, shown, marks }: DrawingProps) {
  const { frame, width } = useWidth();
  const height = Math.round((width * picture.height) / picture.width);
  const inTrouble = new Set(needing.value.split(','));
  const placed = shown.flatMap((known) => {
    const { unit_id, name } = known.unit.peek();
    const mark = marks.find((each) => each.unit_id === unit_id);
    return mark ? [{ known, mark, name, needs: inTrouble.has(unit_id) }] : [];
  });
  // Everything that the layout depends on; readings do not belong to it.
  const said = JSON.stringify(placed.map(({ mark, name, needs }) => [mark, name, needs]));
  const groups = useMemo(() => {
    const spots = placed.map(({ known, needs, mark: { x, y } }) => ({ known, needs, x: x * width, y: y * height }));
    return width === 0 ? [] : groupsOf(spots, { width, height, taken: [] }, () => undefined);
  }, [width, height, said]);
  return (
    <>
      <div class="plan picture" ref={frame}>
        {width > 0 && (
          <svg width={width} height={height}>
            <title>{say('Plan: a picture of the site')}</title>
            <image href={picture.href} width={width} height={height} preserveAspectRatio="none" />
            <Groups groups={groups} />
          </svg>
        )}
      </div>
      <Listed groups={groups} />
    </>
  );
}
