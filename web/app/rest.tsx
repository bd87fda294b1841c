/** The part of the page that is fetched after the first view (`web/rest.ts`), once. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Skeleton } from '../ui/skeleton.tsx';
import { say } from '../words/say.ts';
import { fetchRestWords } from '../words/tables.ts';

type Rest = typeof import('../rest.ts');

const rest = signal<Rest | 'failed' | undefined>(undefined);
/**
 * After the first view there is time. A page that stays open for weeks then has all parts, also after an update of the
 * gateway.
 */
const IDLE_MS = 3_000;
let isAsked = false;

/** Fetches it, once; after a failure the next call tries again. */
export function fetchRest(): void {
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

/** Shows `children` when it is there, and until then that it is on its way. */
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
