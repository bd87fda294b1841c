/** The parts of the gateway that can fail while it goes on: each says its state, and `/health`, `/readyz` and metrics ask. */
import type { PartState, PartStates, PartTrouble } from './contract.ts';

/** Nothing is kept: each part is asked when somebody wants to know. */
export function createParts(): PartStates {
  const looks = new Map<string, () => PartTrouble | undefined>();
  return {
    add(name, look) {
      looks.set(name, look);
      return () => {
        if (looks.get(name) === look) looks.delete(name);
      };
    },
    states: () => [...looks].map(([name, look]): PartState => ({ name, trouble: troubleOf(name, look) })),
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
