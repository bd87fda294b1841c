/** The FTP control connection of basic-ftp. It adds whole lines, a limit, a check of sent commands, and a count of bytes. */
import { Client, FTPContext } from 'basic-ftp';
import { masked, meterText } from '../domain/outside-text.ts';
import type { WireListener } from '../events/contract.ts';
import type { Traffic } from './contract.ts';
import { bytesOfName, type NameCoding, readNames } from './names.ts';

const LONGEST_REPLY = 65_536;
const LINE_END = 2;
const LOGIN = /^(USER|PASS|ACCT) /i;

/** The last check before the FTP server of the meter: one command is one line, of any letters. */
export function requireOneLine(command: string): void {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(command) || !command.isWellFormed())
    throw new Error(`not an FTP command line: ${command.slice(0, 4)}...`);
}

/** basic-ftp 6.2 loses a reply whose first bytes (`22`) and rest (`6 Transfer complete`) come in two chunks. */
class WholeLines extends FTPContext {
  traffic: Traffic = { sessions: 0, bytesSent: 0, bytesReceived: 0 };
  wire: () => WireListener | undefined = () => undefined;
  /** Some servers repeat the password; empty: it is not secret. */
  password = '';
  coding: NameCoding = 'utf-8';
  #held = '';
  /** Characters since the last command: complete lines that answer nothing count, too, even empty ones. */
  #heard = 0;
  #left = false;
  #isLogin = false;

  override reset(): void {
    this.#held = '';
    this.#heard = 0;
    super.reset();
    this.#left = false;
  }

  /** The library sends QUIT again at every close, also to a meter that has already closed. */
  override send(command: string): void {
    requireOneLine(command);
    if (command === 'QUIT' && this.#left) return;
    this.#left = command === 'QUIT';
    this.#heard = 0;
    const bytes = bytesOfName(command, this.coding) ?? Buffer.from(command);
    this.traffic.bytesSent += bytes.length + LINE_END;
    this.#isLogin = LOGIN.test(command);
    const text = this.#isLogin ? `${command.slice(0, 4)} ****` : command;
    this.wire()?.({ port: 'ftp', direction: 'sent', text });
    // The library writes the letters unchanged, one byte each.
    super.send(bytes.toString('latin1'));
  }

  protected override _onControlSocketData(chunk: string): void {
    this.traffic.bytesReceived += chunk.length;
    this.#heard += chunk.length;
    const text = this.#held + chunk;
    const end = text.lastIndexOf('\n') + 1;
    this.#held = text.slice(end);
    if (this.#heard > LONGEST_REPLY) this.closeWithError(new Error('a reply without an end'));
    else if (end > 0) {
      const lines = meterText(readNames(Buffer.from(text.slice(0, end), 'latin1')).text);
      this.#tell(lines);
      super._onControlSocketData(lines);
    }
  }

  /** A server may repeat the name of the user: so only the code of an answer to the login is traced. */
  #tell(lines: string): void {
    const hear = this.wire();
    if (!hear) return;
    for (const line of lines.split(/\r?\n/)) {
      if (line === '') continue;
      const text = this.#isLogin ? `${line.slice(0, 3)} ****` : masked(line, this.password);
      hear({ port: 'ftp', direction: 'received', text });
    }
  }
}

/** The parts of basic-ftp that the session uses. */
export class LineClient extends Client {
  // Session and transfer have time limits of their own. The limit of the library would count the silence of the control
  // connection during a transfer.
  override readonly ftp = new WholeLines(0, 'latin1');

  constructor(traffic: Traffic, wire: () => WireListener | undefined, password: string) {
    super(0);
    this.ftp.traffic = traffic;
    this.ftp.wire = wire;
    this.ftp.password = password;
  }
}
