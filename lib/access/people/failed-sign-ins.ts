/**
 * Failed sign-ins in the audit log: only the first per address and minute, so that nobody can fill the disk. The log
 * counts all of them.
 */
import type { AuditWriter } from '../../audit/contract.ts';
import type { Clock } from '../../clock.ts';
import type { GatewayError } from '../../errors.ts';
import { ANYBODY } from '../../http/access.ts';
import { addressPrefix } from '../../http/networks.ts';

const MINUTE_MS = 60_000;
/** Records a minute, of all addresses. */
const MOST = 100;

/** Hands failed sign-ins to the audit log. */
export class FailedSignIns {
  readonly #audit: AuditWriter;
  readonly #clock: Clock;
  readonly #seen = new Set<string>();
  #minute = Number.NEGATIVE_INFINITY;

  constructor(audit: AuditWriter, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /** `name`: of a person that is known here, or whom an issuer names. */
  add(address: string, name: string | undefined, { status, code, message }: GatewayError): void {
    const prefix = addressPrefix(address);
    if (this.#clock.elapsed() - this.#minute >= MINUTE_MS) {
      this.#minute = this.#clock.elapsed();
      this.#seen.clear();
    }
    if (this.#seen.has(prefix) || this.#seen.size >= MOST) return;
    this.#seen.add(prefix);
    void this.#audit.add({
      request: '',
      who: name ?? ANYBODY,
      keyId: null,
      role: 'viewer',
      address,
      method: 'POST',
      route: '/_session',
      unitId: '',
      params: undefined,
      body: undefined,
      before: undefined,
      status,
      code,
      answer: message,
    });
  }
}
