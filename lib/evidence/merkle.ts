/**
 * The hash tree of RFC 6962, section 2.1: one root stands for all lines of a table, and one line can be proved alone by its path.
 * Pure functions without Node, since the page that checks a package has them, too.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The rows of one kind of a local day. */
export interface KindRoot {
  /** `seconds`, `minutes` or `intervals`. */
  readonly kind: string;
  /** Hex. */
  readonly root: string;
  readonly rows: number;
}

/** The hash of one line: SHA-256 of a zero byte and the line, without its line feed. */
export function leafHash(line: string | Uint8Array): Uint8Array {
  return sha256
    .create()
    .update(LEAF)
    .update(typeof line === 'string' ? utf8ToBytes(line) : line)
    .digest();
}

/** SHA-256 of a one byte, the left and the right hash. */
function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(NODE).update(left).update(right).digest();
}

/** How hashes are made and held, since a program may have a quicker SHA-256 than one in JavaScript. */
export interface TreeHashes<Hash> {
  leaf(line: string | Uint8Array): Hash;
  node(left: Hash, right: Hash): Hash;
  /** SHA-256 of nothing. */
  readonly none: Hash;
}

/** As bytes, everywhere. */
export const PLAIN_HASHES: TreeHashes<Uint8Array> = {
  leaf: leafHash,
  node: nodeHash,
  none: sha256(new Uint8Array()),
};

/** The root of lines that come one after another. It holds one hash for each doubling of their number. */
export class MerkleTree<Hash> {
  /** Roots of full trees, each smaller than the one before it. */
  private readonly full: { readonly size: number; readonly hash: Hash }[] = [];
  private lines = 0;
  private readonly hashes: TreeHashes<Hash>;

  constructor(hashes: TreeHashes<Hash>) {
    this.hashes = hashes;
  }

  /** Lines so far. */
  get count(): number {
    return this.lines;
  }

  add(line: string | Uint8Array): void {
    this.addLeaf(this.hashes.leaf(line));
  }

  /** A line by its hash. */
  addLeaf(leaf: Hash): void {
    let last = { size: 1, hash: leaf };
    for (let before = this.full.at(-1); before?.size === last.size; before = this.full.at(-1)) {
      this.full.pop();
      last = { size: last.size * 2, hash: this.hashes.node(before.hash, last.hash) };
    }
    this.full.push(last);
    this.lines += 1;
  }

  /** Of the lines so far. Lines may follow. */
  root(): Hash {
    const [last, ...others] = this.full.map(({ hash }) => hash).reverse();
    return others.reduce((right, left) => this.hashes.node(left, right), last ?? this.hashes.none);
  }
}

/** The root over leaf hashes. */
export function merkleRoot(leaves: Iterable<Uint8Array>): Uint8Array {
  const tree = new MerkleTree(PLAIN_HASHES);
  for (const leaf of leaves) tree.addLeaf(leaf);
  return tree.root();
}

/** The hashes that lead from leaf `index` to the root, from below. Throws a RangeError where there is no such leaf. */
export function merklePath(leaves: readonly Uint8Array[], index: number): readonly Uint8Array[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`there is no leaf ${index} of ${leaves.length}`);
  if (leaves.length === 1) return [];
  const half = largestPowerBelow(leaves.length);
  const left = leaves.slice(0, half);
  const right = leaves.slice(half);
  return index < half
    ? [...merklePath(left, index), merkleRoot(right)]
    : [...merklePath(right, index - half), merkleRoot(left)];
}

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2); undefined where the path has the wrong length. */
export function rootByPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!Number.isInteger(index) || index < 0 || index >= size) return undefined;
  let place = index;
  let last = size - 1;
  let hash = leaf;
  for (const other of path) {
    if (last === 0) return undefined;
    const isRight = place % 2 === 1 || place === last;
    hash = isRight ? nodeHash(other, hash) : nodeHash(hash, other);
    // A last leaf without a partner goes up until it has one.
    while (isRight && place % 2 === 0 && place !== 0) {
      place /= 2;
      last = Math.floor(last / 2);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
}

/** The root of a local day in hex: the tree over a line `<kind> <hex root> <rows>` for each kind that has rows, sorted by kind. */
export function dayRoot(kinds: readonly KindRoot[]): string {
  const tree = new MerkleTree(PLAIN_HASHES);
  for (const line of dayLines(kinds)) tree.add(line);
  return bytesToHex(tree.root());
}

/** The lines below the root of a day: what proves one kind of a day alone. */
export function dayLines(kinds: readonly KindRoot[]): readonly string[] {
  return kinds
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
    .map(({ kind, root, rows }) => `${kind} ${root} ${rows}`);
}

/** `count` is 2 or more. */
function largestPowerBelow(count: number): number {
  let half = 1;
  while (half * 2 < count) half *= 2;
  return half;
}
