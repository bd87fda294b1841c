/** A calibration that nobody ends: it is over at its deadline, and the stream is left. */
import t from 'tap';
import type { Meter } from '../../lib/index.ts';
import { CalibrationAssistants } from '../../plugins/calibration/assistant.ts';
import type { NoteBody } from '../../plugins/notes/note.ts';
import type { Notes } from '../../plugins/notes/records.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

t.test('a calibration that nobody ends is over after half an hour, and its exclusion says so before', async (t) => {
  const clock = new VirtualClock();
  const written: NoteBody[] = [];
  const notes = standIn<Notes>({
    list: () => [],
    add: async (_unitId: string, body: NoteBody) => {
      written.push(body);
      return { ...body, id: 7, unitId: 'roof', version: 1, by: 'Anna', changedAt: 0, createdAt: 0, removed: false };
    },
  });
  let watchers = 0;
  const watch = () => {
    watchers += 1;
    return () => {
      watchers -= 1;
    };
  };
  const meter = standIn<Meter>({ unitId: 'roof', feed: standIn<Meter['feed']>({ watch }) });
  const assistants = new CalibrationAssistants({ clock, notes });
  const from = clock.now();
  await assistants.start(meter, 94, 'Anna');
  await assistants.start(meter, 114, 'Bert');
  t.match(written, [{ from, to: from + 1_800_000, kind: 'exclusion', reason: 'calibration' }], 'one exclusion');
  t.match(assistants.of('roof'), { by: 'Anna', nominal: 94, note: 7, endsAt: from + 1_800_000 });
  await clock.advance(1_799_000);
  t.ok(assistants.of('roof'));
  t.equal(watchers, 1);
  await clock.advance(1_000);
  t.equal(assistants.of('roof'), undefined);
  t.equal(watchers, 0, 'the stream is left');
  t.equal(await assistants.end('roof', 'Anna'), undefined);
});
