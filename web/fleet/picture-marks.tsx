/** Putting meters on a picture: by mouse, by finger, or by the arrow keys. */
import { useEffect, useRef } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import type { Known } from '../state/fleet.ts';
import { Said } from '../ui/action.tsx';
import { say, sayWith } from '../words/say.ts';
import type { Picture } from './picture.ts';
import { type Placing, usePlacing } from './placing.ts';
import type { Point } from './plan.ts';

interface Props {
  readonly picture: Picture;
  readonly shown: readonly Known[];
  readonly marks: readonly schemas.PlanMark[];
  change(next: (marks: readonly schemas.PlanMark[]) => readonly schemas.PlanMark[]): void;
}

/** Of the width and height of the picture; with Shift the larger one. */
const STEP = { fine: 0.005, coarse: 0.05 };
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const MIDDLE = { x: 0.5, y: 0.5 };
const inside = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 10_000;
const nameOf = ({ unit }: Known): string => unit.peek().name ?? unit.peek().unit_id;

/** Where a pointer is on an element, as shares of it; undefined beside it. */
type Under = (event: PointerEvent) => Point | undefined;

/** The picture with a handle for each meter, and the meters that are not on it. */
export function PictureMarks({ picture, shown, marks, change }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const placing = usePlacing(change);
  const placeOf = ({ unit }: Known) => marks.find(({ unit_id }) => unit_id === unit.peek().unit_id);
  const waiting = shown.filter((known) => !placeOf(known));
  const under: Under = ({ clientX, clientY }) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return undefined;
    const [x, y] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    return x < 0 || x > 1 || y < 0 || y > 1 ? undefined : { x: inside(x), y: inside(y) };
  };
  return (
    <>
      <p class="soft">
        {say(
          'Drag a meter to its place, or choose it and press the arrow keys, with Shift for longer steps. Delete takes it from the plan.',
        )}
      </p>
      {waiting.length > 0 && (
        <ul class="row plain" aria-label={say('Meters that are not on the plan')}>
          {waiting.map((known) => (
            <li key={known.unit.peek().unit_id}>
              <Waiting known={known} under={under} placing={placing} />
            </li>
          ))}
        </ul>
      )}
      <div class="placing" ref={frame}>
        <img
          src={picture.href}
          width={picture.width}
          height={picture.height}
          alt={say('Plan of the site')}
          draggable={false}
        />
        {shown.map((known) => {
          const at = placing.movedTo(known) ?? placeOf(known);
          return at && <Handle key={known.unit.peek().unit_id} known={known} at={at} under={under} placing={placing} />;
        })}
      </div>
      <ul class="row plain" aria-label={say('Meters on the plan')}>
        {shown.filter(placeOf).map((known) => (
          <li key={known.unit.peek().unit_id}>
            <button type="button" onClick={() => placing.takeAway(known)}>
              {sayWith('Remove {name} from the plan', { name: <bdi>{nameOf(known)}</bdi> })}
            </button>
          </li>
        ))}
      </ul>
      <Said outcome={placing.outcome} waiting={say('It is being saved ...')} />
    </>
  );
}

interface HandleProps {
  readonly known: Known;
  readonly under: Under;
  readonly placing: Placing;
}

/** A meter on the picture. */
function Handle({ known, at, under, placing }: HandleProps & { readonly at: Point }) {
  const own = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (placing.isNew(known)) own.current?.focus();
  }, []);
  const pressed = (event: KeyboardEvent) => {
    const to = ARROWS[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') placing.takeAway(known);
    else if (to) {
      const step = event.shiftKey ? STEP.coarse : STEP.fine;
      placing.move(known, { x: inside(at.x + to.x * step), y: inside(at.y + to.y * step) });
    } else return;
    event.preventDefault();
  };
  return (
    <button
      type="button"
      class="pin"
      ref={own}
      style={{ left: `${at.x * 100}%`, top: `${at.y * 100}%` }}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={(event) => {
        const to = event.currentTarget.hasPointerCapture(event.pointerId) ? under(event) : undefined;
        if (to) placing.move(known, to);
      }}
      onPointerUp={placing.keep}
      onPointerCancel={placing.forget}
      onKeyDown={pressed}
      onKeyUp={placing.keep}
      onBlur={placing.keep}
    >
      <bdi>{nameOf(known)}</bdi>
    </button>
  );
}

/** A meter that is not on it yet: dragged onto it, or put in the middle by a click. */
function Waiting({ known, under, placing }: HandleProps) {
  const isDragged = useRef(false);
  return (
    <button
      type="button"
      class="waiting"
      title={say('Drag it to its place')}
      onPointerDown={({ currentTarget, pointerId }) => {
        isDragged.current = false;
        currentTarget.setPointerCapture(pointerId);
      }}
      onPointerMove={(event) => {
        const to = event.currentTarget.hasPointerCapture(event.pointerId) ? under(event) : undefined;
        if (to) isDragged.current = true;
        if (to) placing.move(known, to);
        else if (isDragged.current) placing.forget();
      }}
      onPointerUp={placing.keep}
      onPointerCancel={placing.forget}
      onClick={() => {
        // A drag ends with a click, too.
        if (isDragged.current) return;
        placing.move(known, MIDDLE);
        placing.keep();
      }}
    >
      <bdi>{nameOf(known)}</bdi>
    </button>
  );
}
