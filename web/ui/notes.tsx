/** Notes and exclusions about a time: their list, the form for a change, and the fields of a note. */
import { useState } from 'preact/hooks';
import { firstMomentOf, GatewayProblem, type schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { dayAndTime, localInput, personName } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { type Problems, Said, useAction, Wrong } from './action.tsx';
import { channelWord } from './channel-choice.tsx';
import { Entry, EntryForm, type FormUse } from './entry.tsx';
import { Choice, Field, Flag } from './field.tsx';
import { Paged } from './paged.tsx';

/** From when to when, as a person writes it by the clock of the meter: `2026-11-21T14:05`. */
export interface WrittenSpan {
  readonly from: string;
  readonly to: string;
}

interface SpanProps {
  readonly value: WrittenSpan;
  /** It has no end yet, and gets none here. */
  readonly isOpen?: boolean;
  change(value: WrittenSpan): void;
}

/** Begin and end of a note. */
export function SpanFields({ value, isOpen = false, change }: SpanProps) {
  const time = { type: 'datetime-local', required: true } as const;
  return (
    <>
      <Field label={say('From')} {...time} value={value.from} change={(from) => change({ ...value, from })} />
      {!isOpen && (
        <Field
          label={say('to ## the end of a span')}
          {...time}
          value={value.to}
          change={(to) => change({ ...value, to })}
        />
      )}
    </>
  );
}

/** The part of a note that people write. */
interface Words<Why extends Reason | ''> {
  readonly reason: Why;
  readonly text: string;
}

interface WordsProps<Why extends Reason | ''> {
  readonly value: Words<Why>;
  readonly problems: Problems;
  change(value: Words<Why>): void;
}

/** Reason and text. A reason that is empty is still to be chosen. */
export function WordFields<Why extends Reason | ''>({ value, problems, change }: WordsProps<Why>) {
  const none = value.reason === '' ? [['', say('choose ## a reason')] as const] : [];
  return (
    <>
      <div class="fields">
        <Choice<Reason | ''>
          label={say('Reason')}
          value={value.reason}
          choices={[...none, ...reasonChoices()]}
          change={(reason) => change({ ...value, reason: reason as Why })}
        />
        <Field
          label={say('Text')}
          value={value.text}
          hint={say('what happened')}
          change={(text) => change({ ...value, text })}
        />
      </div>
      <Wrong problems={problems} at="/reason" />
      <Wrong problems={problems} at="/text" />
    </>
  );
}

interface ChangeProps {
  readonly note: schemas.Note;
  readonly zone: string;
  readonly use: FormUse;
}

/** A note that is changed in its place: a new version. Times that nobody touched stay to the second. */
function ChangeNote({ note, zone, use }: ChangeProps) {
  const { id, unit_id: unitId, reason, text, kind } = note;
  const present = { from: localInput(note.from, zone), to: note.to === null ? '' : localInput(note.to, zone) };
  const [span, setSpan] = useState<WrittenSpan>(present);
  const [words, setWords] = useState<Words<Reason>>({ reason, text });
  const [counts, setCounts] = useState(kind === 'note');
  const [problems, setProblems] = useState<Problems>([]);
  const timeOf = (local: string) => new Date(firstMomentOf(local, zone)).toISOString();
  const save = async () => {
    setProblems([]);
    const times = {
      ...(span.from !== present.from && { from: timeOf(span.from) }),
      ...(span.to !== present.to && { to: timeOf(span.to) }),
    };
    const body = { kind: counts ? ('note' as const) : ('exclusion' as const), reason: words.reason };
    const put = () => client.value.changeNote(unitId, id, { ...body, text: words.text.trim(), ...times });
    return (await placed(put, setProblems)).message;
  };
  return (
    <EntryForm title={say('Change note {id}', { id })} button={say('Save this note')} use={use} save={save}>
      <div class="fields">
        <SpanFields value={span} isOpen={note.to === null} change={setSpan} />
      </div>
      <Wrong problems={problems} at="/from" />
      <Wrong problems={problems} at="/to" />
      <WordFields value={words} problems={problems} change={setWords} />
      <Flag label={say('The levels of this time count, it is only a note')} value={counts} change={setCounts} />
    </EntryForm>
  );
}

/** Puts the errors of the gateway to the fields, too. */
export async function placed<T>(work: () => Promise<T>, put: (problems: Problems) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayProblem) put(error.errors);
    throw error;
  }
}

interface Props {
  readonly notes: readonly schemas.Note[];
  readonly zone: string;
  /** After a change. */
  again(): void;
}

export function NoteList({ notes, zone, again }: Props) {
  if (notes.length === 0) return null;
  return (
    <Paged
      items={notes}
      label={say('notes ## what is searched')}
      wordsOf={({ text, reason, by, channels }) => `${text} ${reason} ${by} ${channels?.join(' ') ?? ''}`}
    >
      {(some) => (
        <ul class="stack">
          {some.map((note) => (
            <li key={note.id}>
              <Entry
                name={say('note {id}', { id: note.id })}
                mayChange={mayOperate.value}
                form={(use) => <ChangeNote note={note} zone={zone} use={use} />}
                remove={async () => (await client.value.removeNote(note.unit_id, note.id)).message}
                onChange={again}
                more={note.to === null && <EndNow note={note} again={again} />}
              >
                <NoteText note={note} zone={zone} />
              </Entry>
            </li>
          ))}
        </ul>
      )}
    </Paged>
  );
}

function EndNow({ note, again }: { readonly note: schemas.Note; again(): void }) {
  const { outcome, run, waits } = useAction();
  const end = async () => {
    const put = () => client.value.changeNote(note.unit_id, note.id, { to: new Date().toISOString() });
    if (await run(async () => (await put()).message)) again();
  };
  return (
    <>
      <Said outcome={outcome} waiting="" />
      <button type="button" disabled={waits} onClick={() => void end()}>
        {say('End it now')}
      </button>
    </>
  );
}

function NoteText({ note, zone }: Omit<Props, 'notes' | 'again'> & { readonly note: schemas.Note }) {
  const { from, to, kind, reason, text, by, channels } = note;
  return (
    <>
      {kind === 'exclusion' && <strong>{say('Does not count:')} </strong>}
      {to === null
        ? say('{from} and goes on.', { from: dayAndTime(from, zone) })
        : say('{from} to {to}.', { from: dayAndTime(from, zone), to: dayAndTime(to, zone) })}{' '}
      {reasonWord(reason)}
      {text !== '' && (
        <>
          : <bdi class="lines">{text}</bdi>
        </>
      )}{' '}
      <span class="soft small">
        {channels && `${say('Channels: {channels}', { channels: channels.map(channelWord).join(', ') })} · `}
        <bdi>{personName(by)}</bdi>
      </span>
    </>
  );
}

/** As the API names it. */
export type Reason = schemas.Note['reason'];

const WORDS: readonly (readonly [Reason, () => string])[] = [
  ['other', () => say('Other')],
  ['own_noise', () => say('Our own noise')],
  ['calibration', () => say('Calibration')],
  ['rain', () => say('Rain')],
  ['wind', () => say('Wind')],
  ['intrusion', () => say('Somebody at the microphone')],
  ['fault', () => say('Fault of the meter')],
];

/** All reasons, in the order of a form. */
export const reasonChoices = (): (readonly [Reason, string])[] =>
  WORDS.map(([reason, word]) => [reason, word()] as const);
export const reasonWord = (reason: Reason): string => WORDS.find(([name]) => name === reason)?.[1]() ?? reason;
