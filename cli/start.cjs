#!/usr/bin/env node
// The entry of the command line `slm` in the build: looks at the version of Node first, as an older one cannot even read the rest.
'use strict';

require('../lib/node-version.cjs');
require('node:module').enableCompileCache(require('node:path').join(__dirname, '../cache'));
import('./slm.js');
