/** The form of a table of parts. It sends what it holds, and shows a refused value at its field. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { say } from '../words/say.ts';
import {
  type Answered,
  type Outcome,
  type Problems,
  problemAt,
  problemsOf,
  Said,
  textOfAnswer,
  useAction,
  Wrong,
} from './action.tsx';
import { Checks, Choice, Field, Flag, Lines } from './field.tsx';
import { type AnyParts, type FormPart, type PartsOf, writtenOf } from './form-parts.ts';

/** How a form is used: without `leave` it is for a new entry. */
export interface FormUse {
  /** With what the gateway said. */
  saved(said: string): void;
  /** Ends the change of an entry without changing it. */
  readonly leave?: () => void;
  /** Whether the form for a new entry is open at first: where there is no entry yet. */
  readonly isOpen?: boolean;
  /** Is always open, without a heading. */
  readonly isPlain?: true;
}

interface FormProps<Values> {
  readonly title: string;
  readonly button: string;
  readonly use: FormUse;
  readonly parts: PartsOf<Values>;
  readonly values: Values;
  set(more: Partial<Values>): void;
  save(): Promise<Answered>;
  readonly isReady?: boolean;
  readonly more?: ComponentChildren;
  /** Said while the gateway is asked. */
  readonly waiting?: string;
  readonly children?: ComponentChildren;
}

/** The values of a form, and the change of some of them. */
export function useValues<Values extends object>(first: Values | (() => Values)) {
  const [values, change] = useState(first);
  return [values, (more: Partial<Values>) => change((before) => ({ ...before, ...more }))] as const;
}

export function SchemaForm<Values extends object>(props: FormProps<Values>) {
  const { title, button, use, parts, values, set, save, isReady = true, more, waiting = '', children } = props;
  const { saved, leave, isOpen = false, isPlain } = use;
  const { outcome, run, waits } = useAction();
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useRef<HTMLFormElement>(null);
  // Open at first; afterwards only the user opens it.
  const [open] = useState(isOpen);
  useEffect(() => {
    if (leave) heading.current?.focus();
  }, []);
  useInvalidFocus(form, outcome);
  const problems = problemsOf(outcome);
  const submit = async (event: Event) => {
    event.preventDefault();
    let said = '';
    const work = async () => {
      said = textOfAnswer(await save());
      return said;
    };
    if (await run(work)) saved(said);
  };
  const drawn = (
    <form
      ref={form}
      onSubmit={(event) => void submit(event)}
      class="stack"
      {...(isPlain ? { 'aria-label': title } : { 'aria-labelledby': id })}
    >
      {leave && (
        <h3 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h3>
      )}
      <Parts
        parts={parts}
        values={values}
        put={(name, next) => set({ [name]: next } as Partial<Values>)}
        problems={problems}
        at=""
      />
      {children}
      <div class="row">
        {more}
        <button type="submit" class="main" disabled={waits || !isReady}>
          {button}
        </button>
        {leave && (
          <button type="button" onClick={leave}>
            {say('Leave it as it is')}
          </button>
        )}
      </div>
      {problems.length === 0 && <Said outcome={outcome} waiting={waiting} />}
    </form>
  );
  if (isPlain) return drawn;
  if (leave) return <div class="change">{drawn}</div>;
  return (
    <details class="new" open={open}>
      <summary>
        <h3 id={id}>{title}</h3>
      </summary>
      {drawn}
    </details>
  );
}

interface PartsProps {
  readonly parts: AnyParts;
  readonly values: object;
  put(name: string, next: unknown): void;
  readonly problems: Problems;
  /** The path of `values`. */
  readonly at: string;
  /** Behind the last field. */
  readonly end?: ComponentChildren;
}

/** The first field that was refused gets the keyboard. */
export const useInvalidFocus = (form: RefObject<HTMLFormElement | null>, outcome: Outcome): void =>
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [outcome]);

/** Fields that are next to each other share lines; those that take more room are below each other. */
export function Parts({ parts: given, values, put, problems, at, end }: PartsProps) {
  const parts = given.filter((part) => part !== false);
  const known: Readonly<Record<string, unknown>> = { ...values };
  const draw = (part: FormPart) => (
    <Part
      key={part.name}
      part={part}
      value={known[part.name]}
      change={part.put ?? ((next) => put(part.name, next))}
      problems={problems}
      at={`${at}/${part.name}`}
    />
  );
  const seldom = parts.filter(({ isSeldom }) => isSeldom);
  const groups = groupsOf(parts.filter(({ isSeldom }) => !isSeldom));
  const last = groups.findLastIndex(({ isWide }) => !isWide);
  const isPlaced = ({ path }: Problems[number]) =>
    parts.some(({ name }) => `${path}/`.startsWith(`${at}/${name}/`)) || !`${path}/`.startsWith(`${at}/`);
  return (
    <>
      {groups.map(({ isWide, own }, index) =>
        isWide ? (
          own.map(draw)
        ) : (
          <div key={index} class="fields">
            {own.map(draw)}
            {index === last && end}
          </div>
        ),
      )}
      {seldom.length > 0 && (
        <details {...(seldom.some(({ name }) => problemAt(problems, `${at}/${name}`)) && { open: true })}>
          <summary>{say('More ## settings of a form')}</summary>
          <div class="fields">{seldom.map(draw)}</div>
        </details>
      )}
      <Wrong problems={problems.filter((problem) => !isPlaced(problem))} at={at} />
    </>
  );
}

interface FilterProps<Values> {
  readonly parts: PartsOf<Values>;
  readonly values: Values;
  change(name: keyof Values & string, next: string): void;
}

/** Fields that act at once, without a button. */
export const Filters = <Values extends object>({ parts, values, change }: FilterProps<Values>) => (
  <Parts
    parts={parts}
    values={values}
    put={(name, next) => change(name as keyof Values & string, String(next ?? ''))}
    problems={[]}
    at=""
  />
);

const WIDE: readonly unknown[] = ['checks', 'switch', 'lines'];

function groupsOf(parts: readonly FormPart[]) {
  const groups: { readonly isWide: boolean; readonly own: FormPart[] }[] = [];
  for (const part of parts) {
    const isWide = part.isWide ?? (WIDE.includes(part.type) || part.rows !== undefined);
    const last = groups.at(-1);
    if (last?.isWide === isWide) last.own.push(part);
    else groups.push({ isWide, own: [part] });
  }
  return groups;
}

interface PartProps {
  readonly part: FormPart;
  readonly value: unknown;
  change(next: unknown): void;
  readonly problems: Problems;
  readonly at: string;
}

function Part(props: PartProps) {
  const { part, value, change, problems, at } = props;
  const { draw, rows, parts, choices = [], label = '' } = part;
  const { type = part.choices ? 'choice' : 'text' } = part;
  const problem = problemAt(problems, at);
  if (draw !== undefined)
    return (
      <>
        {draw}
        <Wrong problems={problems} at={at} />
      </>
    );
  if (rows) return <Rows {...props} rows={rows} />;
  if (parts) {
    const values = { ...(value as object) };
    const put = (name: string, next: unknown) => change({ ...values, [name]: next });
    return <Parts parts={parts} values={values} put={put} problems={problems} at={at} />;
  }
  if (type === 'switch') return <Flag label={label} value={value === true} change={change} problem={problem} />;
  if (type === 'checks')
    return (
      <Checks
        label={label}
        chosen={(value ?? []) as readonly string[]}
        choices={choices}
        change={change}
        problem={problem}
      />
    );
  return <TextPart {...props} type={type} problem={problem} />;
}

/** A field whose value is written as a text. */
function TextPart({
  part,
  type,
  value,
  change,
  problem,
}: PartProps & { readonly type: string; readonly problem: string }) {
  const { label = '', choices, hint } = part;
  const { print, parse } = writtenOf(part);
  const [typed, setTyped] = useState(() => print(value));
  // The text stays as it was typed until the value is changed from elsewhere.
  const text = JSON.stringify(parse(typed)) === JSON.stringify(value) ? typed : print(value);
  const enter = (next: string) => {
    setTyped(next);
    change(parse(next));
  };
  const shared = { label, value: text, change: enter, problem };
  if (type === 'lines') return <Lines {...shared} hint={hint} />;
  if (type === 'choice') return <Choice {...shared} choices={choices ?? []} />;
  const { pattern, wrong, step, min, max, required, autoComplete } = part;
  return (
    <Field
      {...shared}
      type={type === 'secret' ? 'password' : type === 'list' ? 'text' : (type as 'text')}
      hint={hint}
      pattern={pattern}
      wrong={wrong}
      required={required ?? false}
      {...(type === 'number' && { step: step ?? 'any' })}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      {...(autoComplete && { autoComplete })}
    />
  );
}

type RowsProps = PartProps & { readonly rows: NonNullable<FormPart['rows']> };

function Rows({ part, rows, value, change, problems, at }: RowsProps) {
  const all = (value ?? []) as readonly object[];
  return (
    <Named legend={part.label}>
      <Wrong problems={problems} at={at} exact />
      {all.map((row, index) => {
        const { parts, legend, remove } = rows.of(row, index);
        return (
          <Named key={index} legend={legend}>
            <Parts
              parts={parts}
              values={row}
              put={(name, next) => change(all.with(index, { ...row, [name]: next }))}
              problems={problems}
              at={`${at}/${index}`}
              end={
                remove && (
                  <button type="button" onClick={() => change(all.toSpliced(index, 1))}>
                    {remove}
                  </button>
                )
              }
            />
          </Named>
        );
      })}
      {rows.add && (
        <div class="row">
          <button type="button" onClick={() => change([...all, rows.fresh?.(all.at(-1))])}>
            {rows.add}
          </button>
        </div>
      )}
    </Named>
  );
}

const Named = ({ legend, children }: { readonly legend: string | undefined; readonly children: ComponentChildren }) =>
  legend === undefined ? (
    <div class="stack">{children}</div>
  ) : (
    <fieldset class="stack">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
