#!/usr/bin/env node
// The entry of the simulator in the build: looks at the version of Node first, as an older one cannot even read the rest.
'use strict';

require('../lib/node-version.cjs');
// As in lib/start.cjs.
process.noDeprecation = true;
require('node:module').enableCompileCache(require('node:path').join(__dirname, '../cache'));
import('./cli.js');
