/** Reads the JSON files of a package, and takes nothing that has not their form. */
import { type Checks, FORMAT, isPlainPath, type Manifest, type ManifestFile } from './manifest.ts';
import { canonical, isRecordOf } from './signature.ts';

/** Undefined where it is not a manifest of this format in canonical form. */
export function manifestIn(bytes: Uint8Array): Manifest | undefined {
  return canonical(bytes, isManifest);
}

/** Undefined where these are not the checks of a table. */
export function checksIn(bytes: Uint8Array): Checks | undefined {
  return canonical(bytes, isChecks);
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecordOf(value, ['format', 'unit_id', 'gateway', 'key', 'query', 'files'])) return false;
  const { format, unit_id, gateway, key, query, files } = value;
  if (format !== FORMAT || typeof unit_id !== 'string') return false;
  if (!isRecordOf(gateway, ['version']) || !isRecordOf(key, ['fingerprint'])) return false;
  if (!isRecordOf(query, ['from', 'to', 'timezone', 'include']) || !Array.isArray(files)) return false;
  const { from, to, timezone, include } = query;
  const isSpan = [from, to, timezone, gateway.version, key.fingerprint].every((text) => typeof text === 'string');
  return isSpan && Array.isArray(include) && files.every(isFile) && isSorted(files);
}

function isFile(value: unknown): value is ManifestFile {
  if (!isRecordOf(value, ['path', 'bytes', 'sha256'])) return false;
  const { path, bytes, sha256 } = value;
  const isHash = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
  return isHash && typeof path === 'string' && isPlainPath(path) && Number.isSafeInteger(bytes);
}

/** By path, each once. */
const isSorted = (files: readonly ManifestFile[]): boolean =>
  files.every(({ path }, n) => n === 0 || path > (files[n - 1]?.path ?? ''));

function isChecks(value: unknown): value is Checks {
  if (!isRecordOf(value, ['rows', 'columns']) || typeof value.rows !== 'string') return false;
  const { columns } = value;
  return (
    typeof columns === 'object' && columns !== null && Object.values(columns).every((text) => typeof text === 'string')
  );
}
