/** Marks of a moment at the meter, by one tap: a train, a shout, or a word of one's own. Each is a note with its time. */
import { useState } from 'preact/hooks';
import { client, mayOperate } from '../state/access.ts';
import { isoSpan } from '../state/chosen-time.ts';
import { now } from '../state/fleet.ts';
import { clockTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { Undo, type Written } from '../ui/new-note.tsx';
import { say } from '../words/say.ts';

const MOMENT_MS = 1_000;
/** Own words of this browser, the latest first. */
const STORE = 'markers';
const MOST_OWN = 8;

function ownWords(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORE) ?? '[]');
    return Array.isArray(kept) ? kept.filter((word) => typeof word === 'string').slice(0, MOST_OWN) : [];
  } catch {
    return [];
  }
}

/** A browser without room keeps the words until the page is left. */
function keepWords(words: readonly string[]): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(words));
  } catch {}
}

export function Markers({ unitId, zone }: { readonly unitId: string; readonly zone: string | null }) {
  const [own, setOwn] = useState(ownWords);
  const [word, setWord] = useState('');
  const [written, setWritten] = useState<Written | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  if (!mayOperate.value) return null;
  const usual = [say('Train ## a marker'), say('Shout ## a marker')];
  const mark = async (text: string): Promise<boolean> => {
    // The tap is the time, however long the answer takes.
    const at = now.peek();
    const times = isoSpan({ from: at, to: at + MOMENT_MS });
    return run(async () => {
      const { data } = await client.value.addNote(unitId, { kind: 'note', reason: 'other', text, ...times });
      setWritten({ note: data, text: say('Marked at {time}: {text}', { time: clockTime(at, zone), text }) });
      return '';
    });
  };
  const markOwn = async (event: Event) => {
    event.preventDefault();
    const text = word.trim();
    if (text === '' || !(await mark(text))) return;
    setWord('');
    if (usual.includes(text)) return;
    const words = [text, ...own.filter((each) => each !== text)].slice(0, MOST_OWN);
    setOwn(words);
    keepWords(words);
  };
  return (
    <section class="card" aria-labelledby="markers">
      <h2 id="markers">{say('Mark what is heard')}</h2>
      <div class="row">
        {[...usual, ...own].map((text) => (
          <button key={text} type="button" disabled={waits} onClick={() => void mark(text)}>
            <bdi>{text}</bdi>
          </button>
        ))}
      </div>
      <form class="row end" onSubmit={(event) => void markOwn(event)}>
        <Field label={say('Another word')} value={word} change={setWord} />
        <button type="submit" disabled={waits || word.trim() === ''}>
          {say('Mark')}
        </button>
      </form>
      <Said outcome={outcome} waiting="" />
      {written && <Undo key={written.note.id} written={written} again={() => {}} end={() => setWritten(undefined)} />}
    </section>
  );
}
