/** Files that grow while they are read, for a fault: `growing` bytes each time, on top of what the card has. */

import type { CardTree } from '../card/card-tree.ts';
import { generate } from '../card/index.ts';
import type { FtpBehaviour } from './behaviour.ts';
import type { Growth } from './session.ts';

/** Each file grows by itself. */
export function growthOf(card: CardTree, behaviour: Readonly<FtpBehaviour>): Growth {
  const grown = new Map<string, number>();
  const of = (path: string) => grown.get(path) ?? 0;
  return {
    of,
    read(path) {
      const content = card.read(path);
      if (!content) return null;
      const more = of(path) + behaviour.growing;
      if (more > 0) grown.set(path, more);
      return followedBy(content, more);
    },
  };
}

function* followedBy(content: Iterable<Uint8Array>, more: number): Generator<Uint8Array> {
  yield* content;
  yield* generate(more, 1);
}
