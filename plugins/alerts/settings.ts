/** The settings of the plugin: the mail server, the addresses of the gateway for people outside, and causes of noise. */
import type { Schema } from '../../lib/index.ts';

/** `plugin_settings.alerts`. */
export interface AlertSettings {
  readonly smtp_host: string;
  readonly smtp_port: number;
  readonly smtp_security: 'starttls' | 'tls' | 'none';
  readonly smtp_user: string;
  readonly smtp_password: string;
  readonly smtp_from: string;
  readonly smtp_ca_file: string;
  /** Without a slash at the end; empty: mails have no link. */
  readonly public_url: string;
  /** `mailto:` or `https:`; empty: see `contactOf`. */
  readonly push_contact: string;
  readonly causes: readonly string[];
}

const PROPERTIES: Readonly<Record<string, Schema>> = {
  smtp_host: { type: 'string', maxLength: 253, default: '', title: 'Mail server; empty: no mail is sent' },
  smtp_port: { type: 'integer', minimum: 1, maximum: 65_535, default: 587, title: 'Its port' },
  smtp_security: {
    type: 'string',
    enum: ['starttls', 'tls', 'none'],
    default: 'starttls',
    title: 'starttls (587) and tls (465) refuse a server without a valid certificate; none sends without encryption',
  },
  smtp_user: { type: 'string', maxLength: 256, default: '', title: 'User; empty: none is needed' },
  smtp_password: { type: 'string', maxLength: 256, default: '', title: 'Password', 'x-secret': true },
  smtp_ca_file: {
    type: 'string',
    maxLength: 4_096,
    default: '',
    title: 'File with the certificates of authorities to trust (PEM); empty: those of Node',
  },
  smtp_from: { type: 'string', maxLength: 254, default: '', title: 'Sender, such as alerts@example.org' },
  public_url: {
    type: 'string',
    maxLength: 500,
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~-]+)*)?$',
    title:
      'Address of the API for people outside, for the links in mails; empty: public_url of the gateway with base_path',
    description:
      'The address with its whole path and no slash at the end, such as https://noise.example.org/api/nl43. Its name must be in allowed_hosts.',
  },
  push_contact: {
    type: 'string',
    maxLength: 254,
    default: '',
    pattern: '^(mailto:[^\\s@<>]+@[^\\s@<>]+|https://[^\\s<>]+)?$',
    title: 'Whom a push service may ask about this gateway; empty: smtp_from, or else public_url',
    description: 'Such as mailto:noise@example.org. Push services want it, and see it with each message to a phone.',
  },
  causes: {
    type: 'array',
    maxItems: 50,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 80 },
    default: ['Construction', 'Road traffic', 'Railway', 'Aircraft', 'Music', 'People', 'Weather', 'Unknown'],
    title: 'Causes of events that people choose from',
    description: 'Further causes that people enter at the events of a site are offered at this site, too.',
  },
};

export const ALERT_SETTINGS: Schema = { type: 'object', properties: PROPERTIES };
