/**
 * A meter that gives the owner no answer may still have a connection of an instance that had it before and was cut off. The owner asks the
 * others to end theirs: each from its own computer and port, because nobody else can (`lib/transport/tcp.ts`).
 */
import { type Clock, within } from '../clock.ts';
import type { MemberLoop } from '../cluster/member-loop.ts';
import { ofInstances, type PassedOn, PROOF_HEADER, type Receiver } from '../cluster/passed-on.ts';
import { messageOf } from '../errors.ts';
import { askInstance } from '../http/ask-instance.ts';
import type { AskedOfInstance } from '../http/standby.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import type { Address } from '../transport/contract.ts';
import { OpenPlaces } from '../transport/open-places.ts';
import { freePlace } from '../transport/tcp.ts';
import { policiesFor, portsFolder } from './wiring.ts';

/** What it needs. */
export interface FreeParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly passedOn: PassedOn;
  /** This instance under its present epoch; undefined before it has joined. */
  readonly me: () => Receiver | undefined;
  readonly loop: () => MemberLoop | undefined;
}

/** The path that instances ask each other at. */
const PATH = '/_place';
/** About one meter no sooner than this again, ms. */
const AGAIN_MS = 15_000;
const ANSWER_MS = 2_000;
/** Then looking for the addresses of a meter is given up, ms. */
const FREE_MS = 5_000;
/** Meters that are remembered. */
const MOST = 10_000;

const question = (url: string) => ofInstances('POST', url);

/** Both sides of it. */
export function freesPlaces({ settings, clock, log, passedOn, me, loop }: FreeParts) {
  const last = new Map<string, number>();
  const policies = policiesFor(() => undefined);
  policies.take(settings);

  /** The owner got no answer from this meter. Waits for nothing. */
  function mute({ host, port }: Address): void {
    const words = new URLSearchParams({ host, port: String(port) });
    const url = `${PATH}?${words}`;
    const now = clock.elapsed();
    if (now - (last.get(url) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
    last.delete(url);
    last.set(url, now);
    const [oldest] = last.keys();
    if (last.size > MOST && oldest !== undefined) last.delete(oldest);
    const present = loop();
    for (const other of present?.view.members ?? []) {
      if (other.id === me()?.id || !other.open || present?.isQuiet(other.id)) continue;
      const headers = { [PROOF_HEADER]: passedOn.prove(question(url), other) };
      const late = () => new Error(`no answer within ${ANSWER_MS} ms`);
      // It helps or it does not: the meter is tried again anyway.
      within(clock, ANSWER_MS, late, (signal) => askInstance(other.address, url, headers, signal)).catch(() => {});
    }
  }

  async function free(peer: Address): Promise<void> {
    const places = new OpenPlaces(portsFolder(settings.data_dir));
    const late = () => new Error(`not within ${FREE_MS} ms`);
    const parts = { places, addresses: policies.addresses, clock };
    await within(clock, FREE_MS, late, (signal) => freePlace(peer, parts, signal));
  }

  const asked: AskedOfInstance = {
    path: PATH,
    answer: ({ url = '', headers }) => {
      const self = me();
      const proof = headers[PROOF_HEADER];
      if (!self || typeof proof !== 'string' || !passedOn.check(proof, question(url), self)) return undefined;
      const words = new URLSearchParams(url.split('?')[1]);
      const peer = { host: words.get('host') ?? '', port: Number(words.get('port')) };
      free(peer).catch((error: unknown) =>
        log.debug({ reason: messageOf(error) }, 'the place of a meter was not freed'),
      );
      return {};
    },
  };
  return { mute, asked };
}
