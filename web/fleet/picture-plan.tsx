/**
 * The plan on a picture of the site: meters where somebody put them. They are put there by mouse, by finger or by the arrow keys.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { type Known, needing } from '../state/fleet.ts';
import { percent } from '../state/numbers.ts';
import { messageOf, type Outcome, Said, useAction } from '../ui/action.tsx';
import { say, sayWith } from '../words/say.ts';
import type { Point } from './plan.ts';
import { Groups, groupsOf, Listed, useWidth } from './plan-groups.tsx';
import { UnitList } from './unit-list.tsx';

interface Props {
  readonly shown: readonly Known[];
  readonly sha256: string;
  readonly marks: readonly schemas.PlanMark[];
}

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

interface PictureMarksProps {
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

/** Where a pointer is on an element, as shares of it; undefined beside it. */
type Under = (event: PointerEvent) => Point | undefined;

/** The picture with a handle for each meter, and the meters that are not on it. */
function PictureMarks({ picture, shown, marks, change }: PictureMarksProps) {
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
            <li key={idOf(known)}>
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
          return at && <Handle key={idOf(known)} known={known} at={at} under={under} placing={placing} />;
        })}
      </div>
      <ul class="row plain" aria-label={say('Meters on the plan')}>
        {shown.filter(placeOf).map((known) => (
          <li key={idOf(known)}>
            <button type="button" onClick={() => placing.takeAway(known)}>
              {sayWith('Remove {name} from the plan', { name: <bdi>{titleOf(known)}</bdi> })}
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
      <bdi>{titleOf(known)}</bdi>
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
      <bdi>{titleOf(known)}</bdi>
    </button>
  );
}

type Marks = readonly schemas.PlanMark[];

interface Placing {
  readonly outcome: Outcome;
  movedTo(known: Known): Point | undefined;
  isNew(known: Known): boolean;
  move(known: Known, to: Point): void;
  keep(): void;
  forget(): void;
  takeAway(known: Known): void;
}

interface Moved extends Point {
  readonly known: Known;
}

const idOf = ({ unit }: Known): string => unit.peek().unit_id;
const titleOf = ({ unit }: Known): string => unit.peek().name ?? unit.peek().unit_id;
const pathOf = (known: Known): string => `/${encodeURIComponent(idOf(known))}/plan`;

/** `change` gets the new marks when the gateway has confirmed them. */
function usePlacing(change: (next: (marks: Marks) => Marks) => void): Placing {
  const moved = useSignal<Moved | undefined>(undefined);
  const added = useRef<string | undefined>(undefined);
  const isSaving = useRef(false);
  const { outcome, run } = useAction();
  const without = (marks: Marks, known: Known) => marks.filter(({ unit_id }) => unit_id !== idOf(known));

  const save = async ({ known, x, y }: Moved) => {
    const { data } = await client.value.call<schemas.PutOnPlanAnswer>(pathOf(known), { method: 'PUT', body: { x, y } });
    change((marks) => [...without(marks, known), data]);
    return say('{name} is {left} from the left and {top} from the top.', {
      name: titleOf(known),
      left: percent(data.x),
      top: percent(data.y),
    });
  };
  /** A meter that is moved during a save is saved next. */
  const saveAll = async (): Promise<string> => {
    let said = '';
    for (let next = moved.value; next; next = moved.value) {
      said = await save(next);
      if (moved.value === next) moved.value = undefined;
    }
    return said;
  };
  const keep = () => {
    if (!moved.value || isSaving.current) return;
    isSaving.current = true;
    run(saveAll).then(() => {
      moved.value = undefined;
      isSaving.current = false;
    });
  };
  return {
    outcome,
    keep,
    movedTo: (known) => (moved.value?.known === known ? moved.value : undefined),
    isNew: (known) => added.current === idOf(known),
    move(known, to) {
      moved.value = { known, ...to };
      added.current = idOf(known);
    },
    forget() {
      moved.value = undefined;
    },
    takeAway: (known) =>
      void run(async () => {
        await client.value.call(pathOf(known), { method: 'DELETE' });
        change((marks) => without(marks, known));
        return say('{name} is not on the plan any more.', { name: titleOf(known) });
      }),
  };
}

/** A picture that the browser could read; pixels as it shows them, turned if the file says so. */
interface Picture {
  readonly href: string;
  readonly width: number;
  readonly height: number;
}

/** Fetches the picture once, and again when its hash changes: an address in a page cannot send a key. */
function usePicture(sha256: string) {
  const [found, setFound] = useState<{ readonly picture?: Picture; readonly wrong?: string }>({});
  useEffect(() => {
    const ended = new AbortController();
    setFound({});
    fetched(ended.signal).then(
      (picture) => ended.signal.aborted || setFound({ picture }),
      (error) => ended.signal.aborted || setFound({ wrong: messageOf(error) }),
    );
    return () => ended.abort();
  }, [sha256]);
  return found;
}

async function fetched(signal: AbortSignal): Promise<Picture> {
  const bytes = await client.value.blob('/_plan/picture', { signal });
  const href = await addressOf(bytes);
  const { naturalWidth: width, naturalHeight: height } = await loaded(href);
  return { href, width, height };
}

/** The policy of the page allows pictures in an address of their own, and no others. */
const addressOf = (bytes: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(say('The picture cannot be read.')));
    reader.readAsDataURL(bytes);
  });

const loaded = (href: string) =>
  new Promise<HTMLImageElement>((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () =>
      reject(new Error(say('The browser cannot show this picture. An admin can replace it in Settings.')));
    image.src = href;
  });
