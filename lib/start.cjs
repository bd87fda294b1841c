#!/usr/bin/env -S node --max-semi-space-size=4
// The entry of the build (`npm run build`): looks at the version of Node, then lets it keep what it has compiled, so that the
// next start need not. Young objects get 4 MB: the gateway makes few of them, and the memory it holds is half. Old ones are collected when they
// have grown by 20 %: V8 would wait until there are four times as many, which long work (a package, a report) soon makes.
'use strict';

require('./node-version.cjs');
require('node:v8').setFlagsFromString('--heap-growing-percent=20');
// Node warns of old functions in the packages of a program only where they are bundled with it: not for those who run it.
process.noDeprecation = true;
require('node:module').enableCompileCache(require('node:path').join(__dirname, '../cache'));
import('./main.js');
