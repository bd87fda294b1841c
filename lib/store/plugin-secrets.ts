/** Secrets of plugins, sealed as the credentials of meters are, and sealed again with them when the key is changed. */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Secrets } from './contract.ts';
import type { Database } from './database.ts';
import type { Sealer } from './secrets.ts';

/** Names of the facts that hold them: `secret:OWNER:NAME`. */
export const SECRET_FACT = 'secret:';

/**
 * The secrets of one plugin (`owner`). A secret that the key does not open counts as absent and is named in the log.
 */
export function pluginSecrets(database: Database, sealer: Sealer, log: Log, owner: string): Secrets {
  const fact = (name: string) => `${SECRET_FACT}${owner}:${name}`;
  return {
    put: (name, text) => database.putFact(fact(name), sealer.seal(fact(name), 'secret', text)),
    remove: (name) => database.dropFact(fact(name)),
    async names() {
      const facts = await database.facts(fact(''));
      return facts.flatMap(({ name }) => (name.startsWith(fact('')) ? [name.slice(fact('').length)] : []));
    },
    async get(name) {
      const sealed = await database.presentFact(fact(name));
      if (sealed === undefined) return undefined;
      try {
        return sealer.open(fact(name), 'secret', sealed);
      } catch (error) {
        log.error({ owner, name, reason: messageOf(error) }, 'a stored secret cannot be opened: set it again');
        return undefined;
      }
    },
  };
}
