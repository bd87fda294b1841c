/** What is passed on to another instance and not over: requests without an answer, and WebSockets. */
import { Agent, get } from 'node:http';
import { get as getByTls, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';

/** As of Node, where a text is no address. */
export const NO_ADDRESS = 'ERR_INVALID_URL';

/** An instance from one of its starts to the next. */
export interface InstanceRun {
  readonly id: string;
  readonly epoch: number;
}

/** Nothing is under way at first. */
export class UnderWay {
  readonly #to: InstanceRun;
  readonly #agents;
  readonly #sockets = new Set<Socket>();

  /** `most`: requests at once. The others wait: beyond its `connections_per_address` the other instance would refuse them unread. */
  constructor({ id, epoch }: InstanceRun, most: number) {
    this.#to = { id, epoch };
    const options = { keepAlive: true, maxSockets: most };
    this.#agents = { http: new Agent(options), https: new TlsAgent(options) };
  }

  isTo(run: InstanceRun | undefined): boolean {
    return run?.id === this.#to.id && run.epoch === this.#to.epoch;
  }

  /** Has the connections for requests to this address. */
  agentFor(address: string): Agent {
    return address.startsWith('https:') ? this.#agents.https : this.#agents.http;
  }

  /** Asks for this by itself. `heard`: without an error when an answer begins, whatever it is; with one also where `url` is no address. */
  ask(url: string, timeoutMs: number, heard: (error?: Error) => void): void {
    // Another instance has written it.
    if (!URL.canParse(url)) {
      heard(Object.assign(new Error('it has no address'), { code: NO_ADDRESS }));
      return;
    }
    const by = url.startsWith('https:') ? getByTls : get;
    const request = by(url, { agent: this.agentFor(url), timeout: timeoutMs });
    request.on('timeout', () => request.destroy(new Error('it gives no answer')));
    request.on('error', heard);
    request.on('response', (response) => {
      response.resume();
      heard();
    });
  }

  /** A client whose WebSocket is passed on. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Each request fails, each WebSocket is closed. */
  end(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
    // With an error, so that the connection to the other instance is ended, too.
    for (const socket of this.#sockets) socket.destroy(new Error('another instance has the meters now'));
  }
}
