/** What people know of the time shown: notes, and exclusions, whose levels do not count. One more is written for this time. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { dayAndTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Choice, Field, Flag } from '../ui/field.tsx';
import { Paged } from '../ui/paged.tsx';
import { say } from '../words/say.ts';
import { type Reason, reasonChoices, reasonWord } from './reasons.ts';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** The time shown, ms. */
  readonly span: { readonly from: number; readonly to: number };
  /** Whether the time shown ends now. */
  readonly isNow: boolean;
  readonly notes: readonly schemas.Note[];
  /** After a change. */
  again(): void;
}

/** The card below the chart. */
export function Notes(props: Props) {
  const { notes } = props;
  if (notes.length === 0 && !mayOperate.value) return null;
  return (
    <section class="card" aria-labelledby="notes">
      <h2 id="notes">{say('Notes')}</h2>
      {notes.length > 0 && (
        <Paged
          items={notes}
          label={say('notes ## what is searched')}
          wordsOf={({ text, reason, by }) => `${text} ${reason} ${by}`}
        >
          {(some) => (
            <ul>
              {some.map((note) => (
                <NoteLine key={note.id} note={note} {...props} />
              ))}
            </ul>
          )}
        </Paged>
      )}
      {mayOperate.value && <NewNote {...props} />}
    </section>
  );
}

function NoteLine({ note, unitId, zone, again }: Props & { readonly note: schemas.Note }) {
  const { outcome, run, waits } = useAction();
  const { id, from, to, kind, reason, text, by } = note;
  const act = async (work: () => Promise<{ message: string }>) => {
    if (await run(async () => (await work()).message)) again();
  };
  const title = reasonWord(reason);
  return (
    <li>
      <div class="row end">
        <span class="entry">
          {kind === 'exclusion' && <strong>{say('Does not count:')} </strong>}
          {to === null
            ? say('{from} and goes on.', { from: dayAndTime(from, zone) })
            : say('{from} to {to}.', { from: dayAndTime(from, zone), to: dayAndTime(to, zone) })}{' '}
          {title}
          {text !== '' && (
            <>
              : <bdi class="lines">{text}</bdi>
            </>
          )}{' '}
          <span class="soft small">
            <bdi>{by}</bdi>
          </span>
        </span>
        {mayOperate.value && (
          <div class="row">
            {to === null && (
              <button
                type="button"
                disabled={waits}
                onClick={() => void act(() => client.value.changeNote(unitId, id, { to: new Date().toISOString() }))}
              >
                {say('End it now')}
              </button>
            )}
            <button type="button" disabled={waits} onClick={() => void act(() => client.value.removeNote(unitId, id))}>
              {say('Remove')} <span class="hidden-label">{say('note {id}', { id: String(id) })}</span>
            </button>
          </div>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}

function NewNote({ unitId, zone, span, isNow, again }: Props) {
  const [reason, setReason] = useState<Reason>('other');
  const [text, setText] = useState('');
  const [counts, setCounts] = useState(false);
  const [goesOn, setGoesOn] = useState(false);
  const { outcome, run, waits } = useAction();
  // What lies after now is not known yet.
  const to = Math.min(span.to, Date.now());
  const isOpen = isNow && goesOn;
  const write = async (event: Event) => {
    event.preventDefault();
    const body = {
      ...{ kind: counts ? ('note' as const) : ('exclusion' as const), reason, text: text.trim() },
      ...(isOpen ? {} : { from: new Date(span.from).toISOString(), to: new Date(to).toISOString() }),
    };
    if (!(await run(async () => (await client.value.addNote(unitId, body)).message))) return;
    setText('');
    again();
  };
  return (
    <form class="stack" onSubmit={(event) => void write(event)} aria-label={say('New note')}>
      <p class="soft">
        {isOpen
          ? say('From now until you end it.')
          : say('About the time shown: {from} to {to}. Drag over the chart to choose another.', {
              from: dayAndTime(span.from, zone),
              to: dayAndTime(to, zone),
            })}
      </p>
      <div class="fields">
        <Choice label={say('Reason')} value={reason} choices={reasonChoices()} change={(next) => setReason(next)} />
        <Field label={say('Text')} value={text} change={setText} hint={say('what happened')} />
      </div>
      {isNow && <Flag label={say('From now, until I end it')} value={goesOn} change={setGoesOn} />}
      <Flag label={say('The levels of this time count, it is only a note')} value={counts} change={setCounts} />
      <div class="row">
        <button type="submit" class="main" disabled={waits}>
          {counts ? say('Write the note') : say('Exclude this time')}
        </button>
        <Said outcome={outcome} waiting="" />
      </div>
    </form>
  );
}
