/** `plugin_settings.evidence`. */
import type { Schema } from '../../lib/index.ts';

/** Which server stamps the signatures of packages. */
export interface EvidenceSettings {
  /** Empty: none is asked. */
  readonly timestamp_url: string;
  readonly timestamp_ca_file: string;
}

/** Their schema. */
export const EVIDENCE_SETTINGS: Schema = {
  type: 'object',
  properties: {
    timestamp_url: {
      ...{ type: 'string', maxLength: 2_048, default: '', pattern: '^(https?://[^\\s@]+)?$' },
      title:
        'Time stamp server (RFC 3161) for packages of evidence, such as https://tsa.example.org/; empty: none is asked',
      description: 'an address that begins with https:// or http://, without user and password',
    },
    timestamp_ca_file: {
      ...{ type: 'string', maxLength: 4_096, default: '' },
      title:
        'File with the certificates of its authorities (PEM): a stamp of anybody else is not kept; empty: it is not checked against a known authority',
    },
  },
};

/** Throws with what to change. */
export function checkStampSettings({ timestamp_url, timestamp_ca_file }: EvidenceSettings): void {
  if (timestamp_url === '' && timestamp_ca_file !== '') throw new Error('timestamp_ca_file needs timestamp_url');
  if (timestamp_url !== '' && !URL.canParse(timestamp_url)) throw new Error('timestamp_url: it is no address');
}
