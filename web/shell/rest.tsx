/**
 * Fetches what the first view does not need: the other pages (`web/rest.ts`), once, and their words. The words of the first
 * view are fetched before it is drawn. English needs none.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ROOT } from '../state/address.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { language } from '../words/language.ts';
import { addWords, say } from '../words/say.ts';

type Rest = typeof import('../rest.ts');

const rest = signal<Rest | 'failed' | undefined>(undefined);
/**
 * After the first view there is time. A page that stays open for weeks then has all parts, also after an update of the
 * gateway.
 */
const IDLE_MS = 3_000;
let isAsked = false;

function fetchRest(): void {
  if (isAsked) return;
  isAsked = true;
  Promise.all([import('../rest.ts'), fetchRestWords()]).then(
    ([loaded]) => {
      rest.value = loaded;
    },
    () => {
      isAsked = false;
      rest.value = 'failed';
    },
  );
}
/** The same after some seconds, when the first view is done. */
export const fetchRestLater = (): void => void setTimeout(fetchRest, IDLE_MS);

export function WithRest({ children }: { children(rest: Rest): ComponentChildren }) {
  useEffect(fetchRest, []);
  const { value } = rest;
  if (value === undefined) return <Skeleton what={say('This page is being fetched ...')} />;
  if (value !== 'failed') return children(value);
  return (
    <p class="row trouble">
      <span>{say('This page could not be fetched. The gateway does not answer, or it was updated.')}</span>
      <button type="button" onClick={() => location.reload()}>
        {say('Load it again')}
      </button>
    </p>
  );
}

type Tables = Readonly<Record<string, readonly [first: string, rest: string]>>;
/** The files of each language, which the build (`build/words.ts`) names in the page. */
const tables: Tables = JSON.parse(document.documentElement.dataset.words ?? '{}');

async function fetchWords(part: 0 | 1): Promise<void> {
  const name = tables[language]?.[part];
  if (name === undefined) return;
  const answer = await fetch(new URL(name, ROOT));
  if (!answer.ok) throw new Error(answer.statusText);
  addWords(await answer.json());
}

/** Never rejects: a page whose words cannot be fetched is shown in English. */
export async function fetchFirstWords(): Promise<void> {
  try {
    await fetchWords(0);
    document.documentElement.lang = language;
  } catch {
    // The English words are in the script.
  }
}

/** Rejects where they cannot be fetched. */
const fetchRestWords = (): Promise<void> => fetchWords(1);
