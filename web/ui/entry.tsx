/** Entries of a list: each is changed in its place, removed or revoked. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../words/say.ts';
import { type Answered, Said, useAction } from './action.tsx';
import { AskedTwice } from './asked-twice.tsx';
import type { FormUse } from './schema-form.tsx';

const VERBS = {
  revoke: { first: () => say('Revoke'), sure: () => say('Yes, revoke') },
  remove: { first: () => say('Remove'), sure: () => say('Yes, remove') },
} as const;

interface EntryProps {
  readonly name: string;
  /** Whether the role allows it to be changed. */
  readonly mayChange: boolean;
  /** Without it, the entry is only removed. */
  form?(use: FormUse): ComponentChildren;
  readonly verb?: keyof typeof VERBS;
  remove(): Promise<Answered>;
  onChange?(): void;
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One line of a list that can be changed in its place and removed after a question. */
export function Entry({ name, mayChange, form, remove, verb = 'remove', onChange, more, children }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, run, waits } = useAction();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const end = async (work: () => Promise<Answered>) => {
    if (await run(work)) onChange?.();
  };
  const saved = (said: string) => {
    setOpen(false);
    void end(async () => said);
  };
  const { first, sure } = VERBS[verb];
  if (isOpen && form) return form({ saved, leave: () => setOpen(false) });
  return (
    <>
      <div class="row end">
        <div class="entry">{children}</div>
        {mayChange && (
          <div class="row">
            {more}
            {form && (
              <button type="button" ref={button} disabled={waits} onClick={() => setOpen(true)}>
                {say('Change')} <span class="hidden-label">{name}</span>
              </button>
            )}
            <AskedTwice first={first()} sure={sure()} name={name} waits={waits} work={() => void end(remove)} />
          </div>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </>
  );
}
