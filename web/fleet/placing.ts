/** A meter that is moved on a picture, until the gateway has its place. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import type { Known } from '../state/fleet.ts';
import { percent } from '../state/numbers.ts';
import { type Outcome, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';
import type { Point } from './plan.ts';

type Marks = readonly schemas.PlanMark[];

/** State and actions of the handles of a picture. */
export interface Placing {
  readonly outcome: Outcome;
  /** Where the meter is while it is moved. */
  movedTo(known: Known): Point | undefined;
  /** Whether it has just come onto the picture: then the keyboard goes on with it. */
  isNew(known: Known): boolean;
  move(known: Known, to: Point): void;
  /** Saves where it was moved to. */
  keep(): void;
  /** It stays where it was. */
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
export function usePlacing(change: (next: (marks: Marks) => Marks) => void): Placing {
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
