/**
 * Adds a made-up quantity to a process: a row in the table of quantities and, in place of LIeq, a position in the lines of the
 * NL-43. By
 * `--import` in NODE_OPTIONS, so that threads of the process have it too.
 */
import { registerHooks } from 'node:module';

const ROW = `made_up: { ...LEVEL, symbol: 'L{f}made', meaning: 'a made-up level', sum: 'maximum', in: EVERYWHERE, sensor: 'sound_pressure' },
  leq_mov:`;

const CHANGES: readonly (readonly [file: string, from: RegExp, to: string])[] = [
  ['/lib/domain/quantities.ts', /leq_mov:/, ROW],
  ['/lib/drivers/nl43/spec/layouts.ts', /'lieq'/g, "'made_up'"],
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const change = CHANGES.find(([file]) => url.endsWith(file));
    if (!change) return loaded;
    const [file, from, to] = change;
    const text = Buffer.from(loaded.source as Uint8Array).toString();
    if (text.search(from) < 0) throw new Error(`${file} has changed: the made-up quantity finds no place in it`);
    return { ...loaded, source: text.replace(from, to) };
  },
});
