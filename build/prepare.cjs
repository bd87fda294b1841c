// npm runs this after `npm ci` and `npm install` in a clone: then every test command works at once. It does nothing where that was
// done, and nothing in an install for production. An old Node may run it, so it is plain JavaScript.
'use strict';

const { spawn, spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const NODES = join(ROOT, '.ci/nodes');
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

if (existsSync(join(ROOT, 'node_modules/tap'))) {
  // Both at once: the one waits for the network while the other works.
  if (!nodesAreThere()) fetchNodes();
  const { status } = spawnSync(process.execPath, ['build/tap.ts'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

function fetchNodes() {
  // A line for the shell: on Windows npm is a batch file.
  const npm = spawn('npm ci --no-audit --no-fund --prefix .ci/nodes', { cwd: ROOT, shell: true, stdio: 'inherit' });
  // Without them all works but one test, which says so: an install does not fail because of them.
  npm.once('close', (code) => {
    if (code !== 0) console.error('The other versions of Node could not be installed: test/more/nodes.ts will fail.');
  });
}

function nodesAreThere() {
  return Object.entries(read(NODES, 'package.json').dependencies).every(([name, wanted]) => {
    const place = join(NODES, 'node_modules', name);
    return existsSync(join(place, 'bin')) && wanted === `npm:node@${read(place, 'package.json').version}`;
  });
}
