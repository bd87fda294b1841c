/** A long list by pages, with a field that finds some of it. A short list is shown as it is. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { say } from '../words/say.ts';

const PAGE = 50;

interface Props<Item> {
  readonly items: readonly Item[];
  /** The kind of the items, in the plural: `files`. */
  readonly label: string;
  /** The text of an item that the search looks in. */
  wordsOf(item: Item): string;
  children(some: readonly Item[]): ComponentChildren;
}

export function Paged<Item>({ items, label, wordsOf, children }: Props<Item>) {
  const [wanted, setWanted] = useState('');
  const [first, setFirst] = useState(0);
  if (items.length <= PAGE) return children(items);
  const word = wanted.trim().toLocaleLowerCase();
  const found = word === '' ? items : items.filter((item) => wordsOf(item).toLocaleLowerCase().includes(word));
  // The list may have become shorter.
  const begin = Math.max(0, Math.min(first, Math.floor((found.length - 1) / PAGE) * PAGE));
  const end = Math.min(begin + PAGE, found.length);
  return (
    <>
      <div class="row paged">
        <label class="field">
          {say('Find {things}', { things: label })}
          <input
            type="search"
            value={wanted}
            onInput={({ currentTarget }) => {
              setWanted(currentTarget.value);
              setFirst(0);
            }}
          />
        </label>
        <button type="button" disabled={begin === 0} onClick={() => setFirst(begin - PAGE)}>
          {say('Previous')} <span class="hidden-label">{label}</span>
        </button>
        <button type="button" disabled={end === found.length} onClick={() => setFirst(begin + PAGE)}>
          {say('Next')} <span class="hidden-label">{label}</span>
        </button>
        <span class="soft" role="status">
          {found.length === 0
            ? say('None of {number} {things}', { number: items.length, things: label })
            : say('{from} to {to} of {number} {things}', {
                from: begin + 1,
                to: end,
                number: found.length,
                things: label,
              })}
        </span>
      </div>
      {children(found.slice(begin, end))}
    </>
  );
}
