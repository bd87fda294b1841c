/** The card of a meter. */
import { type FileEntry, zones } from '../../lib/built-in.ts';
import { EXPORT_COST, GatewayError, type Schema } from '../../lib/index.ts';
import {
  type SlmmGateway,
  type SlmmRequest,
  type SlmmRoute,
  type SlmmValues,
  slmmRoute,
  slmmTime,
  wordRefusal,
} from './route.ts';

const PATH: Schema = { type: 'string' };

/** The meter gives local time without a zone: it is read in the zone of the unit. */
export function utcOf(local: string, zone: string): number {
  const shown = Date.parse(`${local}Z`);
  return zones.momentsOf(zone, shown)[0] ?? shown - zones.zoneOffset(zone, shown);
}

const files = slmmRoute(
  'GET',
  '/{unit_id}/ftp/files',
  'viewer',
  {
    query: { path: { ...PATH, default: '/' } },
  },
  async (request, gateway) => {
    const { path, count, files } = await gateway.ask(request, {
      method: 'GET',
      path: '/{unit_id}/ftp/files',
      query: request.query,
    });
    const zone = zoneOf(gateway, request.unitId);
    const shown = (files as readonly SlmmValues[]).map(({ modified_at, ...entry }) => ({
      ...entry,
      modified_timestamp: typeof modified_at === 'string' ? slmmTime(utcOf(modified_at, zone)) : null,
    }));
    return { path, count, files: shown };
  },
);

const zoneOf = (gateway: SlmmGateway, unitId: string): string => {
  const { timezone } = gateway.host.configs.of(unitId);
  return timezone === '' ? 'UTC' : timezone;
};

const download = slmmRoute(
  'POST',
  '/{unit_id}/ftp/download',
  'viewer',
  {
    body: { remote_path: PATH },
    required: ['remote_path'],
    file: true,
    wordError: wordRefusal,
  },
  async (request, { host }) => {
    const path = String(request.body.remote_path);
    if (path.endsWith('/')) throw new GatewayError('INVALID', 'The remote_path is a folder: use ftp/download-folder.');
    return host.ask(request, { method: 'POST', path: '/{unit_id}/ftp/download', body: { remote_path: path } });
  },
);

const downloadFolder = slmmRoute(
  'POST',
  '/{unit_id}/ftp/download-folder',
  'viewer',
  {
    body: { remote_path: PATH },
    required: ['remote_path'],
    file: true,
    // A route that another route calls does not wait by itself.
    cost: () => EXPORT_COST,
  },
  (request, { host }) =>
    host.ask(request, {
      method: 'GET',
      path: '/{unit_id}/ftp/archive',
      query: { path: String(request.body.remote_path) },
    }),
);

const latest = slmmRoute('GET', '/{unit_id}/ftp/latest-measurement-time', 'viewer', {}, async (request, gateway) => {
  const folder = await newestStore(request, gateway);
  const at = folder?.modifiedAt;
  const timestamp = at === undefined ? null : slmmTime(utcOf(at, zoneOf(gateway, request.unitId)));
  return { latest_folder: folder?.name ?? null, latest_timestamp: timestamp };
});

/** The newest folder of a measurement with automatic storing; its date is the beginning of the measurement. */
async function newestStore(
  { unitId, caller }: Pick<SlmmRequest, 'unitId' | 'caller'>,
  { host }: SlmmGateway,
): Promise<FileEntry | undefined> {
  const visit = host.card(unitId).visit({ signal: caller.signal, who: caller.who });
  const roots = await visit.list('/');
  const format = host.families.get(host.configs.of(unitId).family).card;
  const found: FileEntry[] = [];
  for (const { path } of roots.filter(({ isDir, path }) => isDir && format?.roots.includes(path)))
    found.push(...(await visit.list(path)));
  void visit.close();
  const stores = found.filter(({ isDir, name }) => isDir && format?.isStoreFolder(name));
  return stores.toSorted((a, b) => (a.modifiedAt ?? '').localeCompare(b.modifiedAt ?? '')).at(-1);
}

export const FILE_ROUTES: readonly SlmmRoute[] = [files, download, downloadFolder, latest];
