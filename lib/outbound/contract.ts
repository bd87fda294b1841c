/** Calls to addresses that users enter, such as webhooks. Knows nothing about the content. */
import type { Duplex } from 'node:stream';

/** One POST. */
export interface OutboundCall {
  /** `http:` or `https:`, without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answer of a call. */
export interface OutboundAnswer {
  readonly status: number;
  /** Beginning of the answer: at most 4,096 bytes; the rest is not read. */
  readonly body: string;
}

/** One POST of bytes. */
export interface BytesCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** A longer answer is refused, bytes. */
  readonly mostBytes: number;
}

/** One GET. */
export type OutboundReading = Omit<BytesCall, 'body'>;

/** The complete answer. */
export interface BytesAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Uses a protocol on an open connection. The connection is closed when it settles. */
export type Talk<T> = (connection: Duplex, signal: AbortSignal) => Promise<T>;

/** Calls to addresses that callers of any role enter: only `https:`, and private networks only if `outbound_allow_networks` names them. */
export type InternetCalls = Pick<Outbound, 'check' | 'postBytes'>;

/** Calls within the policy of the settings. */
export interface Outbound {
  /** For addresses that an admin did not enter. Errors: as `check` and `postBytes`. */
  readonly internet: InternetCalls;
  /**
   * Checks whether the settings let the gateway call this address now. Resolves the name. Errors: INVALID for a text
   * that is not an address, ADDRESS_REFUSED, OUTBOUND_FAILED when the name has no address.
   */
  check(url: string, signal: AbortSignal): Promise<void>;
  /**
   * One POST to an address that the policy allows. The name is resolved once, and the connection uses the checked
   * addresses. Redirects are not followed: their status is the answer. Ends after 15 s, whatever the other side does,
   * and with the signal. Errors: as `check`; OUTBOUND_FAILED without an answer.
   */
  post(call: OutboundCall, signal: AbortSignal): Promise<OutboundAnswer>;
  /** The same with the complete answer. Errors: as `post`; OUTBOUND_FAILED when the answer is too long or breaks off. */
  postBytes(call: BytesCall, signal: AbortSignal): Promise<BytesAnswer>;
  /** One GET, in the same way. Errors: as `postBytes`. */
  getBytes(call: OutboundReading, signal: AbortSignal): Promise<BytesAnswer>;
  /**
   * Talks to a broker at `mqtt://HOST:PORT` or `mqtts://HOST:PORT`, with the same rules: checked, pinned, 15 s in all.
   * The certificate is checked. A broker that sends more than 64 KB is cut off. Errors: as `post`, and rejections of
   * `talk`, in the same words.
   */
  converse<T>(url: string, talk: Talk<T>, signal: AbortSignal): Promise<T>;
}

/** Recipients of mail, as an admin entered them. The addresses are not public. */
interface MailTarget {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly to: readonly string[];
}

/** A file of a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Progress of a mail to several addresses: the other addresses have the mail. */
export interface MailReach {
  /** Addresses that the server delays: they are tried again. */
  readonly left: readonly string[];
  /** Addresses that the server refused for good, with its words. */
  readonly refused: readonly { readonly address: string; readonly said: string }[];
}

/** A mail to one target. */
export interface TargetMail {
  /** One word, the same for each attempt: the `Message-ID` begins with it, so that a recipient can notice a duplicate. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
  /** From the last attempt; null: no address has the mail. */
  readonly reach: MailReach | null;
}

/** Result of one attempt. */
export interface MailOutcome {
  readonly ok: boolean;
  /** For a person. It has mail addresses, which are not public. */
  readonly outcome: string;
  /** The mail must not be tried again, although some addresses do not have it. */
  readonly isFinal?: boolean;
  /** For the next try. Undefined: as before. */
  readonly reach?: MailReach | null;
}

/** Sends mail to targets. */
export interface MailSender {
  target(id: string): MailTarget | undefined;
  /** Why no mail can be sent now, one sentence; undefined: mail can be sent. */
  lacks(): string | undefined;
  /** One attempt: `ok` when the server has taken it for all addresses. Rejects only when the signal aborts. */
  send(targetId: string, mail: TargetMail, signal: AbortSignal): Promise<MailOutcome>;
}

/** Registry of the mail sender. */
export interface Mails {
  /** Throws if a sender is already registered. The disposer removes the sender. */
  offer(sender: MailSender): () => void;
  /** Undefined: no running plugin sends mail. */
  sender(): MailSender | undefined;
}
