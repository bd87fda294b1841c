/**
 * A meter that gives the owner no answer may still have a connection of an instance that had it before and was cut off. The owner asks the
 * others to end theirs: each from its own computer and port, because nobody else can (`lib/transport/tcp.ts`). Where one has, the meter is tried at once, and one that
 * is back after a cut is asked about all meters that cannot be reached.
 */
import { type Clock, within } from '../clock.ts';
import type { MemberRow } from '../cluster/contract.ts';
import type { MemberLoop } from '../cluster/member-loop.ts';
import { isOfInstance, ofInstances, type PassedOn, PROOF_HEADER, type Receiver } from '../cluster/passed-on.ts';
import { messageOf } from '../errors.ts';
import { askInstance } from '../http/ask-instance.ts';
import type { AskedOfInstance } from '../http/asked.ts';
import type { Log } from '../log.ts';
import type { UnreachedMeters } from '../meter/fleet.ts';
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
  readonly loop: () => Pick<MemberLoop, 'view' | 'isQuiet'> | undefined;
}

/** The path that instances ask each other at. */
const PATH = '/_place';
/** A header of the answer: what was left there was ended, as far as can be seen. */
const FREED_HEADER = 'slm-freed';
/** About one meter no sooner than this again, ms. */
const AGAIN_MS = 15_000;
/** Then looking for the addresses of a meter is given up, ms. */
const FREE_MS = 5_000;
const ANSWER_MS = FREE_MS + 2_000;
/** So many questions at once to an instance that is back. */
const AT_ONCE = 8;
/** Tries of one meter that do not wait for their turn, in this time, ms: where nothing helps they are no more than this. */
const MOST_TRIES = 3;
const TRIES_MS = 300_000;
/** Meters that are remembered. */
const MOST = 10_000;

const METHOD = 'POST';
const question = (url: string) => ofInstances(METHOD, url);

/** Both sides of it. */
export function freesPlaces(parts: FreeParts) {
  const { clock, passedOn, me, loop } = parts;
  const asked = new Recent();
  const tried = new Recent();
  /** Instances that could be asked when somebody looked last, by id and epoch. */
  let askable: ReadonlySet<string> = new Set();
  let meters: UnreachedMeters | undefined;

  const others = (): readonly MemberRow[] => {
    const present = loop();
    return (present?.view.members ?? []).filter(({ id, open }) => id !== me()?.id && open && !present?.isQuiet(id));
  };

  /** Never rejects. It helps or it does not: the meter is tried again anyway, later. */
  async function ask(other: MemberRow, { host, port }: Address): Promise<void> {
    const url = `${PATH}?${new URLSearchParams({ host, port: String(port) })}`;
    const headers = { [PROOF_HEADER]: passedOn.prove(question(url), other) };
    const late = () => new Error(`no answer within ${ANSWER_MS} ms`);
    const answer = (signal: AbortSignal) => askInstance(other.address, url, headers, signal);
    const given = await within(clock, ANSWER_MS, late, answer).catch(() => undefined);
    const now = clock.elapsed();
    if (given?.[FREED_HEADER] === undefined || tried.count(url, now - TRIES_MS) >= MOST_TRIES) return;
    tried.add(url, now);
    meters?.tryAgain({ host, port });
  }

  /** The owner got no answer from this meter. Waits for nothing. */
  function mute(meter: Address): void {
    const name = `${meter.host} ${meter.port}`;
    const now = clock.elapsed();
    if (asked.count(name, now - AGAIN_MS) > 0) return;
    asked.add(name, now);
    for (const other of others()) void ask(other, meter);
  }

  /** Members may have changed: one that is back is asked about all meters that cannot be reached. */
  function look(): void {
    const before = askable;
    const present = others();
    const nameOf = ({ id, epoch }: MemberRow) => `${id} ${epoch}`;
    askable = new Set(present.map(nameOf));
    for (const other of present) if (!before.has(nameOf(other))) void askAll(other, meters?.list() ?? []);
  }

  /** Never rejects. Some at a time, and none that is reached by then: the other one would knock at a place that is taken. */
  async function askAll(other: MemberRow, all: readonly Address[]): Promise<void> {
    const left = all.values();
    const isUnreached = ({ host, port }: Address) =>
      meters?.list().some((one) => one.host === host && one.port === port);
    const some = async () => {
      for (const meter of left) if (isUnreached(meter)) await ask(other, meter);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
  }

  const unreached = (present: UnreachedMeters): void => {
    meters = present;
  };
  return { seat: { mute, unreached }, look, asked: answering(parts) };
}

/** The side that is asked. */
function answering({ settings, clock, log, passedOn, me }: FreeParts): AskedOfInstance {
  const policies = policiesFor(() => undefined);
  policies.take(settings);

  async function free(peer: Address): Promise<boolean> {
    const places = new OpenPlaces(portsFolder(settings.data_dir));
    const late = () => new Error(`not within ${FREE_MS} ms`);
    const parts = { places, addresses: policies.addresses, clock };
    return within(clock, FREE_MS, late, (signal) => freePlace(peer, parts, signal));
  }

  return {
    path: PATH,
    async answer(request) {
      if (!isOfInstance(passedOn, METHOD, request, me())) return undefined;
      const words = new URLSearchParams(request.url?.split('?')[1]);
      const peer = { host: words.get('host') ?? '', port: Number(words.get('port')) };
      const isFreed = await free(peer).catch((error: unknown) => {
        log.debug({ reason: messageOf(error) }, 'the place of a meter was not freed');
        return false;
      });
      return isFreed ? { [FREED_HEADER]: '1' } : {};
    },
  };
}

/** When something was done, by name; of the last `MOST` names. Milliseconds. */
class Recent {
  readonly #times = new Map<string, readonly number[]>();

  /** How often since then. */
  count(name: string, since: number): number {
    return (this.#times.get(name) ?? []).filter((at) => at > since).length;
  }

  add(name: string, at: number): void {
    const before = this.#times.get(name) ?? [];
    this.#times.delete(name);
    this.#times.set(name, [...before, at].slice(-MOST_TRIES));
    const [oldest] = this.#times.keys();
    if (this.#times.size > MOST && oldest !== undefined) this.#times.delete(oldest);
  }
}
