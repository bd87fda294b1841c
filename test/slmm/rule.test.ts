/** A rule of SLMM as a rule of this gateway. The paths of the two gateways cannot be the same. */
import t from 'tap';
import { settingsFrom } from '../../lib/settings/index.ts';
import { gatewayRule, ruleChange, type SlmmRule, slmmRuleOf } from '../../plugins/slmm/alert-rule.ts';
import { utcOf } from '../../plugins/slmm/file-routes.ts';
import { slmmTime } from '../../plugins/slmm/route.ts';

const RULE: SlmmRule = {
  name: 'Alert',
  metric: 'lp',
  comparison: 'above',
  threshold_db: 70,
  duration_s: 0,
  clear_margin_db: 2,
  cooldown_s: 300,
  schedule_start: null,
  schedule_end: null,
  schedule_days: null,
  channels: 'log',
  recipients: null,
  enabled: true,
};
const of = (more: Partial<SlmmRule>) => gatewayRule('roof', { ...RULE, ...more });

t.test('a limit on a moment is one on Lmax, a limit on a time one on Leq', async (t) => {
  t.match(of({}), { quantity: 'lmax', window: '1m', limit_db: 70, clear_db: 68, units: ['roof'], align: 'sliding' });
  t.match(of({ duration_s: 61 }), { quantity: 'leq', window: '5m' });
  t.match(of({ metric: 'ln2', duration_s: 900 }), { quantity: 'l10', window: '15m' });
  t.match(of({ duration_s: 86_400 }), { window: '12h' });
  t.throws(() => of({ comparison: 'below' }), { code: 'INVALID', message: /no rules for levels below/ });
  t.throws(() => of({ metric: 'lmin' }), { code: 'INVALID' });
});

t.test('days are counted from Monday, and a whole day ends at 24:00', async (t) => {
  t.same(of({}).schedule, undefined);
  t.same(of({ schedule_days: '0,6' }).schedule, [{ days: ['mon', 'sun'], from: '00:00', to: '24:00' }]);
  const night = of({ schedule_start: '22:00', schedule_end: '06:00' });
  t.match(night.schedule, [{ from: '22:00', to: '06:00', days: { length: 7 } }]);
  t.match(slmmRuleOf({ ...night, id: '3' }), {
    metric: 'lmax',
    schedule_start: '22:00',
    schedule_days: '0,1,2,3,4,5,6',
  });
});

t.test(
  'a rule with one end of its time holds from or until midnight, and differences of the rule are listed',
  async (t) => {
    t.match(of({ schedule_start: '22:00' }).schedule, [{ from: '22:00', to: '24:00' }]);
    t.match(of({ schedule_end: '06:00' }).schedule, [{ from: '00:00', to: '06:00' }]);
    t.match(of({ schedule_start: '07:00', schedule_end: '07:00' }).schedule, [{ from: '00:00', to: '24:00' }]);
    const change = (more: Partial<SlmmRule>) => ruleChange({ ...RULE, cooldown_s: 0, ...more });
    t.equal(change({ metric: 'leq', duration_s: 900 }), undefined);
    t.equal(change({}), 'lp for 0 s becomes lmax of 1m.');
    t.match(change({ schedule_start: '22:00' }), /until 24:00, because one end/);
    t.match(change({ recipients: 'a@example.org', cooldown_s: 300 }), /recipients are left out.*pause of 300 s/);
  },
);

t.test('times have no zone and six digits or none; times of the meter are read in the zone of the unit', async (t) => {
  t.equal(slmmTime(Date.UTC(2026, 10, 21, 10)), '2026-11-21T10:00:00');
  t.equal(slmmTime('2026-11-21T10:00:00.250Z'), '2026-11-21T10:00:00.250000');
  t.equal(new Date(utcOf('2026-07-01T12:00:00', 'Europe/Berlin')).toISOString(), '2026-07-01T10:00:00.000Z');
  t.equal(new Date(utcOf('2026-12-01T12:00:00', 'Europe/Berlin')).toISOString(), '2026-12-01T11:00:00.000Z');
});

t.test('the two APIs cannot have one base path', async (t) => {
  const around = { env: {}, home: '/home/me' };
  const paths = { slmm: true, slmm_base_path: '/api/nl43' };
  t.throws(() => settingsFrom(paths, around), { message: /slmm_base_path: .*set base_path to another one/ });
  t.match(settingsFrom({ ...paths, base_path: '/slm' }, around), paths);
});
