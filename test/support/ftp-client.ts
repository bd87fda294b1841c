/**
 * A bare FTP client in active mode, directly on sockets: what it sees is what was on the wire. Loopback only. It checks the
 * simulator without the gateway, so it shares no code with either.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Transfer {
  /** Replies on the control connection, from the one to the command to the last. */
  readonly replies: readonly string[];
  readonly data: Buffer;
  /** How the data connection ended; null if it never came. */
  readonly ending: 'end' | 'reset' | null;
}

export class FtpClient {
  readonly socket: Socket;
  #text = '';
  #over = false;
  #wake: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.#arrive(String(text)));
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
  }

  /** Connects; the banner is the first reply to `read`. Rejects where the port refuses. */
  static async connect(port: number, host = '127.0.0.1'): Promise<FtpClient> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new FtpClient(socket);
  }

  static async login(port: number, host?: string): Promise<FtpClient> {
    const client = await FtpClient.connect(port, host);
    for (const line of ['', 'USER USER', 'PASS 0000']) {
      const reply = await (line ? client.say(line) : client.read());
      if (/^[23]/.test(reply)) continue;
      await client.close();
      throw new Error(reply);
    }
    return client;
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** The next line, without CR LF; empty when the connection is over. */
  async read(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return line;
      }
      if (this.#over) return '';
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  say(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.read();
  }

  get unread(): string {
    return this.#text;
  }

  /** PORT and a command; collects the data until its connection ends, and the replies until a final one. */
  async fetch(command: string): Promise<Transfer> {
    const data = await this.open(command);
    const collected = data.collect();
    const replies = await this.finalReply();
    if (replies.some((reply) => /^[45]/.test(reply)) && !data.socket) data.close();
    return { replies, ...(await collected) };
  }

  /** PORT and a command; the data connection is in the caller's hands. */
  async open(command: string): Promise<DataPort> {
    const data = await DataPort.listen();
    await this.say(data.port4);
    this.send(`${command}\r\n`);
    return data;
  }

  /** Replies up to the first that is no 1xx. */
  async finalReply(): Promise<string[]> {
    const replies = [];
    for (;;) {
      const reply = await this.read();
      replies.push(reply);
      if (!reply.startsWith('1')) return replies;
    }
  }

  /** Ends the connection; resolves when it is over. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.socket.destroy();
    await closed(this.socket);
  }

  #arrive(text: string): void {
    this.#text += text;
    this.#call();
  }

  #end(): void {
    this.#over = true;
    this.#call();
  }

  #call(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Where one data connection of the meter arrives. */
export class DataPort {
  readonly #server: Server;
  readonly arrival: Promise<Socket | null>;
  socket: Socket | null = null;

  private constructor(server: Server) {
    this.#server = server;
    this.arrival = new Promise((resolve) => {
      server.once('connection', (socket) => {
        this.socket = socket;
        socket.on('error', () => {});
        server.close();
        resolve(socket);
      });
      server.once('close', () => resolve(this.socket));
    });
  }

  static async listen(host = '127.0.0.1'): Promise<DataPort> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, host);
    await once(server, 'listening');
    return new DataPort(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get port4(): string {
    return `PORT 127,0,0,1,${this.port >> 8},${this.port & 255}`;
  }

  /** Every byte until the connection ends, or nothing when `close` comes before it. */
  async collect(): Promise<{ data: Buffer; ending: 'end' | 'reset' | null }> {
    const pieces: Buffer[] = [];
    const ending = await this.drain((piece) => pieces.push(piece));
    return { data: Buffer.concat(pieces), ending };
  }

  async drain(take: (piece: Buffer) => void): Promise<'end' | 'reset' | null> {
    const socket = await this.arrival;
    if (!socket) return null;
    let ended = false;
    socket.on('data', take);
    socket.on('end', () => {
      ended = true;
    });
    if (!socket.closed) {
      socket.resume();
      await closed(socket);
    }
    return ended ? 'end' : 'reset';
  }

  /** No connection wanted any more. */
  close(): void {
    this.#server.close();
    this.socket?.destroy();
  }
}

/** However it closes. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
