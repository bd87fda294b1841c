/** An entry of a list that can be revoked or removed, which is asked once more. */
import type { ComponentChildren } from 'preact';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';
import { AskedTwice } from './asked-twice.tsx';

const VERBS = {
  revoke: { first: () => say('Revoke'), sure: () => say('Yes, revoke') },
  remove: { first: () => say('Remove'), sure: () => say('Yes, remove') },
} as const;

interface EntryProps {
  /** Said to those who do not see the line. */
  readonly name: string;
  /** False for one that has ended. */
  readonly canEnd: boolean;
  /** Text of the button. Default: revoke. */
  readonly verb?: keyof typeof VERBS;
  /** Resolves with the text of the gateway. */
  revoke(): Promise<string>;
  /** The list is to be asked for again. */
  again(): void;
  readonly children: ComponentChildren;
}

/** A line with its button. */
export function RevocableEntry({ name, canEnd, verb = 'revoke', revoke, again, children }: EntryProps) {
  const { outcome, run, waits } = useAction();
  const { first, sure } = VERBS[verb];
  const end = async () => {
    if (await run(revoke)) again();
  };
  return (
    <li>
      <div class="row end">
        <span class="entry">{children}</span>
        {canEnd && (
          <div class="row">
            <AskedTwice first={first()} sure={sure()} name={name} waits={waits} work={() => void end()} />
          </div>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </li>
  );
}
