/**
 * The control port: a real TCP server that serves one connection at a time. A second one is neither served nor, by default,
 * refused (field log). When its client has ended a connection, what it has asked is answered; then the place is free, at once or a
 * set time later. This file decides which connection is served; the conversation decides what is said.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from './contract.ts';
import { Conversation, type ConversationParts } from './conversation.ts';
import type { Events } from './events.ts';
import type { Emission, WireFaults } from './faults/contract.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';
import { endsAreRead, listening } from './sockets.ts';

interface Parts {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly events: Events;
  readonly faults: WireFaults;
  readonly random: Random;
}

/** `ending`: its client has ended the connection, but the place is not free yet. */
type Place = 'free' | 'taken' | 'ending';

/** Where a client is: its address and port. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Empty where it has left already. */
const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

export class MeterListener {
  readonly #parts: Parts;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #connections = 0;
  #commands = 0;
  #place: Place = 'free';
  /** Address of a client that is gone but still has the place. */
  #halfOpen: string | null = null;
  #stopped = false;
  /** In the order of their coming. */
  #held: readonly HeldConnection[] = [];
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
    this.#place = 'free';
    this.#halfOpen = null;
    this.#commands = 0;
  }

  cut(how: 'reset' | 'silence'): void {
    if (how === 'reset') this.#cutAll('reset');
    else this.#conversation?.fallSilent();
  }

  /** Sends a text that no command asked for. False when that connection is no longer served. */
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
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#accept(socket));
    await listening(server, this.#parts.port, this.#parts.host);
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
    if (this.#place === 'free' && this.#arriving === 0) this.#judge(socket, connection);
    else this.#judgeLater(socket, connection);
  }

  /** The place is taken, perhaps by a connection whose end was not read yet. Judged in the order of connecting. */
  #judgeLater(socket: Socket, connection: number): void {
    this.#arriving += 1;
    this.#judging = this.#judging
      .then(() => (this.#place === 'taken' ? endsAreRead() : undefined))
      .then(() => {
        this.#arriving -= 1;
        // A client that has left without a word asks for nothing.
        if (socket.readableEnded) socket.destroy();
        else if (!socket.destroyed) this.#judge(socket, connection);
      });
  }

  #judge(socket: Socket, connection: number): void {
    const admission = this.#admission(socket, connection);
    if (admission === 'serve') this.#serve(socket, connection);
    else if (admission === 'refuse') this.#refuse(socket, connection);
    else this.#hold(socket, connection, admission === 'next');
  }

  #admission(socket: Socket, connection: number): 'serve' | 'refuse' | 'hang' | 'next' {
    const { faults, machine } = this.#parts;
    const { early_connection, second_connection } = machine.parts.profile;
    if (machine.network.tcp !== 'served') return machine.network.tcp === 'silent' ? 'hang' : 'refuse';
    const disturbed = faults.admit(connection);
    if (disturbed !== 'serve') return disturbed;
    if (this.#place === 'free' || this.#halfOpen === clientOf(socket)) return 'serve';
    const servedLate = early_connection === 'served' && faults.slotFreeDelayMs === 0;
    return this.#place === 'ending' && servedLate ? 'next' : second_connection;
  }

  #refuse(socket: Socket, connection: number): void {
    this.#parts.events.note({ kind: 'refused', connection, client: addressOf(socket) });
    socket.resetAndDestroy();
  }

  /** Neither refused nor served, or not yet. */
  #hold(socket: Socket, connection: number, next: boolean): void {
    this.#parts.events.note({ kind: 'held', connection, client: addressOf(socket) });
    const gone = (left: HeldConnection) => {
      this.#held = this.#held.filter((other) => other !== left);
    };
    this.#held = [...this.#held, new HeldConnection(socket, connection, next, gone)];
  }

  #serve(socket: Socket, connection: number): Conversation {
    const { events, machine, faults, random } = this.#parts;
    this.#place = 'taken';
    this.#halfOpen = null;
    const client = clientOf(socket);
    events.note({ kind: 'connect', connection, client: addressOf(socket) });
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
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      conversation.end();
      if (this.#conversation === conversation) this.#conversation = null;
      events.note({ kind: 'disconnect', connection });
      if (faults.keepsPlace) this.#keepPlace(client);
      else this.#free();
    };
    socket.on('data', (bytes: Buffer) => conversation.receive(bytes));
    socket.once('end', () => this.#clientEnded(conversation));
    socket.once('close', end);
    return conversation;
  }

  /** It may read on: what it has asked is answered before the connection is closed. */
  #clientEnded(conversation: Conversation): void {
    if (this.#conversation === conversation) this.#place = 'ending';
    conversation.finish();
  }

  /** Until the power is cut, or the same client comes again. */
  #keepPlace(client: string): void {
    this.#place = 'taken';
    this.#halfOpen = client;
  }

  #free(): void {
    const { faults, machine } = this.#parts;
    const delay = Math.max(machine.parts.profile.slot_free_delay_ms, faults.slotFreeDelayMs);
    this.#cancelFree();
    if (delay === 0) this.#freeNow();
    else {
      this.#place = 'ending';
      this.#cancelFree = this.#parts.clock.after(delay, () => this.#freeNow());
    }
  }

  #freeNow(): void {
    this.#place = 'free';
    const everybody = this.#parts.machine.parts.profile.held_connection === 'served';
    const next = this.#held.find((one) => one.next || everybody);
    if (!next) return;
    next.release();
    this.#held = this.#held.filter((other) => other !== next);
    for (const other of this.#held) other.forget();
    const conversation = this.#serve(next.socket, next.connection);
    for (const bytes of next.typed) conversation.receive(bytes);
    if (next.ended) this.#clientEnded(conversation);
  }

  #cutAll(how: 'end' | 'reset'): void {
    for (const socket of this.#sockets) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroySoon();
    }
  }
}

/** A client that is not served may type this much before it is cut off. */
const HELD_BYTES = 4_096;

/**
 * A connection that is accepted and not served. Most of them wait in vain (field log). A connection can come while the place
 * still belongs to a connection that its client has ended. Such a connection is served when the place is free (`next`).
 */
class HeldConnection {
  readonly socket: Socket;
  readonly connection: number;
  /** Input that came while it waited. */
  readonly typed: Uint8Array[] = [];
  next: boolean;
  /** Its client has ended its side, and reads on. */
  ended = false;
  readonly #gone: (self: HeldConnection) => void;
  #size = 0;

  constructor(socket: Socket, connection: number, next: boolean, gone: (self: HeldConnection) => void) {
    this.socket = socket;
    this.connection = connection;
    this.next = next;
    this.#gone = gone;
    socket.on('data', this.#heard);
    socket.once('end', this.#clientEnded);
    socket.once('close', this.#closed);
  }

  /** Somebody else listens to the socket from now on. */
  release(): void {
    this.socket.off('data', this.#heard);
    this.socket.off('end', this.#clientEnded);
    this.socket.off('close', this.#closed);
  }

  /** It has waited in vain. */
  forget(): void {
    this.next = false;
    if (this.ended) this.socket.destroy();
  }

  #closed = () => this.#gone(this);

  #heard = (bytes: Buffer) => {
    this.#size += bytes.length;
    if (this.#size > HELD_BYTES) this.socket.destroy();
    else this.typed.push(bytes);
  };

  /** A client that has asked nothing has left. */
  #clientEnded = () => {
    this.ended = true;
    if (!this.next || this.#size === 0) this.socket.destroy();
  };
}
