/** Exclusions that could not be written: each is written once, with the next delivery. */
import t from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import type { Host } from '../../lib/index.ts';
import type { Note, NoteBody } from '../../plugins/notes/note.ts';
import type { WithNotes } from '../../plugins/notes/records.ts';
import { excludeNew } from '../../plugins/stations/auto-exclude.ts';
import { observedBy } from '../../plugins/stations/quantities.ts';
import type { StationStore } from '../../plugins/stations/store.ts';
import type { StationObservation, UnitRules } from '../../plugins/stations/tables.ts';
import { standIn } from '../support/stand-in.ts';

const MINUTE_MS = 60_000;
const WINDY = [3, 9, 3, 8, 8, 3];

t.test('a full disk loses no exclusion, and no exclusion is written twice', async (t) => {
  const observed = WINDY.map(
    (wind, minute): StationObservation => ({
      at: (minute + 1) * MINUTE_MS,
      duration: MINUTE_MS,
      ...observedBy((name) => (name === 'wind_speed' ? wind : null)),
    }),
  );
  const rule = {
    quantity: 'wind_speed',
    above: 5,
    below: null,
    reason: 'wind',
    before_s: 0,
    after_s: 0,
    min_s: 0,
  } as const;
  let rules: UnitRules = { unitId: 'roof', rules: [rule], changedAt: 0, autoSince: 0, autoFrom: 0 };
  const body = { title: '', zone: 'UTC', place: '', units: null, intervalS: 60, silentAfterS: null };
  const store = standIn<StationStore>({
    autoUnitsOf: () => ['roof'],
    rulesOf: () => rules,
    listFor: () => [{ id: 'mast', body, changedAt: 0 }],
    latest: async (_: string, upTo = Number.POSITIVE_INFINITY) => observed.findLast(({ at }) => at <= upTo),
    async *read(_: string, { after, upTo }: { after: number; upTo: number }) {
      yield observed.filter(({ at }) => at > after && at <= upTo);
    },
    async judgedUntil(_: UnitRules, autoFrom: number) {
      rules = { ...rules, autoFrom };
    },
  });
  const notes: Note[] = [];
  const said: unknown[] = [];
  let room = 1;
  const host = standIn<Host & WithNotes>({
    clock: { now: () => WINDY.length * MINUTE_MS },
    log: { error: (about: unknown) => void said.push(about) },
    notes: {
      list: () => notes,
      versions: async () => notes,
      async add(unitId: string, note: NoteBody, by: string) {
        if (room === 0) throw new GatewayError('STORAGE_FULL', 'The disk is full.');
        room -= 1;
        const made = {
          ...note,
          unitId,
          by,
          id: notes.length + 1,
          version: 1,
          createdAt: 0,
          changedAt: 0,
          removed: false,
        };
        notes.push(made);
        return made;
      },
    },
  });
  const deliver = () => excludeNew(host, store, (work) => work(), { station: 'mast', from: 5 * MINUTE_MS });
  const spans = () => notes.map(({ from, to }) => [from / MINUTE_MS, Number(to) / MINUTE_MS]);

  t.strictSame(await deliver(), [{ unit_id: 'roof', id: '1' }], 'there was room for one');
  t.match(said, [{ unit_id: 'roof', why: 'The disk is full.' }], 'the other is told');
  t.equal(rules.autoFrom, 0, 'and what is judged stands still');
  t.strictSame(await deliver(), []);
  room = 10;
  t.strictSame(await deliver(), [{ unit_id: 'roof', id: '2' }]);
  t.strictSame(spans(), [
    [1, 2],
    [3, 5],
  ]);
  t.strictSame(await deliver(), []);
  t.equal(spans().length, 2);
  t.equal(said.length, 2);
});
