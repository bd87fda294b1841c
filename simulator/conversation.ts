/**
 * One served connection: what was heard is executed one by one, answered in its time, and in a stream only SUB counts. Where the
 * client has ended its side, what it asked is still answered. Faults see what comes in and what goes out; the machine never knows
 * of them.
 */
import type { Socket } from 'node:net';
import { type Answer, refusal, responseMs } from './answer.ts';
import { DrdStream } from './drd.ts';
import type { Events } from './events.ts';
import type { CommandContext, Emission, WireFaults } from './faults/contract.ts';
import { readLine } from './grammar.ts';
import type { Machine } from './machine.ts';
import { between, type Random } from './random.ts';
import { answerPieces, echoPiece, type Piece, promptPieces, promptText } from './reply-writer.ts';
import { type ReceivedLine, RequestReader } from './request-reader.ts';
import { execute } from './requests.ts';
import { TimedOutput } from './timed-output.ts';

const SUB = '\x1a';
/** A device that queues input has room for this many commands and drops the others. Inferred. */
const QUEUED = 16;
/** A client that has ended its side is answered for this long: the meter finishes its answers within 3 s (VM p.150). ms */
const FINISH_MS = 3_000;
export interface ConversationParts {
  readonly machine: Machine;
  readonly events: Events;
  readonly faults: WireFaults;
  readonly random: Random;
  /** Number of the next command since power-on, from 1. */
  nextCommand(): number;
  /** A setting was changed that may end this connection and others. */
  cut(): void;
}

type Line = Extract<ReceivedLine, { kind: 'line' }>;

interface Queued {
  readonly heard: ReceivedLine;
  readonly context: CommandContext;
}

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #socket: Socket;
  readonly connection: number;
  readonly #reader: RequestReader;
  readonly #output: TimedOutput;
  #busy = false;
  #waiting: Queued[] = [];
  #stream: DrdStream | null = null;
  /** From a request for a stream until the stream. SUB in that time ends it before its first frame. */
  #opening: { sub: CommandContext | null } | null = null;
  #streamContext: CommandContext | null = null;
  #unanswered = 0;
  #finishing = false;
  #cancelFinish = () => {};

  constructor(parts: ConversationParts, socket: Socket, connection: number) {
    const { clock, profile } = parts.machine.parts;
    this.#parts = parts;
    this.#socket = socket;
    this.connection = connection;
    this.#reader = new RequestReader(profile);
    this.#output = new TimedOutput({
      socket,
      clock,
      linkMs: () => between(parts.random, profile.link_ms),
      wrote: (bytes) => parts.events.note({ kind: 'out', connection, bytes }),
    });
    if (profile.prompt_on_connect) this.#greet(promptText(profile));
  }

  receive(bytes: Uint8Array): void {
    const { events, faults, machine } = this.#parts;
    events.note({ kind: 'in', connection: this.connection, bytes });
    // A client that does not read its answers is not heard either.
    if (machine.network.tcp === 'silent' || this.#output.clogged) return;
    machine.network.noteActivity();
    const arrived = faults.incoming(bytes, this.connection);
    if (!arrived) return;
    for (const heard of this.#reader.take(arrived, machine.parts.clock.elapsed())) this.#take(heard);
  }

  sayUnasked(emissions: readonly Emission[]): void {
    if (!this.#output.clogged) this.#output.send(emissions);
  }

  fallSilent(): void {
    this.#output.send([{ afterMs: 0, act: 'silence' }]);
  }

  /** The client has ended its side. Its questions are answered; then the socket is closed. A stream ends: no SUB can come. */
  finish(): void {
    this.#finishing = true;
    // The rest that it owes the meter begins with its end: what still leaves may reach nobody.
    for (let left = this.#unanswered; left > 0; left--) this.#parts.events.answered();
    this.#cancelFinish = this.#parts.machine.parts.clock.after(FINISH_MS, () => this.#socket.destroy());
    if (this.#stream && !this.#stream.ending) this.#dropStream();
    this.#closeWhenAnswered();
  }

  /** The connection is gone: nothing more is sent, no timer stays. */
  end(): void {
    this.#cancelFinish();
    this.#stream?.close();
    this.#output.close();
    this.#waiting = [];
    while (this.#unanswered > 0) this.#answered();
    this.#finishing = false;
  }

  #greet(prompt: string): void {
    this.#output.send(this.#disturbed([{ afterMs: 0, text: prompt }], this.#context(0, ''), false));
  }

  #take(heard: ReceivedLine): void {
    const text = heard.kind === 'sub' ? SUB : heard.text;
    const context = this.#context(this.#parts.nextCommand(), text);
    this.#parts.events.command(this.connection, text, heard.firstAt);
    this.#unanswered += 1;
    this.#dispatch({ heard, context });
  }

  #dispatch({ heard, context }: Queued): void {
    if (heard.kind === 'sub') this.#sub(context);
    else this.#line(heard, context);
  }

  #line(line: Line, context: CommandContext): void {
    const rule = this.#profile.profile.stream_input;
    if (this.#stream && rule === 'refused') this.#refuse(context);
    else if (this.#stream) this.#answered();
    else if (this.#busy) this.#whileBusy(line, context);
    else this.#execute(line, context);
  }

  #sub(context: CommandContext): void {
    const { profile } = this.#profile;
    if (this.#stream) {
      if (!this.#stream.finish(profile.late_frames, () => this.#endStream(context))) this.#answered();
    } else if (this.#opening) {
      if (this.#opening.sub) this.#answered();
      else this.#opening.sub = context;
    } else if (this.#waiting.length > 0 && this.#waiting.length < QUEUED) {
      this.#waiting.push({ heard: { kind: 'sub', firstAt: 0 }, context });
    } else if (profile.sub_outside_stream === 'prompt') {
      this.#say(context, promptPieces(profile), () => this.#answered());
    } else {
      this.#answered();
    }
  }

  #endStream(context: CommandContext): void {
    this.#stream = null;
    this.#busy = true;
    this.#say(context, promptPieces(this.#profile.profile), () => {
      // Two are answered: DRD? itself and SUB.
      this.#answered();
      this.#answered();
      this.#next();
    });
  }

  /** A command that does not wait for the prompt. An empty line is not a command: the second LF of CR LF LF asks for nothing. */
  #whileBusy(line: Line, context: CommandContext): void {
    const rule = this.#profile.profile.busy_input;
    if (line.text === '' && !line.spoilt) this.#answered();
    else if (rule === 'refused') this.#refuse(context);
    else if (rule === 'queued' && this.#waiting.length < QUEUED) this.#waiting.push({ heard: line, context });
    else this.#answered();
  }

  #refuse(context: CommandContext): void {
    const { profile } = this.#profile;
    this.#say(context, answerPieces(refusal('R+0004'), 0, profile), () => this.#answered());
  }

  #execute(line: Line, context: CommandContext): void {
    const { machine } = this.#parts;
    const { profile } = this.#profile;
    this.#busy = true;
    const echo = machine.settings.isOn('Echo') ? [echoPiece(line.text)] : [];
    if (line.text === '' && !line.spoilt && profile.empty_line !== 'R+0001') {
      this.#executeNothing(context);
      return;
    }
    const answer = this.#decide(line, context);
    const thinkMs = responseMs(answer.work, profile, this.#parts.random);
    if (answer.stream) this.#opening = { sub: null };
    this.#say(context, [...echo, ...answerPieces(answer, thinkMs, profile)], () => this.#executed(answer, context));
  }

  #decide(line: Line, context: CommandContext): Answer {
    const disturbed = this.#parts.faults.refusal(context);
    if (disturbed) return refusal(disturbed);
    const command = line.spoilt ? 'R+0001' : readLine(line.text, this.#profile.profile);
    return typeof command === 'string' ? refusal(command) : execute(this.#parts.machine, command);
  }

  #executeNothing(context: CommandContext): void {
    const { profile } = this.#profile;
    const pieces = profile.empty_line === 'prompt' ? promptPieces(profile) : [];
    this.#say(context, pieces, () => {
      this.#answered();
      this.#next();
    });
  }

  #executed(answer: Answer, context: CommandContext): void {
    if (answer.stream) {
      this.#startStream(answer.stream === 'status', context);
      return;
    }
    this.#answered();
    if (answer.cuts) {
      this.#socket.destroySoon();
      this.#parts.cut();
    }
    this.#next();
  }

  #startStream(status: boolean, context: CommandContext): void {
    const { machine } = this.#parts;
    const sub = this.#opening?.sub;
    this.#opening = null;
    if (sub) {
      this.#endStream(sub);
      return;
    }
    this.#streamContext = context;
    this.#stream = new DrdStream({
      clock: machine.parts.clock,
      machine,
      status,
      frame: (line, afterMs) => this.#frame(line, afterMs),
    });
    if (this.#finishing) this.#dropStream();
    this.#next();
  }

  #dropStream(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#answered();
  }

  #frame(line: string, afterMs: number): void {
    const context = this.#streamContext;
    if (!context || this.#output.clogged) return;
    this.#output.send(this.#disturbed([{ afterMs, text: `${line}\r\n` }], context, true));
  }

  #next(): void {
    this.#busy = false;
    while (!this.#busy) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#dispatch(next);
    }
  }

  #say(context: CommandContext, pieces: readonly Piece[], gone: () => void): void {
    this.#output.send(this.#disturbed(pieces, context, false), () => {
      const text = pieces.map((piece) => piece.text).join('');
      if (text) this.#parts.events.note({ kind: 'reply', connection: this.connection, text });
      gone();
    });
  }

  #disturbed(pieces: readonly Piece[], context: CommandContext, frame: boolean): readonly Emission[] {
    const emissions = pieces.map(({ afterMs, text }) => ({ afterMs, bytes: Buffer.from(text, 'latin1') }));
    return this.#parts.faults.outgoing(emissions, context, frame);
  }

  #context(command: number, text: string): CommandContext {
    return { command, text, connection: this.connection, random: this.#parts.random };
  }

  #answered(): void {
    if (this.#unanswered === 0) return;
    this.#unanswered -= 1;
    if (!this.#finishing) this.#parts.events.answered();
    this.#closeWhenAnswered();
  }

  #closeWhenAnswered(): void {
    if (this.#finishing && this.#unanswered === 0) this.#output.whenEmpty(() => this.#socket.destroySoon());
  }

  get #profile() {
    return this.#parts.machine.parts;
  }
}
