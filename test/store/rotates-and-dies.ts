/** Gives the credentials a new key, and is killed just before its n-th change on the disk. Started by `rotate.test.ts`. */
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

const [dataDir = '', keyFile = '', last = ''] = process.argv.slice(2);
let step = 0;
const dieIfDue = () => {
  step += 1;
  if (step === Number(last)) process.kill(process.pid, 'SIGKILL');
};

/** Wraps one function so that it counts as a step. */
function counted<Owner extends object>(owner: Owner, name: keyof Owner, isStep = (_: unknown[]) => true): void {
  const real: unknown = owner[name];
  if (typeof real !== 'function') throw new Error(`${String(name)} is no function`);
  const counting = function (this: unknown, ...given: unknown[]) {
    if (isStep(given)) dieIfDue();
    return Reflect.apply(real, this, given);
  };
  Object.assign(owner, { [name]: counting });
}

const { rotateKeyFile } = await import('../../lib/store/index.ts');
counted(files, 'rm');
counted(files, 'rename');
counted(files, 'open', ([, flags]) => flags === 'wx' || flags === 'r');
syncBuiltinESMExports();
counted(Database.prototype, 'exec');
counted(Database.prototype, 'pragma', ([text]) => /checkpoint/.test(String(text)));
await rotateKeyFile({ dataDir, keyFile });
