/**
 * A request that one instance passes on to another says where it came from. That is believed only with a proof: an HMAC (RFC 2104,
 * SHA-256) under a key that all instances of a cluster have and nobody else. A proof counts once, for one request, at one instance.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** A request, and what is said of its caller. */
export interface PassedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly address: string;
  readonly protocol: string;
  /** As the caller named the gateway. */
  readonly host: string;
  /** The caller came through a proxy that the settings trust. */
  readonly byProxy: boolean;
}

/** The instance that a request goes to. It has a new epoch after each start, so that older proofs are worth nothing. */
export interface Receiver {
  readonly id: string;
  readonly epoch: number;
}

/** What is proved of a question of one instance to another: nobody called. `url`: path and query. */
export const ofInstances = (method: string, url: string): PassedRequest => ({
  ...{ method, url },
  ...{ address: '', protocol: '', host: '', byProxy: false },
});

/** The header with the proof. */
export const PROOF_HEADER = 'slm-passed-on';

/** Whether another instance has proved that a request is its own question to `me`. A proof counts once. */
export function isOfInstance(
  passedOn: Pick<PassedOn, 'check'>,
  method: string,
  { url = '', headers }: { readonly url?: string | undefined; readonly headers: Readonly<Record<string, unknown>> },
  me: Receiver | undefined,
): boolean {
  const proof = headers[PROOF_HEADER];
  return (
    me !== undefined && typeof proof === 'string' && passedOn.check(proof, ofInstances(method, url), me) !== undefined
  );
}

/** Requests overtake each other by less than this. */
const WINDOW = 10_000;
/** Instances that have passed something on since this one joined. */
const MOST_SENDERS = 1_000;

/** Makes proofs, and checks those of others. */
export class PassedOn {
  readonly #key: Buffer;
  /** Of this process. */
  readonly #sender = randomBytes(12).toString('base64url');
  #count = 0;
  readonly #seen = new Map<string, { latest: number; readonly counts: Set<number> }>();

  /** `secret`: of the database; all its instances read it there. */
  constructor(secret: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'slm-gateway requests between instances', 32));
  }

  /** The value of the header for one request to `receiver`. */
  prove(request: PassedRequest, receiver: Receiver): string {
    this.#count += 1;
    const words = [this.#sender, String(this.#count), request.byProxy ? 'proxy' : 'direct'];
    return [...words, this.#mac(words, request, receiver)].join(' ');
  }

  /** True if another instance made this proof for this request to `me`, and it was not used before. `byProxy` is that of the proof. */
  check(proof: string, request: Omit<PassedRequest, 'byProxy'>, me: Receiver): { byProxy: boolean } | undefined {
    const [sender = '', count = '', way = '', mac = ''] = proof.split(' ');
    const byProxy = way === 'proxy';
    const expected = Buffer.from(this.#mac([sender, count, way], { ...request, byProxy }, me));
    const given = Buffer.from(mac);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return this.#isNew(sender, Number(count)) ? { byProxy } : undefined;
  }

  #mac(words: readonly string[], request: PassedRequest, { id, epoch }: Receiver): string {
    const { method, url, address, protocol, host } = request;
    const all = [...words, id, epoch, method, url, address, protocol, host];
    return createHmac('sha256', this.#key).update(JSON.stringify(all)).digest('base64url');
  }

  #isNew(sender: string, count: number): boolean {
    const known = this.#seen.get(sender) ?? { latest: 0, counts: new Set<number>() };
    if (count <= known.latest - WINDOW || known.counts.has(count)) return false;
    this.#seen.set(sender, known);
    known.counts.add(count);
    known.latest = Math.max(known.latest, count);
    if (known.counts.size > 2 * WINDOW)
      for (const old of known.counts) if (old <= known.latest - WINDOW) known.counts.delete(old);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_SENDERS && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }
}
