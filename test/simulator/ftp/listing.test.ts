import t from 'tap';
import { addSampleStores } from '../../../simulator/card/index.ts';
import { listingDate } from '../../../simulator/ftp/listing.ts';
import { eventually } from '../bare.ts';
import { AT, loggedIn, meterFtp } from './rig.ts';

t.test('a listing is ls -l in nine columns with the device time', async (t) => {
  const { card, login } = await meterFtp(t);
  addSampleStores(card, { hours: 1 });
  const client = await login();
  const { replies, data, ending } = await client.fetch('LIST /NL-43/Auto_0019');
  t.equal(
    data.toString('latin1'),
    'drwxrwxrwx   1 root  root         0 Dec 24 02:00 Auto_Leq\r\n' +
      'drwxrwxrwx   1 root  root         0 Dec 24 02:00 Auto_Lp_01\r\n' +
      '-rw-rw-rw-   1 root  root       408 Dec 24 02:00 NL_0001_SLM_0019.rnh\r\n',
  );
  t.equal(ending, 'end');
  t.match(replies[0], /^150 /);
  t.match(replies[1], /^226 /);
});

t.test('a name with a space is the rest of its line', async (t) => {
  const { card, login } = await meterFtp(t);
  addSampleStores(card, { hours: 1 });
  const { data } = await (await login()).fetch('LIST /NL-43/Auto_0019/Auto_Lp_01');
  const columns = /^(?:\S+\s+){8}(.*)\r\n$/.exec(data.toString());
  t.equal(columns?.[1], 'NL_0001_SLM_Lp _0019_0001.rnd');
});

t.test('an empty folder gives an empty listing', async (t) => {
  const { login } = await meterFtp(t);
  const { replies, data, ending } = await (await login()).fetch('LIST /DCIM');
  t.equal(data.length, 0);
  t.equal(ending, 'end');
  t.match(replies.at(-1), /^226 /);
});

t.test('dates show the time for half a year, then the year', async (t) => {
  t.equal(listingDate(Date.UTC(2025, 11, 23, 19, 39), AT), 'Dec 23 19:39');
  t.equal(listingDate(Date.UTC(2025, 7, 1, 9, 5), AT), 'Aug 01 09:05');
  t.equal(listingDate(Date.UTC(2025, 0, 1), AT), 'Jan 01  2025');
  t.equal(listingDate(Date.UTC(2027, 0, 1), AT), 'Jan 01  2027', 'from the future');
  const newYear = Date.UTC(2026, 0, 1, 0, 5);
  t.equal(listingDate(Date.UTC(2025, 11, 31, 23, 55), newYear), 'Dec 31 23:55', 'of the year before');
});

t.test('a path may be relative, a file, or come with flags', async (t) => {
  const { client } = await loggedIn(t);
  await client.say('CWD /NL-43');
  t.match(
    (await client.fetch('LIST Screenshot')).data.toString(),
    / 192054 Dec 24 01:48 0001_20251224_014800\.bmp\r\n$/,
  );
  t.match((await client.fetch('LIST /NIKON001.DSC')).data.toString(), /^-rw.* 512 .* NIKON001\.DSC\r\n$/);
  t.match((await client.fetch('LIST -la /')).data.toString(), /DCIM\r\n/);
  t.match((await client.fetch('LIST')).data.toString(), /Screenshot\r\n$/);
});

t.test('a folder that is not there is 550, without a data connection', async (t) => {
  const { card, client } = await loggedIn(t);
  const { replies, ending } = await client.fetch('LIST /nowhere');
  t.match(replies, [/^550 /]);
  t.equal(ending, null);
  card.eject();
  t.match((await client.fetch('LIST /')).replies, [/^550 /], 'no card');
});

t.test('a file of 2 GB keeps its column', async (t) => {
  const { card, login } = await meterFtp(t);
  card.addFile('/x/long.wav', { bytes: 2 ** 31, seed: 1 }, AT);
  t.match((await (await login()).fetch('LIST /x')).data.toString(), / root 2147483648 Dec 24 02:00 long\.wav\r\n$/);
});

t.test('dots may be there', async (t) => {
  const { login } = await meterFtp(t, { dotEntries: true });
  const lines = (await (await login()).fetch('LIST /DCIM')).data.toString().split('\r\n');
  t.match(lines, [/^drwx.* \.$/, /^drwx.* \.\.$/, '']);
});

t.test('an endless listing that nobody reads costs nothing', async (t) => {
  const { client, ftp } = await loggedIn(t, { endlessListing: true });
  const data = await client.open('LIST /');
  await client.read();
  const before = process.memoryUsage().arrayBuffers;
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.ok(process.memoryUsage().arrayBuffers - before < 16_000_000);
  await client.close();
  data.close();
  await eventually(() => ftp.sessions === 0);
});
