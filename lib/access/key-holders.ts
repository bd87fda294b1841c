/**
 * Callers without HTTP, such as an MQTT topic, act with the rights of an API key in the settings. Role, units, rate and
 * revoking of that key apply, as if the caller had sent the key.
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { KeyHolders } from '../http/inside/index.ts';
import { authorize, countRequest, identityOf } from './authenticator.ts';
import { type LastUse, type LiveKeys, standingOf } from './live-keys.ts';
import type { Rate } from './tries.ts';
import type { UnitsNow } from './unit-choice.ts';

interface Parts {
  readonly keys: LiveKeys;
  readonly lastUse: LastUse;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly unitsNow: UnitsNow;
}

/** Applies even if callers on this computer need no key: the sender of a topic may be elsewhere. */
export function createKeyHolders(parts: Parts): KeyHolders {
  return (name, visit) => {
    const good = parts.keys.named(name).filter((key) => standingOf(key, parts.clock.now()) === 'good');
    const [key] = good;
    if (!key || good.length > 1) {
      const why = key ? 'several valid API keys have this name' : 'no valid API key has this name';
      throw new GatewayError('UNAUTHENTICATED', `The API key ${JSON.stringify(name)} cannot be used: ${why}.`);
    }
    const identity = identityOf(parts, key, visit.address);
    countRequest(parts, `key ${key.id}`);
    parts.lastUse.note(key.id);
    authorize(identity, visit);
    return identity;
  };
}
