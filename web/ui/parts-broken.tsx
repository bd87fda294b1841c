/** Parts of the gateway that do not work, on every page: what was not recorded or told cannot be had later. */

import { problems } from '../state/health.ts';
import { say } from '../words/say.ts';

/** One line for each part; nothing where all work. `look`: the class of a line. */
export function PartsBroken({ look }: { readonly look: string }) {
  return problems.value.map(({ part, detail }) => (
    <p key={part} class={look} role="alert">
      <strong>{say('A part of the gateway does not work: {part}.', { part })}</strong> {detail}
    </p>
  ));
}
