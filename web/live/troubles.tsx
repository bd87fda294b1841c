/** Troubles of a meter and what to do, the worst first. */
import type { Trouble } from '../app/trouble.ts';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';

/** The list of what is wrong; nothing where all is well. */
export function Troubles({ troubles }: { readonly troubles: readonly Trouble[] }) {
  if (troubles.length === 0) return null;
  return (
    <ul class="trouble-list" aria-label={say('What is wrong')} aria-live="polite">
      {troubles.map(({ kind, name, what, todo, at }) => (
        <li key={`${name} ${what}`} class={`trouble ${kind}`}>
          <strong>
            {name !== undefined && (
              <>
                <bdi>{name}</bdi>:{' '}
              </>
            )}
            {what}
          </strong>{' '}
          {todo} {at !== undefined && <Link to={at}>{say('See the alert')}</Link>}
        </li>
      ))}
    </ul>
  );
}
