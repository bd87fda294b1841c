/**
 * Source of the key of the credentials: a given text (SLM_SECRET_KEY), or the key file. The file is outside the data
 * folder, so that a copy of only that folder does not reveal the passwords.
 */
import { randomBytes, scrypt } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';
import { isWithin, moveOver, othersMay, syncFolder } from '../system.ts';
import { StoreError } from './problem.ts';

const KEY_BYTES = 32;
const SHORTEST_TEXT = 16;
// Fixed: the same text must give the same key on every start. The cost of scrypt protects against guessing.
const TEXT_SALT = 'slm-gateway/credentials/v1';
const TEXT_COST = { N: 32768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** 64 hex digits and the base64 (or base64url) form of 32 bytes are the key itself; any other text is stretched to a key. */
export async function keyFromText(text: string): Promise<Uint8Array> {
  const given = text.trim();
  if (/^[0-9a-f]{64}$/i.test(given)) return Buffer.from(given, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(given)) return Buffer.from(given, 'base64');
  if (given.length < SHORTEST_TEXT)
    throw new StoreError(
      'key',
      `SLM_SECRET_KEY is too short: give 32 bytes as hex or base64, or a text of at least ${SHORTEST_TEXT} characters`,
    );
  const stretch = promisify<string, string, number, typeof TEXT_COST, Buffer>(scrypt);
  return stretch(given, TEXT_SALT, KEY_BYTES, TEXT_COST);
}

/** A missing file is created (mode 0600) if `mayCreate`. For a database with sealed values a new key would be useless. */
export async function keyFromFile(keyFile: string, dataDir: string, mayCreate: boolean): Promise<Uint8Array> {
  const path = resolve(keyFile);
  await refuseInside(path, dataDir);
  try {
    return await readKey(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (!mayCreate)
    throw new StoreError(
      'key',
      `the key file ${path} is missing and the database holds credentials sealed with it: put the file back, ` +
        'or set SLM_SECRET_KEY if the key came from there',
    );
  await createKey(path);
  await refuseInside(path, dataDir);
  return readKey(path);
}

async function refuseInside(path: string, dataDir: string): Promise<void> {
  if (isWithin(await real(dataDir), await real(path)))
    throw new StoreError(
      'key',
      `the key file ${path} lies in the data folder ${dataDir}: a copy of the folder would carry its own key; ` +
        'choose a place outside',
    );
}

/** Follows every link, as far as the path exists. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) refuse(path, error);
    return join(await real(dirname(path)), basename(path));
  }
}

async function readKey(path: string): Promise<Uint8Array> {
  const about = await lstat(await real(path));
  if (othersMay(0o077, about.mode))
    throw new StoreError('key', `the key file ${path} can be read by others than its owner: run chmod 600 ${path}`);
  const text = (await readFile(path, 'utf8').catch((error) => refuse(path, error))).trim();
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new StoreError('key', `the key file ${path} does not hold a key (64 hex digits): restore it from a backup`);
  return Buffer.from(text, 'hex');
}

function refuse(path: string, error: unknown): never {
  throw new StoreError('key', `the key file cannot be reached at ${path}: ${messageOf(error)}`, error);
}

/** Written under another name and then linked: two processes that start at the same time get the same key. */
async function createKey(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeSynced(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
    await link(draft, path).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new StoreError('key', `the key file ${path} cannot be made: ${messageOf(error)}`, error);
  } finally {
    await rm(draft, { force: true });
  }
}

/** A new key beside the key file, safe on the disk, not yet in use. Replaces an unused draft. */
export async function draftKey(keyFile: string, dataDir: string): Promise<Uint8Array> {
  const path = resolve(keyFile);
  await refuseInside(path, dataDir);
  const key = randomBytes(KEY_BYTES);
  try {
    await rm(draftOf(path), { force: true });
    await writeSynced(draftOf(path), `${key.toString('hex')}\n`);
    await syncFolder(dirname(path));
  } catch (error) {
    throw new StoreError('key', `the new key cannot be written beside ${path}: ${messageOf(error)}`, error);
  }
  return key;
}

export async function draftedKey(keyFile: string): Promise<Uint8Array | undefined> {
  try {
    return await readKey(draftOf(resolve(keyFile)));
  } catch {
    return undefined;
  }
}

/** Replaces the key file with the draft in one step. */
export async function adoptDraft(keyFile: string): Promise<void> {
  const path = resolve(keyFile);
  try {
    await moveOver(draftOf(path), path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw new StoreError('key', `the new key ${draftOf(path)} cannot be moved to ${path}: ${messageOf(error)}`, error);
  }
}

const draftOf = (path: string): string => `${path}.next`;

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await chmod(path, 0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
