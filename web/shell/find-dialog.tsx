/** *Find*: a field with a list below it, by the pattern "combobox with a listbox popup" of the ARIA authoring practices. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../state/address.ts';
import { say } from '../words/say.ts';
import { entriesFor } from './find-entries.ts';

export function FindDialog({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [marked, setMarked] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const entries = entriesFor(query);
  const open = (index: number) => {
    const entry = entries[index];
    if (!entry) return;
    dialog.current?.close();
    go(entry.to);
  };
  const move = (index: number) => {
    setMarked(index);
    document.getElementById(`found-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    // Enter may also end the choice of a Japanese word.
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) move((marked + step + entries.length) % entries.length);
    else if (event.key === 'Enter') open(marked);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="find" aria-label={say('Find')} onClose={close}>
      <div class="row">
        <input
          role="combobox"
          aria-label={say('Meter, day, page or action')}
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls={entries.length > 0 ? 'found' : undefined}
          aria-activedescendant={entries.length > 0 ? `found-${marked}` : undefined}
          placeholder={say('Meter, day, page or action')}
          autocomplete="off"
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setMarked(0);
          }}
          onKeyDown={press}
        />
        <button type="button" onClick={() => dialog.current?.close()}>
          {say('Close')}
        </button>
      </div>
      {entries.length > 0 && (
        <div id="found" role="listbox" aria-label={say('Found')}>
          {entries.map(({ name, more, to }, index) => (
            <button
              key={`${to} ${name}`}
              id={`found-${index}`}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              onClick={() => open(index)}
            >
              <bdi>{name}</bdi> <span class="soft small">{more}</span>
            </button>
          ))}
        </div>
      )}
      <p class="soft small" role="status">
        {entries.length > 0
          ? say('{count} found. A day can be written as {day}.|{count} found. A day can be written as {day}.', {
              count: entries.length,
              day: '2026-11-24',
            })
          : say('Nothing is found.')}
      </p>
    </dialog>
  );
}
