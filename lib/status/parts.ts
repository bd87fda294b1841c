/**
 * The parts of the gateway that can fail while it runs: `/health`, `/readyz` and metrics ask each part for its state.
 */
import type { PartState, PartStates, PartTrouble } from './contract.ts';

interface PartLooks {
  readonly look: () => PartTrouble | undefined;
  readonly failures: (() => number) | undefined;
}

/** Nothing is kept: each part is asked when somebody wants to know. */
export function createParts(): PartStates {
  const looks = new Map<string, PartLooks>();
  return {
    add(name, look, failures) {
      const own = { look, failures };
      looks.set(name, own);
      return () => {
        if (looks.get(name) === own) looks.delete(name);
      };
    },
    states: () =>
      [...looks].map(
        ([name, { look, failures }]): PartState => ({ name, trouble: troubleOf(name, look), failures: failures?.() }),
      ),
  };
}

/** A part that cannot even be asked does not work. */
function troubleOf(name: string, look: () => PartTrouble | undefined): PartTrouble | undefined {
  try {
    return look();
  } catch {
    return { detail: `The part ${name} does not say its state.` };
  }
}
