/** Calls to addresses that users enter, such as webhooks. Knows nothing of what is sent. */
import type { Duplex } from 'node:stream';

/** One POST. */
export interface OutboundCall {
  /** `http:` or `https:`, without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back. */
export interface OutboundAnswer {
  readonly status: number;
  /** Its beginning: at most 4,096 bytes; the rest is not read. */
  readonly body: string;
}

/** One POST of bytes. */
export interface BytesCall {
  /** `http:` or `https:`, without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** A longer answer is refused, bytes. */
  readonly mostBytes: number;
}

/** One GET. */
export type OutboundReading = Omit<BytesCall, 'body'>;

/** What came back, whole. */
export interface BytesAnswer {
  readonly status: number;
  /** As it was sent; empty where it is not said. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Speaks a protocol over an open connection. The connection is closed when it settles. */
export type Talk<T> = (connection: Duplex, signal: AbortSignal) => Promise<T>;

/** Calls to addresses that callers of any role enter: `https:` alone, and private networks only where `outbound_allow_networks` names them. */
export type InternetCalls = Pick<Outbound, 'check' | 'postBytes'>;

/** Calls within the policy of the settings. */
export interface Outbound {
  /** For addresses that are not entered by an admin. Errors: as `check` and `postBytes`. */
  readonly internet: InternetCalls;
  /**
   * Whether the settings let the gateway call this address now. Resolves the name. Errors: INVALID for what is no address,
   * ADDRESS_REFUSED, OUTBOUND_FAILED when the name has no address.
   */
  check(url: string, signal: AbortSignal): Promise<void>;
  /**
   * One POST: to an address that the policy allows, resolved once; what was checked is what is connected to. No redirect is
   * followed: its status is the answer. Ends after 15 s, whatever the other side does, and with the signal.
   * Errors: as `check`; OUTBOUND_FAILED when no answer came.
   */
  post(call: OutboundCall, signal: AbortSignal): Promise<OutboundAnswer>;
  /** The same for an answer that is needed whole. Errors: as `post`; OUTBOUND_FAILED when it is longer than allowed or breaks off. */
  postBytes(call: BytesCall, signal: AbortSignal): Promise<BytesAnswer>;
  /** One GET, in the same way. Errors: as `postBytes`. */
  getBytes(call: OutboundReading, signal: AbortSignal): Promise<BytesAnswer>;
  /**
   * Talks to a broker at `mqtt://HOST:PORT` or `mqtts://HOST:PORT`, with the same rules: checked, pinned, 15 s in all. The certificate is
   * checked. A far end that sends more than 64 KB is cut off. Errors: as `post`, and what `talk` rejects with, in the same words.
   */
  converse<T>(url: string, talk: Talk<T>, signal: AbortSignal): Promise<T>;
}

/** Somewhere that mail can be sent to, as an admin entered it. Its addresses are not for everybody. */
export interface MailTarget {
  readonly id: string;
  readonly enabled: boolean;
}

/** A file of a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** How far a mail to several addresses has come: the others have it. */
export interface MailReach {
  /** Addresses that the server puts off: they are tried again. */
  readonly left: readonly string[];
  /** Addresses that the server refused for good, and its words. */
  readonly refused: readonly { readonly address: string; readonly said: string }[];
}

/** A mail to one target. */
export interface TargetMail {
  /** One word; the same for each try, so that whoever gets a mail twice can see it: the `Message-ID` begins with it. */
  readonly id: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
  /** From the last try; null: no address has the mail. */
  readonly reach: MailReach | null;
}

/** The end of one try. */
export interface MailOutcome {
  /** All addresses have it. */
  readonly ok: boolean;
  /** For a person; with mail addresses, which are not for everybody. */
  readonly outcome: string;
  /** Not to be tried again, although some addresses do not have it. */
  readonly isFinal?: boolean;
  /** For the next try. Undefined: as before. */
  readonly reach?: MailReach | null;
}

/** Who sends mail, and to whom it can. */
export interface MailSender {
  target(id: string): MailTarget | undefined;
  /** Why no mail can be sent now, one sentence; undefined: it can. */
  lacks(): string | undefined;
  /** One try: `ok` when the server has taken it for all addresses. Rejects only when the signal aborts. */
  send(targetId: string, mail: TargetMail, signal: AbortSignal): Promise<MailOutcome>;
}

/** Where the sender is found. */
export interface Mails {
  /** Throws where there is one already. The disposer takes it back. */
  offer(sender: MailSender): () => void;
  /** Undefined: no plugin that runs sends mail. */
  sender(): MailSender | undefined;
}
