/** A button for what cannot be undone. It asks once more in another place, so that two touches in a row do nothing. */
import { useState } from 'preact/hooks';
import { say } from '../words/say.ts';

interface Props {
  readonly first: string;
  readonly sure: string;
  /** Text to leave all as it is. */
  readonly keep?: string;
  /** Read to people who do not see the line, behind each text. */
  readonly name?: string;
  readonly class?: string | undefined;
  /** Whether a request of this line runs. */
  readonly waits: boolean;
  /** Id of the text that says what it does. */
  readonly describedBy?: string;
  work(): void;
}

export function AskedTwice(props: Props) {
  const { first, sure, keep = say('Keep'), name, class: look, waits, describedBy, work } = props;
  const [isAsked, setAsked] = useState(false);
  const hidden = name !== undefined && <span class="hidden-label"> {name}</span>;
  const doIt = () => {
    setAsked(false);
    work();
  };
  return (
    <>
      {isAsked && (
        <button type="button" disabled={waits} aria-describedby={describedBy} onClick={doIt}>
          {sure}
          {hidden}
        </button>
      )}
      <button
        type="button"
        class={isAsked ? '' : look}
        disabled={waits}
        aria-describedby={describedBy}
        onClick={() => setAsked(!isAsked)}
      >
        {isAsked ? keep : first}
        {hidden}
      </button>
    </>
  );
}
