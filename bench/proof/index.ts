/**
 * Five kinds of faults of an active gateway and its standby, and whether docs/standby.md is true. PostgreSQL has a streaming standby. Each program
 * has a host of its own (a network namespace). The simulated meters are the referee. Needs Linux, root, iproute2 and the server of PostgreSQL 15 or
 * newer; about 15 minutes. Exits with 1 if a sentence does not hold. `npm run proof -- [--only killed,stands] [--times 20] [--log FOLDER]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { closeNetwork, on, openNetwork } from './network.ts';

if (process.getuid?.() !== 0) throw new Error('this makes network namespaces: run it as root');
openNetwork();
const [program = '', ...words] = [...on('meters'), process.execPath, fileURLToPath(new URL('run.ts', import.meta.url))];
// It runs on the host of the meters, so that it reaches all others.
const child = spawn(program, [...words, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
closeNetwork();
process.exitCode = code ?? 1;
