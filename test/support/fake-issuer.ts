/** An issuer (OpenID Connect) whose answers the test makes, right or wrong. Sign-in needs no page. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { send } from './send.ts';

interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const newKey = (): Key => ({
  kid: randomBytes(4).toString('hex'),
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }),
});

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** To make one is most of the work of an issuer: all begin with this one. */
const FIRST_KEY = newKey();

export class FakeIssuer {
  url = '';
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  /** Of the person who signs in. */
  claims: Record<string, unknown> = { preferred_username: 'anna', groups: ['acoustics'] };
  /** In place of each token. */
  tokenError: string | undefined;
  /** In place of what a right ID token would have. */
  wrong: Record<string, unknown> = {};
  /** Added to what it says of itself. */
  metadata: Record<string, unknown> = {};
  userinfo: Record<string, unknown> = {};
  alg = 'RS256';
  isDown = false;
  key = FIRST_KEY;
  /** Signs with it, and does not publish it. */
  foreignKey: Key | undefined;
  readonly #codes = new Map<string, { nonce: string; challenge: string; redirect: string }>();

  rotate(): void {
    this.key = newKey();
  }

  forge(): void {
    this.foreignKey = { ...newKey(), kid: this.key.kid };
  }

  /** The query that the browser brings back after somebody has signed in at this address. */
  confirm(address: string): URLSearchParams {
    const { searchParams: query } = new URL(address);
    const code = randomBytes(8).toString('hex');
    this.#codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
      redirect: query.get('redirect_uri') ?? '',
    });
    return new URLSearchParams({ code, state: query.get('state') ?? '', iss: this.url });
  }

  answer(path: string, body: URLSearchParams): [number, object] {
    this.asked.push(path);
    if (this.isDown) return [503, {}];
    if (path.endsWith('/openid-configuration')) return [200, this.#described()];
    if (path === '/jwks') {
      const jwk = this.key.publicKey.export({ format: 'jwk' });
      return [200, { keys: [{ ...jwk, kid: this.key.kid, alg: 'RS256', use: 'sig' }] }];
    }
    if (path === '/userinfo') return [200, { sub: 'subject-1', ...this.userinfo }];
    if (path === '/token') return this.#token(body);
    return [404, {}];
  }

  #described(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      end_session_endpoint: `${this.url}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      userinfo_endpoint: `${this.url}/userinfo`,
      ...this.metadata,
    };
  }

  #token(body: URLSearchParams): [number, object] {
    const code = body.get('code') ?? '';
    const begun = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (!begun || begun.challenge !== challenge || begun.redirect !== body.get('redirect_uri'))
      return [400, { error: 'invalid_grant' }];
    if (this.tokenError !== undefined) return [400, { error: this.tokenError }];
    return [
      200,
      { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: this.#idToken(begun.nonce) },
    ];
  }

  #idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.url, sub: 'subject-1', aud: 'gateway', iat: now, exp: now + 300, nonce };
    const { kid, privateKey } = this.foreignKey ?? this.key;
    const text = `${base64({ alg: this.alg, kid })}.${base64({ ...usual, ...this.claims, ...this.wrong })}`;
    if (this.alg === 'none') return `${text}.`;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey).toString('base64url')}`;
  }
}

/** On loopback, until the test ends. */
export async function openIssuer(t: Test): Promise<FakeIssuer> {
  const issuer = new FakeIssuer();
  const server = createServer(async (request, response) => {
    const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const [status, answer] = issuer.answer(new URL(request.url ?? '/', 'http://x').pathname, body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return issuer;
}

/** Signs in as a browser would, with cookies from `/sign-in` and the callback. Returns the session cookie; throws without one. */
export async function signInByIssuer(origin: string, issuer: FakeIssuer, claims: object): Promise<string> {
  Object.assign(issuer, { claims });
  const pairs = (answer: { headers: Headers }) => answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const begun = await send(new URL('/sign-in', origin), { method: 'GET' });
  const query = issuer.confirm(begun.headers.get('location') ?? '');
  const Cookie = pairs(begun).join('; ');
  const ended = await send(new URL(`/sign-in/callback?${query}`, origin), { method: 'GET', headers: { Cookie } });
  const session = pairs(ended).find((pair) => pair.includes('slm_session='));
  if (!session) throw new Error(`nobody is signed in: ${ended.status} ${ended.text}`);
  return session;
}
