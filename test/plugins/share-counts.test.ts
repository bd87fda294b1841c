/** Readers of shares are counted in memory and written once a minute: none is lost. */
import t from 'tap';
import type { Tables } from '../../lib/index.ts';
import { SHARE_MIGRATIONS, SHARES } from '../../plugins/shares/schemas.ts';
import { type ShareBody, ShareStore } from '../../plugins/shares/store.ts';
import { folder } from '../store/setup.ts';

const BODY: ShareBody = {
  name: 'Town hall',
  units: ['roof'],
  tag: null,
  parts: ['live'],
  delayS: 0,
  roundDb: 1,
  fromAt: null,
  expiresAt: 9e15,
  title: '',
  words: '',
  embed: [],
  createdBy: 'me',
};

t.test(
  'a reader during a write of the counts is in the next write, and so are all readers after a failed write',
  async (t) => {
    const { clock, open } = folder(t);
    const tables = await (await open()).tables('shares', [SHARES], SHARE_MIGRATIONS);
    let meanwhile = () => {};
    const watched: Tables = {
      read: (work) => tables.read(work),
      async write(work) {
        const done = await tables.write(work);
        meanwhile();
        return done;
      },
    };
    const store = new ShareStore(watched, clock);
    t.teardown(() => store.close());
    const { row } = await store.add(BODY);
    const written = async () => (await tables.read((rows) => rows.find(SHARES)))[0]?.views;

    store.count(row);
    meanwhile = () => store.count(row);
    await store.writeCounts();
    t.equal(await written(), 1);
    meanwhile = () => {};
    await store.writeCounts();
    t.equal(await written(), 2);

    store.count(row);
    meanwhile = () => {
      throw new Error('the disk');
    };
    await t.rejects(store.writeCounts(), /the disk/);
    await tables.write((rows) => rows.put(SHARES, [row]));
    meanwhile = () => {};
    await store.writeCounts();
    t.equal(await written(), 3);
  },
);
