/**
 * `npm run keys -- rotate-secrets`: a new key for the stored credentials. No gateway may run on the data folder. For
 * interruptions see `store/rotate.ts`.
 */
import type { Settings } from '../settings/index.ts';
import { keyFromText, type Rotation, rotateKeyFile, rotateSecrets, StoreError } from '../store/index.ts';
import { storeSettings } from './wiring.ts';

/** Not a setting: only this command uses it. */
const NEW_TEXT = 'NEW_SECRET_KEY';

type Env = Readonly<Record<string, string | undefined>>;

/** Lines for people. Throws StoreError, or an error that names the missing variable. */
export async function rotate(settings: Settings, env: Env): Promise<readonly string[]> {
  const { secret_key: present } = settings;
  const { dataDir, keyFile, server } = storeSettings(settings);
  if (present === '') {
    const done = await rotateKeyFile({ dataDir, keyFile, server }).catch(whichKeyFile);
    return [...outcome(done), `The new key is in ${keyFile}.`, BACKUPS];
  }
  const next = env[NEW_TEXT];
  if (!next) throw new Error(`the key comes from SLM_SECRET_KEY: give the new one in the environment as ${NEW_TEXT}`);
  const keys = { oldKey: await keyFromText(present), newKey: await keyFromText(next) };
  const done = await rotateSecrets({ dataDir, server, ...keys });
  return [...outcome(done), `From now on start the gateway with the text of ${NEW_TEXT} as SLM_SECRET_KEY.`, BACKUPS];
}

const BACKUPS = 'Backups made before open only with the old key: keep a copy of that key as long as these backups.';

/** The gateway may be started with a key file whose name this command does not know. */
function whichKeyFile(error: unknown): never {
  if (!(error instanceof StoreError) || error.problem !== 'key') throw error;
  const hint = 'name the key file that the gateway is started with, by --key-file or SLM_KEY_FILE';
  throw new StoreError('key', `${error.message}; ${hint}`, error);
}

const outcome = ({ resealed, damaged }: Rotation): string[] => [
  `${resealed} stored credentials are encrypted with the new key.`,
  ...(damaged > 0 ? [`${damaged} could not be decrypted with the old key and count as not set: set them again.`] : []),
];
