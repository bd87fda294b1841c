/** Colours of days in the calendar. */
import t from 'tap';
import type { schemas } from '../../client/index.ts';
import { type Facts, isAbove, statusOf } from '../../web/days/day-status.ts';

const of = (more: Partial<Facts>, coverage = 1, valid = true) =>
  statusOf({
    level: 50,
    exceeded: 0,
    limit: undefined,
    verdict: undefined,
    day: { coverage: { day: coverage, evening: coverage, night: coverage, all: coverage }, valid },
    ...more,
  });

t.test('a loud day is marked, also where it is not complete', async (t) => {
  t.equal(of({}), 'measured', 'without a permit a level is no verdict');
  t.equal(of({ exceeded: 1 }), 'exceeded');
  t.equal(of({ exceeded: 3 }, 0.2, false), 'exceeded');
  t.equal(of({ exceeded: 1, day: undefined }), 'exceeded', 'even where its levels are gone');
  t.equal(of({}, 0.2, false), 'partly', 'a quiet one is not known to be quiet as a whole');
  t.equal(of({}, 0, false), 'none');
  const read = (readings: number) => of({ day: { coverage: { all: 0 }, valid: false, readings } });
  t.equal(read(3), 'readings', 'single readings say something, and are not measured time');
  t.equal(read(0), 'none');
  const told = (quality: 'sampled' | 'none') => of({ day: { coverage: { all: 0 }, valid: false, quality } });
  t.equal(told('sampled'), 'readings', 'as the indices say it');
  t.equal(told('none'), 'none');
  t.equal(of({ day: undefined }), 'none');
});

t.test('when notes exclude all that was measured, the day is neither quiet nor without data', async (t) => {
  const without = (leq_all: number | null, readings = 0) =>
    of({ day: { coverage: { all: 0 }, valid: false, readings, leq_all } });
  t.equal(without(66), 'excluded');
  t.equal(without(null), 'none', 'an excluded hour in which nothing was measured changes nothing');
  t.equal(without(null, 3), 'readings', 'readings that count are shown');
  const rest = (coverage: number, valid: boolean) => of({ day: { coverage: { all: coverage }, valid, leq_all: 66 } });
  t.equal(rest(0.3, false), 'partly', 'little time that counts says nothing about the rest');
  t.equal(rest(0.9, true), 'measured');
});

t.test('the index has a limit of its own, compared as it is shown', async (t) => {
  t.equal(of({ level: 55.04, limit: 55 }), 'within');
  t.equal(of({ level: 55.06, limit: 55, verdict: undefined }), 'exceeded');
  t.equal(of({ level: 60, limit: 55 }, 0.5, false), 'exceeded');
  t.equal(of({ level: null, limit: 55, verdict: undefined }), 'within');
  t.notOk(isAbove(null, 55));
  t.notOk(isAbove(60, undefined));
});

t.test('the verdict of a permit decides, whatever rules found', async (t) => {
  const by = (verdict: schemas.UnitVerdict['verdict'], isAmber = false, more: Partial<Facts> = {}) =>
    of({ verdict: { verdict, is_amber: isAmber }, ...more });
  t.equal(by('met'), 'within');
  t.equal(by('met', false, { exceeded: 2 }), 'within', 'a rule with another limit changes nothing');
  t.equal(by('met', true), 'amber');
  t.equal(by('exceeded'), 'exceeded');
  t.equal(by('excluded'), 'excluded');
  t.equal(by('not_assessable'), 'partly');
  t.equal(by('not_over'), 'open');
  t.equal(by('not_over', false, { day: undefined }), 'open', 'before its first level, too');
  t.equal(by('not_assessable', false, { day: undefined }), 'none');
});
