/** What the mirror knows, in its tables. */
import type { Tables } from '../../lib/index.ts';
import { CLOCKS, type ClockRow, FILES, type FileRow, HOURS, type HourRow, UNITS, type UnitRow } from './tables.ts';

const PAGE = 500;

export class MirrorStore {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  async unit(unitId: string): Promise<UnitRow> {
    const [row] = await this.#tables.read((rows) => rows.find(UNITS, { where: { unitId } }));
    return row ?? { unitId, card: 0, lastRun: null, day: '', dayBytes: 0 };
  }

  putUnit = (row: UnitRow): Promise<void> => this.#tables.write((rows) => rows.put(UNITS, [row]));
  putFile = (row: FileRow): Promise<void> => this.#tables.write((rows) => rows.put(FILES, [row]));

  putClock = (row: ClockRow): Promise<void> => this.#tables.write((rows) => rows.put(CLOCKS, [row]));
  putHour = (row: HourRow): Promise<void> => this.#tables.write((rows) => rows.put(HOURS, [row]));

  clocks = (unitId: string): Promise<ClockRow[]> =>
    this.#tables.read((rows) => rows.find(CLOCKS, { where: { unitId }, order: { at: 'asc' } }));

  /** From one hour to another, seconds since 1970; the second is not part of it. */
  hours = (unitId: string, from: number, to: number, limit = 10_000): Promise<HourRow[]> =>
    this.#tables.read((rows) =>
      rows.find(HOURS, {
        where: { unitId, hour: { atLeast: from, below: to } },
        order: { hour: 'asc' },
        limit,
      }),
    );

  async file(id: string): Promise<FileRow | undefined> {
    const [row] = await this.#tables.read((rows) => rows.find(FILES, { where: { id } }));
    return row;
  }

  /** Files of a card in the order of their paths, after one of them. */
  page = (unitId: string, card: number, after: string | undefined, limit: number): Promise<FileRow[]> =>
    this.#tables.read((rows) =>
      rows.find(FILES, {
        where: { unitId, card, ...(after !== undefined && { path: { above: after } }) },
        order: { path: 'asc' },
        limit,
      }),
    );

  async *all(unitId: string, card?: number): AsyncGenerator<readonly FileRow[]> {
    for (let after = ''; ; ) {
      const where = { unitId, ...(card !== undefined && { card }), id: { above: after } };
      const page = await this.#tables.read((rows) => rows.find(FILES, { where, order: { id: 'asc' }, limit: PAGE }));
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      // Database calls do not yield: without this a large card would block everything else.
      await new Promise((resolve) => setImmediate(resolve));
      after = page.at(-1)?.id ?? '';
    }
  }

  /** These files are not on the card any more. */
  async markGone(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const id = ids.slice(at, at + PAGE);
      await this.#tables.write((rows) => rows.change(FILES, { id }, { state: 'gone_from_card' }));
    }
  }
}
