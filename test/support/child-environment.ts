import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** What a program that a test starts has in its environment: nothing of the one who runs the tests, but what Node compiled. */
export function childEnvironment(): Record<string, string> {
  const compiled = getCompileCacheDir();
  return { PATH: process.env.PATH ?? '', ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }) };
}
