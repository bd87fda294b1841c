/** People for tests, with a password that takes little work, and a browser that keeps their cookie. */
import { randomBytes, scryptSync } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Role } from '../../lib/domain/ids.ts';
import type { KeyedGateway } from './keyed-gateway.ts';
import { withKeys } from './keys.ts';

export const PASSWORD = 'nine quiet owls';

/** Stored as the command line stores it, at a thirtieth of the cost. */
function stored(): string {
  const salt = randomBytes(16);
  const hash = scryptSync(PASSWORD, salt, 32, { N: 1_024, r: 8, p: 1 });
  return `scrypt$1024$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

export interface WantedPerson {
  readonly name: string;
  readonly role: Role;
  readonly units?: readonly string[];
  readonly tags?: readonly string[];
  readonly until?: string;
  /** Signed in by a proxy. */
  readonly noPassword?: true;
}

/** All have the password above. */
export async function makePeople(dataDir: string, clock: Clock, wanted: readonly WantedPerson[]): Promise<void> {
  const password = stored();
  await withKeys(
    dataDir,
    async (admin) => {
      for (const { name, role, units = null, tags = null, until = null, noPassword } of wanted)
        await admin.addPerson({
          name,
          role,
          units: tags ? [] : units,
          tags,
          until,
          password: noPassword ? null : password,
        });
    },
    clock,
  );
}

/** Asks as a page of the gateway asks: with its Origin and its cookie. */
export class FakeBrowser {
  readonly #keyed: KeyedGateway;
  cookie = '';

  constructor(keyed: KeyedGateway) {
    this.#keyed = keyed;
  }

  get origin(): string {
    return new URL(this.#keyed.gateway.baseUrl).origin;
  }

  get headers(): Record<string, string> {
    return { Origin: this.origin, ...(this.cookie !== '' && { Cookie: this.cookie }) };
  }

  signIn = (json: object, more: Record<string, string> = {}) => this.post('/_session', json, more);

  async post(path: string, json: object, more: Record<string, string> = {}) {
    const reply = await this.#keyed.post(path, json, { ...this.headers, ...more });
    const set = reply.headers.get('set-cookie') ?? '';
    if (set !== '') this.cookie = set.split(';')[0] ?? '';
    return { ...reply, set };
  }

  ask(method: string, path: string, more: Record<string, string> = {}) {
    return this.#keyed.ask(method, path, { headers: { ...this.headers, ...more } });
  }
}
