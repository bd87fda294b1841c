/** An Auto store from start to stop: the blocks of the sound become rows of the files on the card. */
import { CardProblem } from './card/index.ts';
import type { Block, Instrument, OpenStore, StoreLabel } from './contract.ts';

/** Fills the store until the disposer is called. `deviceTimeAt` turns uptime into device time, ms. */
export function fillAutoStore(
  store: OpenStore,
  instrument: Instrument,
  label: StoreLabel,
  deviceTimeAt: (uptime: number) => number,
): () => void {
  const rows = (periodMs: number | null, write: (block: Block, deviceTime: number) => void) =>
    periodMs === null ? () => {} : instrument.onBlock(periodMs, (block) => write(block, deviceTimeAt(block.from)));
  const endLp = rows(label.lpIntervalMs, (block, time) => store.lp(block, time));
  const endLeq = rows(label.leqIntervalMs, (block, time) => store.leq(block, time));
  return () => {
    endLp();
    endLeq();
    store.close();
  };
}

/** Without a card, or without room on it, nothing can be stored: R+0004 (inferred). */
export function unlessCardProblem<T>(store: () => T): T | 'refused' {
  try {
    return store();
  } catch (error) {
    if (error instanceof CardProblem) return 'refused';
    throw error;
  }
}
