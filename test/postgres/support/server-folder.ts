/** A store on PostgreSQL for one test: a folder, and a database of its own. */
import type { Test } from 'tap';
import { databaseAddress } from '../../../lib/domain/database-address.ts';
import type { StoreOptions } from '../../../lib/store/index.ts';
import { folder } from '../../store/setup.ts';
import { freshDatabase } from '../../support/postgres.ts';

/** As `folder`; the database is made when it is opened first. */
export function serverFolder(t: Test, name?: string) {
  const place = folder(t, name);
  let made: Promise<string> | undefined;
  const url = () => {
    made ??= freshDatabase(t);
    return made;
  };
  const open = async (over: Partial<StoreOptions> = {}) =>
    place.open({ server: databaseAddress(await url()), ...over });
  return { ...place, url, open };
}
