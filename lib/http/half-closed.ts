/**
 * A caller that ends its side of the connection may wait for its answer (`nc -N`), or be gone: the end looks the same. So it gets
 * preliminary answers (100), which clients skip. The system of a caller that is gone answers the first one with a reset; the next one
 * finds that, and the connection closes. Within an answer its next piece does the same; where none comes, the caller counts as gone.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { oldestUnderWay } from './raw.ts';

/** After the end of its side a caller is asked after this time, once more after the same, and then now and then, ms. */
const FIRST_MS = 200;
const LATER_MS = 5_000;

/** For each connection of a server that lets callers end their side. */
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
