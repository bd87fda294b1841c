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
function counted<Name extends string>(owner: Record<Name, unknown>, name: Name, isStep = (_: unknown[]) => true): void {
  const real = owner[name] as (...given: unknown[]) => unknown;
  owner[name] = function (this: unknown, ...given: unknown[]) {
    if (isStep(given)) dieIfDue();
    return real.apply(this, given);
  };
}

const { rotateKeyFile } = await import('../../lib/store/index.ts');
counted(files as unknown as Record<string, unknown>, 'rm');
counted(files as unknown as Record<string, unknown>, 'rename');
counted(files as unknown as Record<string, unknown>, 'open', ([, flags]) => flags === 'wx' || flags === 'r');
syncBuiltinESMExports();
counted(Database.prototype as unknown as Record<string, unknown>, 'exec');
counted(Database.prototype as unknown as Record<string, unknown>, 'pragma', ([text]) =>
  /checkpoint/.test(String(text)),
);
await rotateKeyFile({ dataDir, keyFile });
