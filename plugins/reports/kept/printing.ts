/** Prints one format of a kept report: exactly what the preview with the same query gives. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Host, type Request, zones } from '../../../lib/index.ts';
import { queryOf } from './access.ts';
import type { ReportBody } from './schemas.ts';
import type { KeptDocument } from './tables.ts';

const utc = (ms: number): string => new Date(ms).toISOString();

/** What is printed. */
export interface DocumentOrder {
  readonly runId: number;
  readonly body: ReportBody;
  readonly span: zones.Span;
  readonly format: string;
}

/** Errors: those of GET `/_reports/preview`. */
export async function printed(
  host: Host,
  { runId, body, span, format }: DocumentOrder,
  signal: AbortSignal,
): Promise<{ readonly document: KeptDocument; readonly bytes: Uint8Array }> {
  const query = { ...queryOf(body), from: utc(span.from), to: utc(span.to), format };
  const { content } = await host.ask(requestFor(host, body.units, signal), {
    ...{ method: 'GET', path: '/_reports/preview', query },
  });
  const bytes = await bytesOf(content);
  const { contentType = 'application/octet-stream' } = content.kind === 'json' ? {} : content;
  const document: KeptDocument = {
    ...{ id: `${runId}-${format}`, format, name: nameOf(body, span, format), contentType, bytes: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    query: `GET /_reports/preview?${new URLSearchParams(query)}`,
  };
  return { document, bytes };
}

/** First and last local day of the span. */
function nameOf({ zone }: ReportBody, { from, to }: zones.Span, format: string): string {
  const day = (at: number) => zones.localIso(zone, at).slice(0, 10);
  return `report_${day(from)}_${day(to - 1)}.${format}`;
}

async function bytesOf(content: Awaited<ReturnType<Host['ask']>>['content']): Promise<Uint8Array> {
  if (content.kind === 'text') return Buffer.from(content.text);
  if (content.kind === 'json') throw new Error('a printed report is not JSON');
  const bytes = content.kind === 'stream' ? content.stream : content.bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of typeof bytes === 'function' ? await bytes() : bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Nobody else's rights: those of a viewer of the units of the report, all of which its maker could see. */
const requestFor = (host: Host, units: readonly string[], signal: AbortSignal): Request => ({
  ...{ method: 'GET', path: '', unitId: '', params: {}, query: {}, body: {}, upload: Readable.from([]) },
  identity: { name: 'report', keyId: null, role: 'viewer', units, address: '', stillValid: () => true },
  caller: { signal },
  before() {},
  log: host.log,
});
