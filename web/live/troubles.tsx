/** What is wrong with a meter and what to do, the worst first. */
import type { Trouble } from '../app/trouble.ts';

export function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="trouble-list" aria-label="What is wrong" aria-live="polite">
      {troubles.map(({ kind, what, todo }) => (
        <li key={what} class={`trouble ${kind}`}>
          <strong>{what}</strong> {todo}
        </li>
      ))}
    </ul>
  );
}
