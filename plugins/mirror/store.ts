/** What the mirror knows, in its tables. */
import type { Tables } from '../../lib/index.ts';
import { CLOCKS, type ClockRow, FILES, type FileRow, HOURS, type HourRow, UNITS, type UnitRow } from './tables.ts';
import type { SeenFile } from './which-card.ts';

const PAGE = 1_000;

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
  hours = (unitId: string, from: number, to: number): Promise<HourRow[]> =>
    this.#tables.read((rows) =>
      rows.find(HOURS, {
        where: { unitId, hour: { atLeast: from, below: to } },
        order: { hour: 'asc' },
        limit: 10_000,
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
    for (let offset = 0; ; offset += PAGE) {
      const where = { unitId, ...(card !== undefined && { card }) };
      const page = await this.#tables.read((rows) =>
        rows.find(FILES, { where, order: { id: 'asc' }, limit: PAGE, offset }),
      );
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  }

  /** Files that were whole once, of all cards. */
  async seen(unitId: string): Promise<SeenFile[]> {
    const seen: SeenFile[] = [];
    for await (const page of this.all(unitId))
      for (const { card, path, size, modified, sha256 } of page)
        if (sha256 !== null) seen.push({ card, path, size, modified });
    return seen;
  }

  /** Bytes that are kept of a unit. */
  async bytes(unitId: string): Promise<number> {
    let bytes = 0;
    for await (const page of this.all(unitId)) for (const { kept, half } of page) bytes += kept + half;
    return bytes;
  }

  /** Files of other cards, and those of this one that are not listed, are not on the card. How many are new there. */
  async markGone(unitId: string, card: number, listed: ReadonlySet<string>): Promise<number> {
    const gone: FileRow[] = [];
    for await (const page of this.all(unitId))
      for (const row of page)
        if (row.state !== 'gone_from_card' && (row.card !== card || !listed.has(row.path))) gone.push(row);
    for (let at = 0; at < gone.length; at += PAGE) {
      const rows = gone.slice(at, at + PAGE).map((row) => ({ ...row, state: 'gone_from_card' as const }));
      await this.#tables.write((table) => table.put(FILES, rows));
    }
    return gone.length;
  }
}
