/**
 * Several instances on one PostgreSQL with a standby, and simulated meters, each on a host of its own (network namespaces); what goes wrong
 * there, and whether the promises of docs/standby.md hold. The simulated meters are the referee. Needs Linux, root, iproute2 and the server of
 * PostgreSQL 15 or newer; about 40 minutes, and an hour and a half with shared meters. Exits with 1 where a promise does not hold.
 * `node bench/proof/index.ts [--meters 200] [--streamed 20] [--storing 3] [--share] [--only killed,cut] [--log FOLDER] [--page docs/cluster-proof.md]`
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
