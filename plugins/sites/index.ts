/** Units of other gateways (sites): read from their API every 10 s, shown beside the own units. No other data crosses a site. */
import { TIME_OR_NULL, UNIT } from '../../lib/built-in.ts';
import { type Host, messageOf, named, type Plugin, type Schema, sleep } from '../../lib/index.ts';

interface SiteSettings {
  readonly name: string;
  readonly address: string;
  readonly key: string;
}

interface SitesSettings {
  readonly sites: readonly SiteSettings[];
}

/** Between two reads of a site, ms. */
const READ_MS = 10_000;
/** A larger answer is refused, bytes: 10,000 units. */
const MOST_BYTES = 16_000_000;

const SITE: Schema = named('Site', {
  name: { type: 'string' },
  address: { type: 'string', description: 'Of its dashboard.' },
  state: { type: 'string', enum: ['unknown', 'ok', 'silent'], description: 'silent: its last read failed.' },
  error: { type: ['string', 'null'], description: 'Why the last read failed.' },
  read_at: { ...TIME_OR_NULL, description: 'When its units were read last.' },
  age_s: { type: ['number', 'null'], minimum: 0, description: 'Seconds since read_at.' },
  units: { type: 'array', items: UNIT, description: 'As GET _status of the site showed them last.' },
});

const plugin: Plugin<SitesSettings> = {
  name: 'sites',
  about: 'The units of other gateways beside the own ones',
  register(host) {
    const sites = host.settings.sites.map((settings) => new Site(host, settings));
    const ending = new AbortController();
    host.onStop(() => ending.abort(new Error('the gateway stops')));
    for (const site of sites) void site.follow(ending.signal);
    host.route({
      method: 'GET',
      path: '/_sites',
      access: 'viewer',
      operation: 'getSites',
      summary: 'Show the units of other gateways, as they were read last',
      description: 'The setting `sites` names them. Only for keys that are not limited to some units.',
      answer: { data: { type: 'array', items: SITE } },
      errors: [],
      handle: () => ({ data: sites.map((site) => site.shown()) }),
    });
  },
  settings: {
    type: 'object',
    properties: { sites: { type: 'array', title: 'As the setting sites', items: { type: 'object' }, default: [] } },
  },
};
export default plugin;

/** One site. Its last units stay until newer units are read. */
class Site {
  readonly #host: Host<SitesSettings>;
  readonly #settings: SiteSettings;
  #units: readonly unknown[] = [];
  /** ms since 1970 UTC, and by the monotonic clock. */
  #read: { readonly at: number; readonly elapsed: number } | undefined;
  #error: string | null = null;

  constructor(host: Host<SitesSettings>, settings: SiteSettings) {
    this.#host = host;
    this.#settings = settings;
  }

  /** Until the signal aborts. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#host;
    const { name } = this.#settings;
    while (!signal.aborted) {
      const error = await this.#look(signal).then(
        () => null,
        (reason: unknown) => messageOf(reason),
      );
      if (signal.aborted) return;
      if (error !== null && this.#error === null) log.warn({ site: name, reason: error }, 'a site does not answer');
      if (error === null && this.#error !== null) log.info({ site: name }, 'a site answers again');
      this.#error = error;
      await sleep(clock, READ_MS, signal).catch(() => {});
    }
  }

  shown() {
    const { clock } = this.#host;
    const { name, address } = this.#settings;
    const read = this.#read;
    return {
      name,
      address,
      state: this.#error !== null ? 'silent' : read ? 'ok' : 'unknown',
      error: this.#error,
      read_at: read ? new Date(read.at).toISOString() : null,
      age_s: read ? Math.floor((clock.elapsed() - read.elapsed) / 1_000) : null,
      units: this.#units,
    };
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { outbound, clock } = this.#host;
    const { address, key } = this.#settings;
    const headers = { Accept: 'application/json', ...(key !== '' && { Authorization: `Bearer ${key}` }) };
    const url = `${address}/api/nl43/_status`;
    const { status, body } = await outbound.getBytes({ url, headers, mostBytes: MOST_BYTES }, signal);
    if (status !== 200) throw new Error(`it answered with status ${status}`);
    const { data } = JSON.parse(Buffer.from(body).toString('utf8')) as { data?: unknown };
    if (!Array.isArray(data) || !data.every(isUnit)) throw new Error('it answered with something else than units');
    this.#units = data;
    this.#read = { at: clock.now(), elapsed: clock.elapsed() };
  }
}

const isUnit = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'unit_id' in value && typeof value.unit_id === 'string';
