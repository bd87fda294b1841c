/** The key of evidence as reports show it: who has an old report knows the key without asking the gateway. */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EvidenceKeys } from './contract.ts';

/** `sha256:` and hex; null where a key cannot be made now: the report is shown all the same. */
export async function fingerprintForReports(evidence: Pick<EvidenceKeys, 'present'>, log: Log): Promise<string | null> {
  try {
    return (await evidence.present()).fingerprint;
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'there is no key of evidence for a report');
    return null;
  }
}
