/**
 * Talks to the issuer: authorization code with PKCE (RFC 7636), state, nonce and the issuer's own name in its answer
 * (RFC 9207). `openid-client` checks signatures, times and audience of ID tokens; it is loaded when it is needed. All calls
 * go through the policy for outside addresses.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type * as client from 'openid-client';
import { BoundedMap, type IssuerPerson, isTag, isUnitId, ROLES, withoutSecret } from '../../lib/built-in.ts';
import { type Clock, GatewayError, type Host, isGatewayError, messageOf } from '../../lib/index.ts';
import { isThisComputer, type PeopleSettings, secretOf } from './settings.ts';

interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the browser goes then, relative to the root of the gateway. */
  readonly to: string;
}

const LIFETIME_MS = 600_000;
/** The issuer accepts a code once, so reaching this limit does no harm. */
const MOST_USED = 10_000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Sign-ins that have begun. Their state is in an encrypted cookie of the browser, not in the memory of the gateway.
 * However many sign-ins begin, none is lost. A sign-in is valid for ten minutes and can be ended once.
 *
 * Encrypts and decrypts the cookies. The key lives as long as the process: after a restart a person begins again.
 */
export class BegunSignIns {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #used = new BoundedMap<true>(MOST_USED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  seal(signIn: BegunSignIn): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const text = JSON.stringify({ ...signIn, until: this.#clock.elapsed() + LIFETIME_MS });
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined: the sign-in was not begun in this browser, has expired, or was used. */
  take(cookie: string | undefined): BegunSignIn | undefined {
    const opened = cookie === undefined ? undefined : this.#open(Buffer.from(cookie, 'base64url'));
    if (!opened || this.#clock.elapsed() >= opened.until || this.#used.get(opened.state)) return undefined;
    this.#used.set(opened.state, true);
    return opened;
  }

  #open(sealed: Buffer): (BegunSignIn & { readonly until: number }) | undefined {
    if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, end)), decipher.final()]).toString('utf8');
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}

export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 100;
const MOST_UNITS = 10_000;
const ALL = '*';

/** Errors: SIGN_IN_REFUSED, which names the missing claim. */
export function personIn(claims: Claims, settings: PeopleSettings): IssuerPerson {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') throw refused('The issuer does not say whom it has signed in.');
  return { subject: sub, name: nameIn(claims, settings.name_claim), rights: rightsIn(claims, settings) };
}

/** Otherwise the user information of the issuer may have the missing claims. */
const isComplete = (claims: Claims, { name_claim, role_claim, units_claim, tags_claim }: PeopleSettings): boolean =>
  [name_claim, role_claim, units_claim, tags_claim].every((name) => name === '' || claimOf(claims, name) !== undefined);

function nameIn(claims: Claims, claim: string): string {
  const value = claimOf(claims, claim);
  const name = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : '';
  if (name === '') throw refused(`The issuer says no name: the claim ${claim} is missing.`);
  if (claim === 'email' && claims.email_verified === false)
    throw refused('The issuer has not checked the mail address of this person.');
  return [...name].slice(0, LONGEST_NAME).join('');
}

function rightsIn(claims: Claims, settings: PeopleSettings): IssuerPerson['rights'] {
  const { role_claim, roles, units_claim, tags_claim } = settings;
  if (role_claim === '') return undefined;
  const given = listOf(claimOf(claims, role_claim));
  // The roles are ordered, the lowest first.
  const role = ROLES.toReversed().find((one) => roles[one]?.some((value) => given.includes(value)));
  if (!role) throw refused(`Nothing in the claim ${role_claim} gives a role here.`);
  const tags = tags_claim === '' ? null : namesIn(claims, tags_claim, 'tag', isTag);
  if (tags) return { role, units: [], tags };
  return { role, units: units_claim === '' ? null : namesIn(claims, units_claim, 'unit', isUnitId), tags };
}

/** Units or tags. Null: all units. A missing list does not mean all units. */
function namesIn(claims: Claims, claim: string, what: string, isName: (text: string) => boolean) {
  const value = claimOf(claims, claim);
  const named = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : listOf(value);
  if (named.includes(ALL)) return null;
  const names = [...new Set(named)].filter(isName).slice(0, MOST_UNITS);
  if (names.length === 0) throw refused(`The claim ${claim} names no ${what}.`);
  return names;
}

/** Looks for the whole name, then follows its dots. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = Object.entries(found).find(([key]) => key === part)?.[1];
  }
  return found;
}

const listOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

const refused = (detail: string): GatewayError => new GatewayError('SIGN_IN_REFUSED', detail);

const METADATA_MS = 3_600_000;
const MOST_BYTES = 262_144;
/** The clocks of two computers may differ by this much. */
const TOLERANCE_S = 60;

type Library = typeof client;

interface Confirmed {
  readonly claims: Claims;
  readonly idToken: string;
}

/** One issuer. Errors of all calls: ISSUER_FAILED, ADDRESS_REFUSED. */
export class Issuer {
  readonly #host: Host<PeopleSettings>;
  readonly #secret: string | undefined;
  #metadata: { readonly is: client.ServerMetadata; readonly until: number } | undefined;
  #asking: Promise<client.ServerMetadata> | undefined;
  #isWell = true;

  constructor(host: Host<PeopleSettings>) {
    this.#host = host;
    this.#secret = secretOf(host.settings);
  }

  get isWell(): boolean {
    return this.#isWell;
  }

  async look(): Promise<void> {
    await this.#configuration(await library());
  }

  /** The values in `signIn` must come back. */
  async begin(callback: string, to: string): Promise<{ readonly address: string; readonly signIn: BegunSignIn }> {
    const oidc = await library();
    const configuration = await this.#configuration(oidc);
    const verifier = oidc.randomPKCECodeVerifier();
    const signIn = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, to };
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: this.#host.settings.scopes,
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, signIn };
  }

  /** `callback`: the address to which the browser came back, `query`: its query. Errors: SIGN_IN_FAILED. */
  async confirm({ state, nonce, verifier }: BegunSignIn, callback: string, query: string): Promise<Confirmed> {
    if (new URLSearchParams(query).get('state') !== state)
      throw new GatewayError('SIGN_IN_FAILED', 'This is the answer to another sign-in.');
    const oidc = await library();
    const configuration = await this.#configuration(oidc);
    const came = new URL(callback);
    came.search = query;
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(configuration, came, checks);
      const claims: Claims = tokens.claims() ?? {};
      const idToken = tokens.id_token ?? '';
      const { userinfo_endpoint } = configuration.serverMetadata();
      if (isComplete(claims, this.#host.settings) || userinfo_endpoint === undefined) return { claims, idToken };
      const more = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
      return { claims: { ...more, ...claims }, idToken };
    } catch (error) {
      throw this.#worded(oidc, error);
    }
  }

  /** The address where a browser signs out at the issuer; undefined: the issuer has none. From memory. */
  signOutAddress(idToken: string | undefined, back: string): string | undefined {
    const end = this.#metadata?.is.end_session_endpoint;
    if (end === undefined) return undefined;
    const address = new URL(end);
    address.searchParams.set('client_id', this.#host.settings.client_id);
    address.searchParams.set('post_logout_redirect_uri', back);
    if (idToken !== undefined) address.searchParams.set('id_token_hint', idToken);
    return address.href;
  }

  /** A configuration for each sign-in, which reads the issuer's keys: they may have changed. */
  async #configuration(oidc: Library): Promise<client.Configuration> {
    const metadata = await this.#described(oidc);
    const { client_id } = this.#host.settings;
    const tolerance = { [oidc.clockTolerance]: TOLERANCE_S };
    const configuration = new oidc.Configuration(metadata, client_id, tolerance, this.#login(oidc));
    configuration[oidc.customFetch] = this.#fetch;
    if (this.#isHere) oidc.allowInsecureRequests(configuration);
    // The signature is checked even for a token that came by TLS.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** Callers at the same time share one answer. */
  #described(oidc: Library): Promise<client.ServerMetadata> {
    if (this.#metadata && this.#host.clock.elapsed() < this.#metadata.until) return Promise.resolve(this.#metadata.is);
    this.#asking ??= this.#ask(oidc).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(oidc: Library): Promise<client.ServerMetadata> {
    const { clock, settings } = this.#host;
    try {
      const found = await oidc.discovery(new URL(settings.issuer), settings.client_id, {}, oidc.None(), {
        [oidc.customFetch]: this.#fetch,
        ...(this.#isHere && { execute: [oidc.allowInsecureRequests] }),
      });
      const is = found.serverMetadata();
      this.#metadata = { is, until: clock.elapsed() + METADATA_MS };
      this.#isWell = true;
      return is;
    } catch (error) {
      this.#isWell = false;
      const worded = this.#worded(oidc, error);
      // If the issuer does not answer, its older metadata are used.
      if (this.#metadata) return this.#metadata.is;
      throw worded;
    }
  }

  get #isHere(): boolean {
    return isThisComputer(this.#host.settings.issuer);
  }

  #login(oidc: Library): client.ClientAuth {
    const secret = this.#secret;
    if (secret === undefined) return oidc.None();
    return (server, ...rest) => {
      // An issuer that names no method accepts this one (OpenID Connect Discovery, 3).
      const takes = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const login = takes.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
      return login(secret)(server, ...rest);
    };
  }

  readonly #fetch: client.CustomFetch = async (url, { method, headers, body }) => {
    const { outbound, signal } = this.#host;
    const call = { url, headers, mostBytes: MOST_BYTES };
    const answer =
      method === 'GET'
        ? await outbound.getBytes(call, signal)
        : await outbound.postBytes({ ...call, body: Buffer.from(String(body ?? '')) }, signal);
    const content = answer.body.length === 0 ? null : new Uint8Array(answer.body);
    return new Response(content, { status: answer.status, headers: { 'Content-Type': answer.contentType } });
  };

  /** The error for a person; the reason is in the log. */
  #worded(oidc: Library, error: unknown): GatewayError {
    const secret = this.#secret ?? '';
    const reason = withoutSecret(reasons(error).join(': '), secret);
    const own = causes(error).find((one) => isGatewayError(one));
    this.#host.log.warn({ reason }, 'a sign-in by the issuer failed');
    if (own?.code === 'ADDRESS_REFUSED') return own;
    if (own) {
      const why = withoutSecret(own.message, secret);
      return new GatewayError('ISSUER_FAILED', `The issuer cannot be asked: ${why}`, { cause: error });
    }
    if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
      const word = /^[a-z_]{1,40}$/.exec(withoutSecret(error.error, secret))?.[0] ?? 'an unknown error';
      return new GatewayError('SIGN_IN_FAILED', `The issuer did not confirm the sign-in: ${word}.`, { cause: error });
    }
    const detail = 'The answer of the issuer is not valid; the log of the gateway says more.';
    return new GatewayError('ISSUER_FAILED', detail, { cause: error });
  }
}

let loaded: Promise<Library> | undefined;
const library = (): Promise<Library> => {
  loaded ??= import('openid-client');
  return loaded;
};

function causes(error: unknown): readonly unknown[] {
  const all: unknown[] = [];
  for (let one = error; one !== undefined && all.length < 5; one = one instanceof Error ? one.cause : undefined)
    all.push(one);
  return all;
}

const reasons = (error: unknown): readonly string[] =>
  causes(error)
    .filter((one) => one instanceof Error)
    .map(messageOf);
