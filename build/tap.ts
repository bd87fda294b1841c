/** Builds tap with the plugins of `.taprc`. It does nothing where that was done: it takes seconds, and every test command asks for it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { t } from 'tap';

const config = readFileSync(new URL('../.taprc', import.meta.url), 'utf8');
const wanted = [...config.matchAll(/^ {2}- "(!?)(@tapjs\/.+)"$/gm)];
const built = t.pluginSignature.split('\n');
if (wanted.some(([, not, plugin = '']) => built.includes(plugin) === (not === '!')))
  process.exitCode = spawnSync('tap build', { shell: true, stdio: 'inherit' }).status ?? 1;
