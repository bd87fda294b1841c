/** Notes of people about a time, and exclusions, whose levels do not count. Each can be ended, changed or removed here. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { dayAndTime } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';
import { channelWord } from './channel-choice.tsx';
import { Entry } from './entry.tsx';
import { ChangeNote } from './note-form.tsx';
import { reasonWord } from './note-reasons.ts';
import { Paged } from './paged.tsx';

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
        <bdi>{by}</bdi>
      </span>
    </>
  );
}
