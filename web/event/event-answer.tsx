/** The answer of a person to an event: a note, and its cause by one click. */
import { useState } from 'preact/hooks';
import type { AlertEvent } from '../../client/index.ts';
import { causeWord } from '../alerts/rule-words.ts';
import { client, mayOperate } from '../state/access.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Props {
  readonly event: AlertEvent;
  /** To choose from. */
  readonly causes: readonly string[];
  /** After an answer. */
  again(): void;
}

/** A cause answers the event, with the note that was written before. */
export function EventAnswer({ event: { id, ack, cause: present }, causes, again }: Props) {
  const [note, setNote] = useState('');
  const [own, setOwn] = useState('');
  const { outcome, run, waits } = useAction();
  if (!mayOperate.value)
    return present === null ? null : <p>{say('Cause: {cause}.', { cause: causeWord(present) })}</p>;
  const answer = async (cause?: string) => {
    const done = await run(async () => (await client.value.acknowledge(id, note.trim(), cause)).message);
    if (!done) return;
    setNote('');
    setOwn('');
    again();
  };
  const answerOwn = (submitted: Event) => {
    submitted.preventDefault();
    if (own.trim() !== '') void answer(own.trim());
  };
  const shown = present === null || causes.includes(present) ? causes : [present, ...causes];
  return (
    <section class="card stack" aria-labelledby="answer">
      <h2 id="answer">{say('What was it?')}</h2>
      <Field label={say('Note')} hint={say('What is done about it')} value={note} change={setNote} />
      <div class="row">
        {shown.map((cause) => (
          <button
            key={cause}
            type="button"
            aria-pressed={cause === present}
            disabled={waits}
            onClick={() => void answer(cause)}
          >
            <bdi>{causeWord(cause)}</bdi>
          </button>
        ))}
      </div>
      <form class="row" onSubmit={answerOwn}>
        <Field label={say('Another cause')} value={own} change={setOwn} />
        <button type="submit" disabled={waits || own.trim() === ''}>
          {say('Answer')}
        </button>
        <button type="button" disabled={waits || (ack !== null && note.trim() === '')} onClick={() => void answer()}>
          {ack ? say('Add the note') : say('Acknowledge without a cause')}
        </button>
      </form>
      <Said outcome={outcome} waiting="" />
    </section>
  );
}
