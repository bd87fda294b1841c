/**
 * One served connection: what was heard is executed one by one, answered in its time, and in a stream only SUB counts. Faults
 * see what comes in and what goes out; the machine never knows of them.
 */
import type { Socket } from 'node:net';
import { type Answer, refused } from './answer.ts';
import { DrdStream } from './drd.ts';
import { Ear, type Heard } from './ear.ts';
import type { Events } from './events.ts';
import type { Emission, Occasion, WireFaults } from './faults/contract.ts';
import { readLine } from './grammar.ts';
import type { Machine } from './machine.ts';
import { echoPiece, type Piece, promptPieces, promptText, replyPieces } from './mouth.ts';
import { between, type Random } from './random.ts';
import { thinkMs } from './think.ts';
import { Wire } from './wire.ts';

const SUB = '\x1a';
const FRAME_MS = 100;

/** A device that queues input has room for so many commands and drops the rest. Inferred. */
const QUEUED = 16;

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

type Line = Extract<Heard, { kind: 'line' }>;

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #socket: Socket;
  readonly connection: number;
  readonly #ear: Ear;
  readonly #wire: Wire;
  #busy = false;
  #waiting: { readonly line: Line; readonly occasion: Occasion }[] = [];
  #stream: DrdStream | null = null;
  #streamOccasion: Occasion | null = null;
  #unanswered = 0;

  constructor(parts: ConversationParts, socket: Socket, connection: number) {
    const { clock, profile } = parts.machine.parts;
    this.#parts = parts;
    this.#socket = socket;
    this.connection = connection;
    this.#ear = new Ear(profile);
    this.#wire = new Wire({
      socket,
      clock,
      linkMs: () => between(parts.random, profile.link_ms),
      wrote: (bytes) => parts.events.note({ kind: 'out', connection, bytes }),
    });
    if (profile.prompt_on_connect) this.#greet(promptText(profile));
  }

  /** Bytes came from the client. */
  receive(bytes: Uint8Array): void {
    const { events, faults, machine } = this.#parts;
    events.note({ kind: 'in', connection: this.connection, bytes });
    // Whoever does not read the answers is not heard either.
    if (machine.reach.tcp === 'silent' || this.#wire.clogged) return;
    machine.reach.stir();
    const arrived = faults.incoming(bytes, this.connection);
    if (!arrived) return;
    for (const heard of this.#ear.hear(arrived, machine.parts.clock.elapsed())) this.#take(heard);
  }

  /** Something that no command asked for. */
  interject(emissions: readonly Emission[]): void {
    if (!this.#wire.clogged) this.#wire.send(emissions);
  }

  /** Nothing more is said, and nobody is told. */
  hush(): void {
    this.#wire.send([{ afterMs: 0, act: 'silence' }]);
  }

  /** The connection is gone: nothing more is said, no timer stays. */
  end(): void {
    this.#stream?.close();
    this.#wire.close();
    this.#waiting = [];
    while (this.#unanswered > 0) this.#answered();
  }

  #greet(prompt: string): void {
    this.#wire.send(this.#disturbed([{ afterMs: 0, text: prompt }], this.#occasion(0, ''), false));
  }

  #take(heard: Heard): void {
    const text = heard.kind === 'sub' ? SUB : heard.text;
    const occasion = this.#occasion(this.#parts.nextCommand(), text);
    this.#parts.events.command(this.connection, text, heard.firstAt);
    this.#unanswered += 1;
    if (heard.kind === 'sub') this.#sub(occasion);
    else this.#line(heard, occasion);
  }

  #line(line: Line, occasion: Occasion): void {
    if (this.#stream) this.#duringStream(occasion);
    else if (this.#busy) this.#whileBusy(line, occasion);
    else this.#execute(line, occasion);
  }

  #sub(occasion: Occasion): void {
    const { profile } = this.#profile;
    if (this.#stream) {
      if (!this.#stream.finish(profile.late_frames, () => this.#endStream(occasion))) this.#answered();
    } else if (profile.sub_outside_stream === 'prompt') {
      this.#say(occasion, promptPieces(profile), () => this.#answered());
    } else {
      this.#answered();
    }
  }

  #endStream(occasion: Occasion): void {
    this.#stream = null;
    this.#busy = true;
    this.#say(occasion, promptPieces(this.#profile.profile), () => {
      // Two are answered: DRD? itself and SUB.
      this.#answered();
      this.#answered();
      this.#next();
    });
  }

  #duringStream(occasion: Occasion): void {
    if (this.#profile.profile.stream_input === 'refused') this.#refuse(occasion);
    else this.#answered();
  }

  /** A command that does not wait for the prompt: refused, not taken, or "talking over" the reply of the one before. */
  #whileBusy(line: Line, occasion: Occasion): void {
    const habit = this.#profile.profile.busy_input;
    if (habit === 'refused') this.#refuse(occasion);
    else if (habit === 'queued' && this.#waiting.length < QUEUED) this.#waiting.push({ line, occasion });
    else this.#answered();
  }

  #refuse(occasion: Occasion): void {
    const { profile } = this.#profile;
    this.#say(occasion, [...replyPieces('R+0004', undefined, profile), ...promptPieces(profile)], () =>
      this.#answered(),
    );
  }

  #execute(line: Line, occasion: Occasion): void {
    const { machine } = this.#parts;
    const { profile } = this.#profile;
    this.#busy = true;
    const echo = machine.settings.isOn('Echo') ? [echoPiece(line.text)] : [];
    if (line.text === '' && !line.spoilt && profile.empty_line !== 'R+0001') {
      this.#executeNothing(occasion);
      return;
    }
    const answer = this.#decide(line, occasion);
    const [first, ...rest] = replyPieces(answer.result, answer.data, profile);
    const thought = { text: first?.text ?? '', afterMs: thinkMs(answer.work, profile, this.#parts.random) };
    const prompt = answer.stream ? [] : promptPieces(profile);
    this.#say(occasion, [...echo, thought, ...rest, ...prompt], () => this.#executed(answer, occasion));
  }

  #decide(line: Line, occasion: Occasion): Answer {
    const disturbed = this.#parts.faults.refusal(occasion);
    if (disturbed) return refused(disturbed);
    const request = line.spoilt ? 'R+0001' : readLine(line.text, this.#profile.profile);
    return typeof request === 'string' ? refused(request) : this.#parts.machine.answer(request);
  }

  #executeNothing(occasion: Occasion): void {
    const { profile } = this.#profile;
    const pieces = profile.empty_line === 'prompt' ? promptPieces(profile) : [];
    this.#say(occasion, pieces, () => {
      this.#answered();
      this.#next();
    });
  }

  #executed(answer: Answer, occasion: Occasion): void {
    if (answer.stream) {
      this.#startStream(answer.stream === 'status', occasion);
      return;
    }
    this.#answered();
    if (answer.cuts) {
      this.#socket.destroySoon();
      this.#parts.cut();
    }
    this.#next();
  }

  #startStream(status: boolean, occasion: Occasion): void {
    const { machine } = this.#parts;
    this.#streamOccasion = occasion;
    this.#stream = new DrdStream({
      clock: machine.parts.clock,
      machine,
      status,
      frame: (line, number) => this.#frame(line, number),
    });
    this.#next();
  }

  #frame(line: string, number: number): void {
    const occasion = this.#streamOccasion;
    if (!occasion || this.#wire.clogged) return;
    const bunch = Math.max(1, this.#profile.profile.frames_bunched);
    const afterMs = (bunch - 1 - ((number - 1) % bunch)) * FRAME_MS;
    this.#wire.send(this.#disturbed([{ afterMs, text: `${line}\r\n` }], occasion, true));
  }

  #next(): void {
    this.#busy = false;
    const next = this.#waiting.shift();
    if (next) this.#line(next.line, next.occasion);
    if (next && this.#stream) this.#next();
  }

  #say(occasion: Occasion, pieces: readonly Piece[], gone: () => void): void {
    this.#wire.send(this.#disturbed(pieces, occasion, false), () => {
      const text = pieces.map((piece) => piece.text).join('');
      if (text) this.#parts.events.note({ kind: 'reply', connection: this.connection, text });
      gone();
    });
  }

  #disturbed(pieces: readonly Piece[], occasion: Occasion, frame: boolean): readonly Emission[] {
    const emissions = pieces.map(({ afterMs, text }) => ({ afterMs, bytes: Buffer.from(text, 'latin1') }));
    return this.#parts.faults.outgoing(emissions, occasion, frame);
  }

  #occasion(command: number, text: string): Occasion {
    return { command, text, connection: this.connection, random: this.#parts.random };
  }

  #answered(): void {
    if (this.#unanswered === 0) return;
    this.#unanswered -= 1;
    this.#parts.events.answered();
  }

  get #profile() {
    return this.#parts.machine.parts;
  }
}
