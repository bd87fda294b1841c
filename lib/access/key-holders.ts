/**
 * Callers that come by another way than HTTP, such as an MQTT topic, act as the holder of an API key that the operator names.
 * Role, units, rate and revoking are those of the key, as if it had been shown.
 */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { KeyHolders } from '../http/inside.ts';
import { authorize, count, identityOf } from './authenticator.ts';
import type { LastUse } from './last-use.ts';
import { type LiveKeys, standingOf } from './live-keys.ts';
import type { Rate } from './rate.ts';

interface Parts {
  readonly keys: LiveKeys;
  readonly lastUse: LastUse;
  readonly rate: Rate;
  readonly clock: Clock;
}

/** Also where callers on this machine need no key: who sends to a topic is not on this machine. */
export function createKeyHolders(parts: Parts): KeyHolders {
  return (name, visit) => {
    const good = parts.keys.named(name).filter((key) => standingOf(key, parts.clock.now()) === 'good');
    const [key] = good;
    if (!key || good.length > 1) {
      const why = key ? 'several API keys in force have this name' : 'no API key in force has this name';
      throw new GatewayError('UNAUTHENTICATED', `The API key ${JSON.stringify(name)} cannot be used: ${why}.`);
    }
    const identity = identityOf(parts, key, visit.address);
    count(parts, `key ${key.id}`);
    parts.lastUse.note(key.id);
    authorize(identity, visit);
    return identity;
  };
}
