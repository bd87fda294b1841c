/** An FTP client that tries EPSV, then PASV, and falls back to PORT: what many clients do before they list or read. */
import { createServer, type Server } from 'node:net';
import { Bytes } from './bytes.ts';

export class EpsvFirst {
  readonly #control: Bytes;
  /** The codes of all replies so far, in order. */
  readonly codes: string[] = [];

  private constructor(control: Bytes) {
    this.#control = control;
  }

  /** Resolves after the banner. */
  static async open(port: number): Promise<EpsvFirst> {
    const client = new EpsvFirst(await Bytes.open(port));
    await client.#reply();
    return client;
  }

  async ask(line: string): Promise<string> {
    this.#control.write(`${line}\r\n`);
    return this.#reply();
  }

  async login(password = '0000'): Promise<string> {
    await this.ask('USER USER');
    return this.ask(`PASS ${password}`);
  }

  /** The text of `LIST path` or `RETR path`. */
  async fetch(command: string): Promise<string> {
    await this.ask('TYPE I');
    for (const passive of ['EPSV', 'PASV']) {
      if ((await this.ask(passive)).startsWith('2')) throw new Error(`${passive} is not expected to work`);
    }
    const { server, port, received } = await listen();
    try {
      await this.ask(`PORT 127,0,0,1,${port >> 8},${port & 255}`);
      await this.ask(command);
      const ending = await this.#reply();
      if (!ending.startsWith('226')) throw new Error(`${command}: ${ending}`);
      return await received;
    } finally {
      server.close();
    }
  }

  close(): void {
    this.#control.close();
  }

  async #reply(): Promise<string> {
    const line = await this.#control.until(/\d{3} [^\r\n]*\r\n/);
    this.codes.push(line.slice(0, 3));
    return line.trimEnd();
  }
}

async function listen(): Promise<{ server: Server; port: number; received: Promise<string> }> {
  const server = createServer();
  const received = new Promise<string>((resolve) => {
    server.once('connection', (socket) => {
      let text = '';
      socket.setEncoding('latin1');
      socket.on('error', () => {});
      socket.on('data', (piece: string) => {
        text += piece;
      });
      socket.on('close', () => resolve(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0, received };
}
