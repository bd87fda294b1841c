/**
 * A limit on FTP sessions at a time. A further connection gets 421, or waits without an answer until a place is free. The place
 * of a session is free when its end was read.
 */
import { endsAreRead } from '../sockets.ts';
import type { FtpBehaviour } from './behaviour.ts';
import type { ControlConnection } from './library.ts';

type LoginAdmission = 'served' | 'refused' | 'held';

export class SessionLimit {
  readonly #behaviour: Readonly<FtpBehaviour>;
  readonly #begin: (connection: ControlConnection) => void;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  /** Connections that are not judged yet, and the judging of the last of them. */
  #arriving = 0;
  #judging: Promise<void> = Promise.resolve();

  constructor(behaviour: Readonly<FtpBehaviour>, begin: (connection: ControlConnection) => void) {
    this.#behaviour = behaviour;
    this.#begin = begin;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Calls `judged` with what happens to the connection. */
  admit(connection: ControlConnection, judged: (admission: LoginAdmission) => void): void {
    if (this.#isFree && this.#arriving === 0) {
      this.#serve(connection);
      judged('served');
      return;
    }
    const release = holdReplies(connection);
    this.#arriving += 1;
    this.#judging = this.#judging
      .then(() => (this.#isFree ? undefined : endsAreRead()))
      .then(() => {
        this.#arriving -= 1;
        if (!connection.commandSocket.destroyed) judged(this.#judge(connection, release));
      });
  }

  get #isFree(): boolean {
    return this.#taken < this.#behaviour.sessions;
  }

  #judge(connection: ControlConnection, release: () => void): LoginAdmission {
    if (this.#isFree) {
      this.#serve(connection);
      release();
      return 'served';
    }
    if (this.#behaviour.surplus === 'held') {
      this.#hold(connection, release);
      return 'held';
    }
    // The banner finds the socket closed and is dropped.
    connection.commandSocket.end('421 Too many connections\r\n');
    connection.commandSocket.resume();
    release();
    return 'refused';
  }

  #serve(connection: ControlConnection): void {
    this.#taken++;
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      this.#taken--;
      this.#waiting.shift()?.();
    };
    connection.commandSocket.once('end', end);
    connection.commandSocket.once('close', end);
    this.#begin(connection);
  }

  #hold(connection: ControlConnection, release: () => void): void {
    const serve = () => {
      connection.commandSocket.removeListener('close', leave);
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

/** Keeps the banner back, and with it everything: the library reads on after its banner. The result lets it go. */
function holdReplies(connection: ControlConnection): () => void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const say = connection.reply.bind(connection);
  connection.reply = (code, text) => released.then(() => say(code, text));
  return () => {
    connection.reply = say;
    release();
  };
}
