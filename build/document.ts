/** The OpenAPI document as a gateway that was just started serves it: what tables and types are made from. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/app/gateway.ts';

export async function openApiDocument(): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'slm-document-'));
  const storage = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
  const gateway = await startGateway({ ...storage, port: 0, log_level: 'silent' });
  try {
    return await (await fetch(`${gateway.baseUrl}/openapi.json`)).json();
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
