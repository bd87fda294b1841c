/**
 * A caller that ends its side of the connection may wait for its answer (`nc -N`), or be gone: the end looks the same.
 * So the gateway sends preliminary answers (100), which clients skip.
 * If the caller is gone, its system answers the first of them with a reset. The next one meets the reset, and the
 * connection closes. During an answer, its next piece has the same effect; if no next piece comes, the caller counts as
 * gone.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { oldestUnderWay } from './raw.ts';

/** Time to the first preliminary answer, and from there to the second; later they are rarer. ms. */
const FIRST_MS = 200;
const LATER_MS = 5_000;

/** For each connection of a server that allows callers to end their side. */
export const askWhetherGone =
  (clock: Clock) =>
  (socket: Socket): void => {
    let cancel = () => {};
    let asked = 0;
    let written = -1;
    const ask = () => {
      const response = oldestUnderWay(socket);
      if (response?.headersSent) {
        if (socket.bytesWritten === written) return void socket.destroy();
        written = socket.bytesWritten;
      } else if (response?.req.httpVersion === '1.1') {
        // HTTP/1.0 has no such answers.
        response.writeContinue();
        asked += 1;
      }
      cancel = clock.after(asked === 1 ? FIRST_MS : LATER_MS, ask);
    };
    socket.once('end', () => {
      cancel = clock.after(FIRST_MS, ask);
    });
    socket.once('close', () => cancel());
  };
