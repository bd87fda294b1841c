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
  readonly none: Hash;
}

/** As bytes, everywhere. */
export const PLAIN_HASHES: TreeHashes<Uint8Array> = {
  leaf: leafHash,
  node: nodeHash,
  none: sha256(new Uint8Array()),
};

/** A full tree of some lines. */
interface Part<Hash> {
  readonly size: number;
  readonly hash: Hash;
  /** Of its lines that are followed: the hashes that lead to `hash`, from below. */
  readonly paths: readonly Hash[][];
}

/** The root of lines that come one after another. It holds one hash for each doubling of their number. */
export class MerkleTree<Hash> {
  /** Each smaller than the one before it. */
  private readonly full: Part<Hash>[] = [];
  private lines = 0;
  private readonly hashes: TreeHashes<Hash>;

  constructor(hashes: TreeHashes<Hash>) {
    this.hashes = hashes;
  }

  get count(): number {
    return this.lines;
  }

  /** `isFollowed`: `proofs` has its path. */
  add(line: string | Uint8Array, isFollowed = false): void {
    let last: Part<Hash> = { size: 1, hash: this.hashes.leaf(line), paths: isFollowed ? [[]] : [] };
    for (let before = this.full.at(-1); before?.size === last.size; before = this.full.at(-1)) {
      this.full.pop();
      last = this.joined(before, last);
    }
    this.full.push(last);
    this.lines += 1;
  }

  /** Of the lines so far. Lines may follow. */
  root(): Hash {
    return this.whole()?.hash ?? this.hashes.none;
  }

  /** For each line that is followed, in their order: the hashes that lead to the root, from below. */
  proofs(): readonly (readonly Hash[])[] {
    return this.whole()?.paths ?? [];
  }

  private whole(): Part<Hash> | undefined {
    return this.full.reduceRight<Part<Hash> | undefined>(
      (right, left) => (right ? this.joined(left, right) : left),
      undefined,
    );
  }

  private joined(left: Part<Hash>, right: Part<Hash>): Part<Hash> {
    const isFollowed = left.paths.length + right.paths.length > 0;
    const paths = isFollowed
      ? [...left.paths.map((path) => [...path, right.hash]), ...right.paths.map((path) => [...path, left.hash])]
      : left.paths;
    return { size: left.size + right.size, hash: this.hashes.node(left.hash, right.hash), paths };
  }
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
