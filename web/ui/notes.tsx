/** Notes and exclusions about a time: their list, and the form for a change. */
import { firstMomentOf, type schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { dayAndTime, localInput, personName } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { ActionButton } from './action.tsx';
import { channelWord } from './channel-choice.tsx';
import { Entry } from './entry.tsx';
import { Paged } from './paged.tsx';
import { type FormUse, SchemaForm, useValues } from './schema-form.tsx';

/** The words of a person about what happened. */
export const textPart = () => ({ name: 'text' as const, label: say('Text'), hint: say('what happened') });

interface ChangeProps {
  readonly note: schemas.Note;
  readonly zone: string;
  readonly use: FormUse;
}

/** A note that is changed in its place: a new version. Times that nobody touched stay to the second. */
function ChangeNote({ note, zone, use }: ChangeProps) {
  const { id, unit_id: unitId, kind } = note;
  const present = { from: localInput(note.from, zone), to: note.to === null ? '' : localInput(note.to, zone) };
  const [values, set] = useValues({ ...present, reason: note.reason, text: note.text, counts: kind === 'note' });
  const { from, to, reason, text, counts } = values;
  const timeOf = (local: string) => new Date(firstMomentOf(local, zone)).toISOString();
  const save = async () => {
    const body = {
      kind: counts ? ('note' as const) : ('exclusion' as const),
      reason,
      text,
      ...(from !== present.from && { from: timeOf(from) }),
      ...(to !== present.to && { to: timeOf(to) }),
    };
    return (await client.value.changeNote(unitId, id, body)).message;
  };
  const time = { type: 'datetime-local', required: true } as const;
  return (
    <SchemaForm
      title={say('Change note {id}', { id })}
      button={say('Save this note')}
      use={use}
      parts={[
        { name: 'from', label: say('From'), ...time },
        note.to !== null && { name: 'to', label: say('to ## the end of a span'), ...time },
        { name: 'reason', label: say('Reason'), choices: reasonChoices() },
        textPart(),
        { name: 'counts', type: 'switch', label: say('The levels of this time count, it is only a note') },
      ]}
      values={values}
      set={set}
      save={save}
    />
  );
}

interface Props {
  readonly notes: readonly schemas.Note[];
  readonly zone: string;
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
                remove={() => client.value.removeNote(note.unit_id, note.id)}
                onChange={again}
                more={
                  note.to === null && (
                    <ActionButton work={() => endNow(note)} done={again}>
                      {say('End it now')}
                    </ActionButton>
                  )
                }
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

const endNow = async ({ unit_id, id }: schemas.Note) =>
  (await client.value.changeNote(unit_id, id, { to: new Date().toISOString() })).message;

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
