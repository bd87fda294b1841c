/** Which limits a chart draws: those of rules about the channel that it shows. */
import t from 'tap';
import type { AlertRule } from '../../client/index.ts';
import { drawnLimits } from '../../web/state/limits.ts';

const rule = (more: Partial<AlertRule>): AlertRule => ({
  id: '1',
  name: 'Limit',
  kind: 'level',
  words: '',
  sentences: {},
  severity: 'warning',
  targets: [],
  state: 'watched',
  warnings: [],
  created_at: '2026-11-21T10:15:00.000Z',
  changed_at: '2026-11-21T10:15:00.000Z',
  enabled: true,
  units: ['roof'],
  limit_db: 70,
  ...more,
});

t.test('a limit is drawn over the levels of its channel alone', async (t) => {
  const { units: _, ...tagged } = rule({ id: '3', tag: 'site', channel: 'sub1', limit_db: 80 });
  const rules = [
    ...[rule({}), rule({ id: '2', channel: 'main', limit_db: 75 }), tagged],
    ...[rule({ channel: 'sub1', enabled: false }), rule({ channel: 'sub1', units: ['yard'] })],
  ];
  const drawn = (channel: string) =>
    drawnLimits(rules, { unit_id: 'roof', tags: ['site'] }, channel).map(({ level }) => level);
  t.strictSame(drawn('main'), [70, 75], 'a rule without a channel is about the main one');
  t.strictSame(drawn('sub1'), [80]);
  t.strictSame(drawn('sub2'), []);
});
