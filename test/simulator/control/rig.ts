/** A meter on virtual time behind a control API, and a bare HTTP client that can send any header. */
import { request } from 'node:http';
import type { Test } from 'tap';
import type { PacedClock } from '../../../simulator/control/paced-clock.ts';
import { startControlServer } from '../../../simulator/control/server.ts';
import { type MeterOptions, startMeter, VirtualClock } from '../../../simulator/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  readonly body: any;
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, in place of JSON. */
  readonly raw?: string;
}

export const controlRig = (t: Test, options: MeterOptions = {}) => controlRigOn(t, new VirtualClock(), options);

export async function controlRigOn<C extends VirtualClock | PacedClock>(t: Test, clock: C, options: MeterOptions = {}) {
  const meter = await startMeter({ clock, profile: 'instant', soundStepMs: 100, ...options });
  const server = await startControlServer({ meters: [{ unitId: 'sim-1', meter }], clock, port: 0 });
  t.teardown(async () => {
    await server.close();
    await meter.stop();
  });
  const ask = (method: string, path: string, body?: unknown, asking: Asking = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const text = asking.raw ?? (body === undefined ? '' : JSON.stringify(body));
      const type = text === '' ? {} : { 'content-type': 'application/json' };
      const headers = { ...type, 'content-length': String(Buffer.byteLength(text)), ...asking.headers };
      const sent = request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
        let said = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          said += piece;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(said) }),
        );
      });
      sent.on('error', reject);
      sent.end(text);
    });
  const get = (path: string) => ask('GET', path);
  return { clock, meter, server, ask, get };
}
