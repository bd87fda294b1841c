/** A gateway that dies: what it has acknowledged is there when the next one starts. */
import t from 'tap';
import { gatewayProcess } from '../support/gateway-process.ts';

t.test('a config survives kill -9 right after its 200, credentials included', async (t) => {
  const folder = t.testdir();
  const first = await gatewayProcess(t, folder);
  const config = { host: '127.0.0.1', tcp_enabled: false, ftp_username: 'USER', ftp_password: '0000' };
  t.equal((await first.ask('PUT', '/roof/config', config)).status, 200);
  await first.kill();
  const second = await gatewayProcess(t, folder);
  t.match((await second.ask('GET', '/roof/config')).json.data, {
    unit_id: 'roof',
    host: '127.0.0.1',
    ftp_credentials_set: true,
  });
});
