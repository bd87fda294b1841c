/** The gateway and the simulator as programs. The build starts in half the time of the sources: it is used where it is newer than all that it is made of. */
import { existsSync, globSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = `${ROOT}dist/lib/main.js`;
const SOURCES = '{lib,plugins,simulator,cli,client,config,build}/**/*.{ts,cjs,json}';
const PROGRAMS = {
  gateway: { source: 'lib/app/main.ts', built: 'dist/lib/start.cjs' },
  simulator: { source: 'simulator/cli.ts', built: 'dist/simulator/start.cjs' },
} as const;

let isBuilt: boolean | undefined;

/** Where the program is, and the environment that it should have: the build has a cache of its own of what Node compiled. */
export function programOf(name: keyof typeof PROGRAMS, env: NodeJS.ProcessEnv = process.env) {
  isBuilt ??= isBuildOfNow();
  const { source, built } = PROGRAMS[name];
  const { NODE_COMPILE_CACHE: _, ...withoutCache } = env;
  return isBuilt ? { path: ROOT + built, env: withoutCache } : { path: ROOT + source, env };
}

function isBuildOfNow(): boolean {
  if (!existsSync(BUILT)) return false;
  const { mtimeMs } = statSync(BUILT);
  const paths = [...globSync(SOURCES, { cwd: ROOT, exclude: ['client/dist'] }), 'package-lock.json'];
  return paths.every((path) => statSync(ROOT + path).mtimeMs <= mtimeMs);
}
