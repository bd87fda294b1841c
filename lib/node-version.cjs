// Loaded before everything else (`node -r ./lib/node-version.cjs`): an older Node cannot even read the other files, so this
// file says in one line what is needed. It is plain old JavaScript on purpose.
'use strict';

var needed = /(\d+)(?:\.(\d+))?/.exec(require('../package.json').engines.node);
var present = process.versions.node.split('.');
var isOld =
  Number(present[0]) < Number(needed[1]) ||
  (Number(present[0]) === Number(needed[1]) && Number(present[1]) < Number(needed[2] || 0));

if (isOld) {
  process.stderr.write(`slm-gateway needs Node ${needed[0]} or newer; this is Node ${process.versions.node}\n`);
  process.exit(1);
}
