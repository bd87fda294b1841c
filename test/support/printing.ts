/** A PDF is printed in a process of its own, in real time: the clocks of the tests wait for it. */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { realWork } from '../../simulator/clock.ts';

const PRINTER = /reports[\\/]pdf[\\/]process|pdf-process/;

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  // Its words are set when it has been started.
  process.nextTick(() => {
    if (!child.spawnargs?.some((word) => PRINTER.test(word))) return;
    realWork.add(child);
    child.once('close', () => realWork.delete(child));
  });
});
