/** A note about a chosen time, or the exclusion of it: what it covers, why, and ten seconds in which it can be undone. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AlertEvent, firstMomentOf, GatewayProblem, type schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { concernsShown } from '../state/address.ts';
import { isOfLevels } from '../state/alarms.ts';
import type { ChosenTime } from '../state/chosen-time.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { localInput, span } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { problemsOf, Said, useAction } from './action.tsx';
import { Field, Flag } from './field.tsx';
import { type Reason, reasonChoices, textPart } from './notes.tsx';
import { Parts, useInvalidFocus } from './schema-form.tsx';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** Undefined: none yet. Then nothing can be written. */
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
  /** Whether it may also begin now and go on. */
  readonly mayGoOn: boolean;
  /** How a time is chosen on this page. */
  readonly hint: string;
  /** After it was written, or undone. */
  again(): void;
}

/** The last note, and the text about it. */
export interface Written {
  readonly note: schemas.Note;
  readonly text: string;
}

/** Nothing is excluded by one click: the time was chosen, its reason too, and the form says what it covers. */
export function NewNote({ unitId, zone, chosen, choose, mayGoOn, hint, again }: Props) {
  const [words, setWords] = useState<{ readonly reason: Reason | ''; readonly text: string }>({ reason: '', text: '' });
  const [goesOn, setGoesOn] = useState(false);
  const [written, setWritten] = useState<Written | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const { outcome, run, waits } = useAction();
  useInvalidFocus(form, outcome);
  const isOpen = mayGoOn && goesOn && chosen === undefined;
  const covered = useCovered(unitId, chosen);
  const write = async (kind: schemas.Note['kind']) => {
    const times = chosen && { from: new Date(chosen.from).toISOString(), to: new Date(chosen.to).toISOString() };
    const body = { kind, reason: words.reason || ('other' as const), text: words.text.trim(), ...times };
    let note: schemas.Note | undefined;
    const isDone = await run(async () => {
      if (kind === 'exclusion' && words.reason === '') {
        const errors = [{ path: '/reason', message: say('Choose a reason first.') }];
        throw new GatewayProblem('PAGE', '', { errors });
      }
      note = (await client.value.addNote(unitId, body)).data;
      return '';
    });
    if (!isDone || !note) return;
    setWritten({ note, text: writtenWords(kind, covered) });
    setWords({ reason: '', text: '' });
    setGoesOn(false);
    choose(undefined);
    again();
  };
  const problems = problemsOf(outcome);
  const none = words.reason === '' ? [['', say('choose ## a reason')] as const] : [];
  const cannot = waits || (!isOpen && !chosen);
  return (
    <form
      class="stack"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!cannot) void write('note');
      }}
      aria-label={say('New note')}
    >
      <p class="soft">{isOpen ? say('From now until you end it.') : hint}</p>
      {!isOpen && <ChosenFields zone={zone} chosen={chosen} choose={choose} />}
      <Parts
        parts={[{ name: 'reason', label: say('Reason'), choices: [...none, ...reasonChoices()] }, textPart()]}
        values={words}
        put={(name, next) => setWords({ ...words, [name]: next })}
        problems={problems}
        at=""
      />
      {mayGoOn && chosen === undefined && (
        <Flag label={say('From now, until I end it')} value={goesOn} change={setGoesOn} />
      )}
      {!isOpen && covered !== '' && <p role="status">{say('This covers {what}.', { what: covered })}</p>}
      <div class="row">
        <button type="submit" class="main" disabled={cannot}>
          {say('Write the note')}
        </button>
        <button type="button" disabled={cannot} onClick={() => void write('exclusion')}>
          {say('Exclude this time')}
        </button>
        {problems.length === 0 && <Said outcome={outcome} waiting="" />}
      </div>
      {written && (
        <Undo
          key={written.note.id}
          written={written}
          again={again}
          end={() => setWritten(undefined)}
          leave={() => form.current?.querySelector('input')?.focus()}
        />
      )}
    </form>
  );
}

const writtenWords = (kind: schemas.Note['kind'], covered: string): string => {
  if (kind === 'note') return say('The note is written.');
  return covered === '' ? say('The time from now on is excluded.') : say('Excluded: {what}.', { what: covered });
};

/** `7 d, 3 exceeded limits`; empty without a chosen time. */
function useCovered(unitId: string, chosen: ChosenTime | undefined): string {
  const { from = 0, to = 0 } = chosen ?? {};
  const isTime = from < to;
  const { found } = useFound(async () => {
    if (!isTime) return undefined;
    const query = { unit: unitId, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const events = await unlessAbsent(client.value.all<AlertEvent>('/_alerts/events', query), []);
    const own = events.filter(
      (event) => isOfLevels(event) && concernsShown(event.channel === null ? null : [event.channel]),
    );
    return { from, to, exceeded: own.length };
  }, [unitId, from, to]);
  if (!isTime) return '';
  const length = span((to - from) / 1_000);
  // The number of another time is not shown.
  if (found?.from !== from || found.to !== to) return length;
  return say('{length}, {count} exceeded limit|{length}, {count} exceeded limits', { length, count: found.exceeded });
}

/** As a person writes it by the clock of the meter: `2026-11-21T14:05`. */
interface WrittenSpan {
  readonly from: string;
  readonly to: string;
}

const EMPTY: WrittenSpan = { from: '', to: '' };

interface ChosenFieldsProps {
  readonly zone: string;
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
}

/** Begin and end of the chosen time. A time that nobody touched here stays to the second. */
function ChosenFields({ zone, chosen, choose }: ChosenFieldsProps) {
  /** `of`: the time that these texts have chosen. A time that was chosen elsewhere takes their place. */
  const [own, setOwn] = useState<{ readonly of: ChosenTime | undefined; readonly texts: WrittenSpan }>({
    of: undefined,
    texts: EMPTY,
  });
  const other = chosen ? { from: localInput(chosen.from, zone), to: localInput(chosen.to, zone) } : EMPTY;
  const shown = own.of === chosen ? own.texts : other;
  const change = (texts: WrittenSpan) => {
    const timeOf = (end: keyof WrittenSpan) =>
      chosen && texts[end] === shown[end] ? chosen[end] : firstMomentOf(texts[end], zone);
    const time = texts.from && texts.to ? { from: timeOf('from'), to: timeOf('to') } : undefined;
    setOwn({ of: time, texts });
    choose(time);
  };
  const time = { type: 'datetime-local', required: true } as const;
  return (
    <div class="fields">
      <Field label={say('From')} {...time} value={shown.from} change={(from) => change({ ...shown, from })} />
      <Field
        label={say('to ## the end of a span')}
        {...time}
        value={shown.to}
        change={(to) => change({ ...shown, to })}
      />
    </div>
  );
}

/** How long it is offered; afterwards the list has it, ms. */
const UNDO_MS = 10_000;

interface UndoProps {
  readonly written: Written;
  again(): void;
  /** The time for it is over. */
  end(): void;
  /** Gives the keyboard a place after the button. Without it the keyboard stays where it is. */
  leave?(): void;
}

/** The line about a note that was just written, with the button that takes it back. */
export function Undo({ written: { note, text }, again, end, leave }: UndoProps) {
  const [undone, setUndone] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const { outcome, run, waits } = useAction();
  const close = () => {
    if (document.activeElement === button.current) leave?.();
    end();
  };
  useEffect(() => {
    // The button that wrote it may no longer be active.
    if (leave) button.current?.focus();
    const timer = setTimeout(close, UNDO_MS);
    return () => clearTimeout(timer);
  }, []);
  const undo = async () => {
    const remove = () => client.value.removeNote(note.unit_id, note.id);
    if (!(await run(() => remove()))) return;
    leave?.();
    setUndone(note.kind === 'note' ? say('The note is removed.') : say('Undone: this time counts again.'));
    again();
  };
  return (
    <p class="row undo" role="status">
      {undone || text}{' '}
      {undone === '' && (
        <button type="button" ref={button} disabled={waits} onClick={() => void undo()}>
          {say('Undo')}
        </button>
      )}
      {outcome.state === 'failed' && <span class="said bad">{outcome.said}</span>}
    </p>
  );
}
