/** Files as a tar archive (POSIX ustar), made while it is sent: every system can unpack it. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export interface ArchivedFile {
  /** Within the archive, `/`-separated. */
  readonly name: string;
  /** On this computer. */
  readonly path: string;
}

/** What was put into the archive. */
export interface Entry {
  readonly name: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

const BLOCK = 512;
/** Of eleven octal digits: 8 GiB. */
const MOST_OCTAL = 8 ** 11 - 1;
/** Places of a header: offset and length. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

/**
 * The bytes of the archive. A file that grows meanwhile is taken as long as it was when its turn came; one that has gone is left
 * out. `last` gets what was put in, and gives the text of the last file.
 */
export async function* tarOf(
  files: AsyncIterable<ArchivedFile>,
  last: { readonly name: string; readonly modifiedMs: number; readonly text: (entries: readonly Entry[]) => string },
): AsyncGenerator<Buffer> {
  const entries: Entry[] = [];
  for await (const { name, path } of files) {
    // Opened once: the file may be replaced between its header and its bytes.
    const file = await open(path).catch(unlessGone);
    if (!file) continue;
    try {
      const found = await file.stat();
      if (!found.isFile()) continue;
      yield headerOf(name, found.size, found.mtimeMs);
      const hash = createHash('sha256');
      let left = found.size;
      for await (const chunk of found.size > 0
        ? file.createReadStream({ end: found.size - 1, autoClose: false })
        : []) {
        hash.update(chunk);
        left -= chunk.length;
        yield chunk;
      }
      if (left !== 0) throw new Error(`${name} became shorter while it was read`);
      yield paddingOf(found.size);
      entries.push({ name, size: found.size, sha256: hash.digest('hex') });
    } finally {
      await file.close();
    }
  }
  const text = Buffer.from(last.text(entries));
  yield headerOf(last.name, text.length, last.modifiedMs);
  yield text;
  yield paddingOf(text.length);
  yield Buffer.alloc(2 * BLOCK);
}

/** A file that was removed meanwhile is left out; one that cannot be read is an error. */
export function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function headerOf(path: string, size: number, modifiedMs: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const put = (field: keyof typeof FIELDS, text: string) => {
    const [offset, length] = FIELDS[field];
    if (Buffer.byteLength(text) > length) throw new Error(`${path} does not fit into a tar archive`);
    header.write(text, offset, 'utf8');
  };
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const { prefix, name } = splitName(path);
  put('name', name);
  put('prefix', prefix);
  put('mode', octal(0o600, FIELDS.mode[1]));
  put('owner', octal(0, FIELDS.owner[1]));
  put('group', octal(0, FIELDS.group[1]));
  if (size <= MOST_OCTAL) put('size', octal(size, FIELDS.size[1]));
  else putLarge(header, size);
  put('modified', octal(Math.floor(modifiedMs / 1_000), FIELDS.modified[1]));
  put('type', '0');
  put('magic', 'ustar\x0000');
  put('checksum', ' '.repeat(FIELDS.checksum[1]));
  const sum = header.reduce((total, byte) => total + byte, 0);
  put('checksum', `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
}

/** As GNU tar writes what octal digits cannot say, and every tar reads it: a mark, and the number in its bytes. */
function putLarge(header: Buffer, size: number): void {
  const [offset, length] = FIELDS.size;
  header.writeUInt8(0x80, offset);
  header.writeBigUInt64BE(BigInt(size), offset + length - 8);
}

/** A long path is kept in two fields, divided at a slash. */
function splitName(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= FIELDS.name[1]) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (Buffer.byteLength(path.slice(at + 1)) <= FIELDS.name[1])
      return { prefix: path.slice(0, at), name: path.slice(at + 1) };
  }
  return { prefix: '', name: path };
}
