/** The tree of RFC 6962 against the published roots of its reference implementation, and the paths of single lines. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { NATIVE_HASHES } from '../../plugins/evidence/native-hashes.ts';
import { dayLines, dayRoot, leafHash, MerkleTree, PLAIN_HASHES } from '../../plugins/evidence/verify/merkle.ts';

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256(Buffer.of(1), left, right);

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2); undefined where the path has the wrong length. */
function rootByPath(
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

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

/** Inputs and roots of the tests of Certificate Transparency (google/certificate-transparency, merkle_tree_test.cc). */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

t.test('the roots are the published ones, for one to eight lines', async (t) => {
  const tree = new MerkleTree(PLAIN_HASHES);
  t.equal(hex(tree.root()), createHash('sha256').digest('hex'), 'without a line: the hash of nothing');
  for (const [n, input] of INPUTS.entries()) {
    tree.add(Buffer.from(input, 'hex'));
    t.equal(hex(tree.root()), ROOTS[n], `${n + 1} lines`);
    t.equal(tree.count, n + 1);
  }
});

t.test('the path of the published example is the published one', async (t) => {
  const tree = new MerkleTree(PLAIN_HASHES);
  for (const [n, input] of INPUTS.entries()) tree.add(Buffer.from(input, 'hex'), n === 0);
  t.strictSame(tree.proofs()[0]?.map(hex), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ]);
});

t.test('in trees of 1 to 70 lines, only its own path, text and place prove a line', async (t) => {
  for (let size = 1; size <= 70; size += 1) {
    const tree = new MerkleTree(PLAIN_HASHES);
    const native = new MerkleTree(NATIVE_HASHES);
    for (let index = 0; index < size; index += 1) {
      tree.add(`line ${index}`, true);
      native.add(`line ${index}`, index % 7 === 3);
    }
    const root = hex(tree.root());
    t.equal(native.root(), root, `${size} lines by Node's SHA-256`);
    t.strictSame(
      native.proofs(),
      tree
        .proofs()
        .filter((_, index) => index % 7 === 3)
        .map((path) => path.map(hex)),
    );
    t.equal(tree.proofs().length, size);
    for (const [index, path] of tree.proofs().entries()) {
      const leaf = leafHash(`line ${index}`);
      const proved = hex(rootByPath(leaf, index, size, path));
      if (proved !== root) t.fail(`line ${index} of ${size}`);
      if (hex(rootByPath(leafHash('another'), index, size, path)) === root) t.fail('another line');
      if (size > 1 && hex(rootByPath(leaf, (index + 1) % size, size, path)) === root) t.fail('another place');
      if (rootByPath(leaf, index, size, [...path, leaf]) !== undefined) t.fail('a longer path');
      if (path.length > 0 && rootByPath(leaf, index, size, path.slice(1)) !== undefined) t.fail('a shorter path');
    }
  }
  t.strictSame(new MerkleTree(PLAIN_HASHES).proofs(), []);
  t.equal(rootByPath(leafHash('a'), 3, 3, []), undefined, 'there is no fourth of three');
});

t.test('a day has one root over its kinds, in the order of their names', async (t) => {
  const kinds = [
    { kind: 'seconds', root: ROOTS[0] ?? '', rows: 1 },
    { kind: 'intervals', root: ROOTS[1] ?? '', rows: 2 },
    { kind: 'minutes', root: 'ff', rows: 0 },
  ];
  t.strictSame(dayLines(kinds), [`intervals ${ROOTS[1]} 2`, `seconds ${ROOTS[0]} 1`]);
  const tree = new MerkleTree(PLAIN_HASHES);
  for (const line of dayLines(kinds)) tree.add(line);
  t.equal(dayRoot(kinds), hex(tree.root()));
  t.not(dayRoot(kinds), dayRoot([{ kind: 'seconds', root: ROOTS[0] ?? '', rows: 2 }]));
});
