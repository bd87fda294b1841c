/** Entries of a list: each is changed in its place, removed or revoked. One form serves for a new entry and for the change of one. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { say } from '../words/say.ts';
import { Said, useAction } from './action.tsx';
import { AskedTwice } from './asked-twice.tsx';

/** How a form is used: without `leave` it is for a new entry. */
export interface FormUse {
  /** With what the gateway said. */
  saved(said: string): void;
  /** Ends the change of an entry without changing it. */
  readonly leave?: () => void;
  /** Whether the form for a new entry is open at first: where there is no entry yet. */
  readonly isOpen?: boolean;
}

interface EntryProps {
  readonly name: string;
  /** Whether the role allows it to be changed. */
  readonly mayChange: boolean;
  form(use: FormUse): ComponentChildren;
  remove(): Promise<string>;
  /** After a change or a removal. */
  onChange?(): void;
  /** Other buttons. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One line of a list that can be changed in its place and removed after a question. */
export function Entry({ name, mayChange, form, remove, onChange, more, children }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, run, waits } = useAction();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const end = async (work: () => Promise<string>) => {
    if (await run(work)) onChange?.();
  };
  const saved = (said: string) => {
    setOpen(false);
    void end(async () => said);
  };
  if (isOpen) return form({ saved, leave: () => setOpen(false) });
  return (
    <>
      <div class="row end">
        <div class="entry">{children}</div>
        {mayChange && (
          <div class="row">
            {more}
            <button type="button" ref={button} disabled={waits} onClick={() => setOpen(true)}>
              {say('Change')} <span class="hidden-label">{name}</span>
            </button>
            <AskedTwice
              first={say('Remove')}
              sure={say('Yes, remove')}
              name={name}
              waits={waits}
              work={() => void end(remove)}
            />
          </div>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </>
  );
}

interface EntryFormProps {
  readonly title: string;
  readonly button: string;
  readonly use: FormUse;
  save(): Promise<string>;
  /** Other buttons. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The form of such a line, or of a new one. */
export function EntryForm({ title, button, use, save, more, children }: EntryFormProps) {
  const { saved, leave, isOpen = false } = use;
  const { outcome, run, waits } = useAction();
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  // Open at first; afterwards only the user opens it.
  const [open] = useState(isOpen);
  useEffect(() => {
    if (leave) heading.current?.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    let said = '';
    const work = async () => {
      said = await save();
      return said;
    };
    if (await run(work)) saved(said);
  };
  const form = (
    <form onSubmit={(event) => void submit(event)} class="stack" aria-labelledby={id}>
      {leave && (
        <h3 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h3>
      )}
      {children}
      <div class="row">
        {more}
        <button type="submit" class="main" disabled={waits}>
          {button}
        </button>
        {leave && (
          <button type="button" onClick={leave}>
            {say('Leave it as it is')}
          </button>
        )}
      </div>
      <Said outcome={outcome} waiting="" />
    </form>
  );
  if (leave) return <div class="change">{form}</div>;
  return (
    <details class="new" open={open}>
      <summary>
        <h3 id={id}>{title}</h3>
      </summary>
      {form}
    </details>
  );
}

const VERBS = {
  revoke: { first: () => say('Revoke'), sure: () => say('Yes, revoke') },
  remove: { first: () => say('Remove'), sure: () => say('Yes, remove') },
} as const;

interface RevocableProps {
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
export function RevocableEntry({ name, canEnd, verb = 'revoke', revoke, again, children }: RevocableProps) {
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
