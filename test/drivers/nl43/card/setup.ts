/** Files of a card as bytes that arrive in pieces of any size. */

import type { CardItem, CardProblem, CardRow } from '../../../../lib/drivers/card/contract.ts';
import { readRnd } from '../../../../lib/drivers/nl43/card/rnd.ts';

export async function* pieces(bytes: Uint8Array | string, size = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

export async function read(
  text: Uint8Array | string,
  options: Parameters<typeof readRnd>[1] = {},
): Promise<{ rows: CardRow[]; problems: CardProblem[] }> {
  const items: CardItem[] = [];
  for await (const item of readRnd(pieces(text), options)) items.push(item);
  return {
    rows: items.flatMap((item) => ('row' in item ? [item.row] : [])),
    problems: items.flatMap((item) => ('problem' in item ? [item.problem] : [])),
  };
}
