import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Environment of a program that a test starts: nothing of the caller but the compile cache of Node. */
export function childEnvironment(): Record<string, string> {
  const compiled = getCompileCacheDir();
  return { PATH: process.env.PATH ?? '', ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }) };
}
