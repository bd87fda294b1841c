/** So many sessions at a time. What comes on top is told 421, or waits without a word until a place is free. */
import type { FtpBehaviour } from './behaviour.ts';
import type { ControlConnection } from './library.ts';

export class SessionLimit {
  readonly #behaviour: Readonly<FtpBehaviour>;
  readonly #begin: (connection: ControlConnection) => void;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(behaviour: Readonly<FtpBehaviour>, begin: (connection: ControlConnection) => void) {
    this.#behaviour = behaviour;
    this.#begin = begin;
  }

  /** Sessions being served. */
  get taken(): number {
    return this.#taken;
  }

  admit(connection: ControlConnection): 'served' | 'refused' | 'held' {
    if (this.#taken < this.#behaviour.sessions) {
      this.#serve(connection);
      return 'served';
    }
    if (this.#behaviour.surplus === 'held') {
      this.#hold(connection);
      return 'held';
    }
    connection.commandSocket.end('421 Too many connections\r\n'); // the banner finds the socket closed and is dropped
    connection.commandSocket.resume();
    return 'refused';
  }

  #serve(connection: ControlConnection): void {
    this.#taken++;
    connection.commandSocket.once('close', () => {
      this.#taken--;
      this.#waiting.shift()?.();
    });
    this.#begin(connection);
  }

  /** Keeps back the banner, and with it everything: the library reads on after its banner. */
  #hold(connection: ControlConnection): void {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const say = connection.reply.bind(connection);
    connection.reply = (code, text) => released.then(() => say(code, text));
    const serve = () => {
      connection.commandSocket.removeListener('close', leave);
      connection.reply = say;
      this.#serve(connection);
      release();
    };
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(serve), 1);
      release();
    };
    this.#waiting.push(serve);
    connection.commandSocket.once('close', leave);
  }
}
