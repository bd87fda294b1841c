/**
 * The control port: a real TCP server that serves one connection at a time. A second one is neither served nor, by default,
 * refused (field log). The place is free when the end of the connection was read, or a set time after that. This file decides
 * which connection is served; the conversation decides what is said.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from './contract.ts';
import { Conversation, type ConversationParts } from './conversation.ts';
import type { Events } from './events.ts';
import type { Admission, Emission, WireFaults } from './faults/contract.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';
import { endsAreRead } from './turns.ts';

interface Parts {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly events: Events;
  readonly faults: WireFaults;
  readonly random: Random;
}

/** A client that is not served may type this much before it is cut off. */
const HELD_BYTES = 4_096;

interface Held {
  readonly socket: Socket;
  readonly connection: number;
  readonly typed: Uint8Array[];
}

export class Listener {
  readonly #parts: Parts;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #connections = 0;
  #commands = 0;
  #taken = false;
  #stopped = false;
  #held: Held[] = [];
  /** New connections that are not judged yet, and the judging of the last of them. */
  #arriving = 0;
  #judging: Promise<void> = Promise.resolve();
  #conversation: Conversation | null = null;
  #cancelFree = () => {};
  #turn: Promise<void> = Promise.resolve();
  #closing: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens or closes the port as the machine can be reached, and ends connections that no longer can be. */
  refresh(): Promise<void> {
    const { faults, machine } = this.#parts;
    const { network } = machine;
    const closed = () => network.tcp === 'refused' || faults.portClosed;
    if (network.tcp !== 'served' && !network.asleep) this.#cutAll(network.powered ? 'end' : 'reset');
    // A port that could not be opened once may be opened another time.
    this.#turn = this.#turn.catch(() => {}).then(() => (closed() ? this.#close() : this.#open()));
    return this.#turn;
  }

  /** The power went: nothing of the past holds. */
  forget(): void {
    this.#cutAll('reset');
    this.#cancelFree();
    this.#taken = false;
    this.#commands = 0;
  }

  /** Ends every open connection: with a reset, or by saying nothing more on it. */
  cut(how: 'reset' | 'silence'): void {
    if (how === 'reset') this.#cutAll('reset');
    else this.#conversation?.fallSilent();
  }

  /** Says something that no command asked for. False where that connection is not served any more. */
  say(connection: number, emissions: readonly Emission[]): boolean {
    if (this.#conversation?.connection !== connection) return false;
    this.#conversation.sayUnasked(emissions);
    return true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.forget();
    await this.#turn.catch(() => {});
    await this.#close();
    await this.#closing;
  }

  async #open(): Promise<void> {
    if (this.#server || this.#stopped) return;
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#parts.port, this.#parts.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.#server = server;
  }

  /** The port refuses from now on; connections that are open stay. */
  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    this.#closing = new Promise((resolve) => server.close(() => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }

  #accept(socket: Socket): void {
    const connection = ++this.#connections;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    if (!this.#taken && this.#arriving === 0) this.#judge(socket, connection);
    else this.#judgeLater(socket, connection);
  }

  /** The place is taken, perhaps by a connection whose end was not read yet. Judged in the order of connecting. */
  #judgeLater(socket: Socket, connection: number): void {
    this.#arriving += 1;
    this.#judging = this.#judging
      .then(() => (this.#taken ? endsAreRead() : undefined))
      .then(() => {
        this.#arriving -= 1;
        if (!socket.destroyed) this.#judge(socket, connection);
      });
  }

  #judge(socket: Socket, connection: number): void {
    const admission = this.#admission(connection);
    if (admission === 'serve') this.#serve(socket, connection, []);
    else if (admission === 'hang') this.#hold(socket, connection);
    else this.#refuse(socket, connection);
  }

  #admission(connection: number): Admission {
    const { faults, machine } = this.#parts;
    if (machine.network.tcp !== 'served') return machine.network.tcp === 'silent' ? 'hang' : 'refuse';
    const disturbed = faults.admit(connection);
    if (disturbed !== 'serve') return disturbed;
    return this.#taken ? machine.parts.profile.second_connection : 'serve';
  }

  #refuse(socket: Socket, connection: number): void {
    this.#parts.events.note({ kind: 'refused', connection });
    socket.resetAndDestroy();
  }

  /** Neither refused nor served. */
  #hold(socket: Socket, connection: number): void {
    const held: Held = { socket, connection, typed: [] };
    let size = 0;
    this.#parts.events.note({ kind: 'held', connection });
    this.#held.push(held);
    socket.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size > HELD_BYTES) socket.destroy();
      else held.typed.push(bytes);
    });
    socket.once('close', () => {
      this.#held = this.#held.filter((other) => other !== held);
    });
  }

  #serve(socket: Socket, connection: number, typed: readonly Uint8Array[]): void {
    const { events, machine, faults, random } = this.#parts;
    this.#taken = true;
    events.note({ kind: 'connect', connection });
    machine.network.noteActivity();
    const parts: ConversationParts = {
      machine,
      events,
      faults,
      random,
      nextCommand: () => ++this.#commands,
      cut: () => machine.parts.networkChanged(),
    };
    const conversation = new Conversation(parts, socket, connection);
    this.#conversation = conversation;
    socket.on('data', (bytes: Buffer) => conversation.receive(bytes));
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      conversation.end();
      if (this.#conversation === conversation) this.#conversation = null;
      events.note({ kind: 'disconnect', connection });
      this.#free();
    };
    // The client's end is read well before the socket is closed on both sides. Nothing is said after it.
    socket.once('end', () => {
      end();
      socket.destroy();
    });
    socket.once('close', end);
    for (const bytes of typed) conversation.receive(bytes);
  }

  #free(): void {
    const { faults, machine } = this.#parts;
    const delay = Math.max(machine.parts.profile.slot_free_delay_ms, faults.slotFreeDelayMs);
    this.#cancelFree();
    if (delay === 0) this.#freeNow();
    else this.#cancelFree = this.#parts.clock.after(delay, () => this.#freeNow());
  }

  #freeNow(): void {
    const { machine } = this.#parts;
    this.#taken = false;
    const next = machine.parts.profile.held_connection === 'served' ? this.#held.shift() : undefined;
    if (!next) return;
    next.socket.removeAllListeners('data');
    this.#serve(next.socket, next.connection, next.typed);
  }

  #cutAll(how: 'end' | 'reset'): void {
    for (const socket of this.#sockets) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroySoon();
    }
  }
}
