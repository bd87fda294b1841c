/** A gateway that dies: what it has acknowledged is there when the next one starts. */
import { once } from 'node:events';
import t from 'tap';
import { gatewayProcess } from '../support/gateway-process.ts';

t.test('a config survives kill -9 right after its 200, credentials included', async (t) => {
  const folder = t.testdir();
  const first = await gatewayProcess(t, folder);
  const config = { host: '127.0.0.1', tcp_enabled: false, ftp_username: 'USER', ftp_password: '0000' };
  const answer = await fetch(`${first.base}/roof/config`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(config),
  });
  t.equal(answer.status, 200);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const second = await gatewayProcess(t, folder);
  const { data } = (await (await fetch(`${second.base}/roof/config`)).json()) as { data: object };
  t.match(data, { unit_id: 'roof', host: '127.0.0.1', ftp_credentials_set: true });
});
