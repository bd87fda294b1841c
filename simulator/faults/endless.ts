/** Data that never stops, until the connection ends or the fault is switched off. */
import type { Emission } from './contract.ts';
import { defineFault, type FaultHost } from './define.ts';
import { say, textOf } from './emissions.ts';
import { amount, choice, ms } from './settings.ts';

export const endlessData = defineFault({
  name: 'endless-data',
  summary:
    'After the result of a command data come and come: one line without an end, or lines; no other command is answered.',
  works: 'lasting',
  settings: {
    shape: choice(['line', 'lines'], 'one line that never ends, or one line after the other'),
    bytes: amount(1_024, 1, 65_536, 'how many bytes each time'),
    every_ms: ms(100, 'from one to the next, ms'),
  },
  evidence: ['inferred', 'what a reader without a limit would hold in memory'],
  create({ shape, bytes, every_ms }, host) {
    let flow: { readonly connection: number; stop(): void } | null = null;
    const stop = () => {
      flow?.stop();
      flow = null;
    };
    return {
      end: stop,
      admit() {
        stop();
        return 'serve';
      },
      outgoing(emissions, { command, connection }, frame) {
        if (command === 0 && !frame) return emissions;
        if (flow?.connection === connection) return [];
        flow = { connection, stop: pour(host, connection, chunk(shape, Math.floor(bytes)), Math.max(1, every_ms)) };
        return resultOf(emissions);
      },
    };
  },
});

function chunk(shape: 'line' | 'lines', size: number): Emission {
  const text = ' 45.8,'.repeat(Math.ceil(size / 6)).slice(0, size);
  return say(shape === 'line' ? text : `${text.slice(0, -2)}\r\n`);
}

/** Says it again and again while the connection is served; the disposer ends it. */
function pour({ clock, say: tell }: FaultHost, connection: number, emission: Emission, everyMs: number): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(everyMs, () => {
      if (tell(connection, [emission])) next();
    });
  };
  next();
  return () => cancel();
}

const resultOf = (emissions: readonly Emission[]): Emission[] => {
  const text = textOf(emissions);
  return [say(text.slice(0, text.indexOf('\n') + 1), emissions[0]?.afterMs ?? 0)];
};
