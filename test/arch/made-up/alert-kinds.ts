/** The plugin of the alerts with one more kind of rule and of target. Both are written in this file. */

import type { TargetKind } from '../../../plugins/alerts/delivery/target-kind.ts';
import { TARGET_KINDS } from '../../../plugins/alerts/delivery/target-kinds.ts';
import alerts from '../../../plugins/alerts/index.ts';
import type { Replayed, RuleKind } from '../../../plugins/alerts/rules/kind.ts';
import { RULE_KINDS } from '../../../plugins/alerts/rules/kinds.ts';

interface QuietFields {
  readonly floor_db: number;
  readonly place: 'inside' | 'outside';
  readonly glass?: number;
}

/** A second that is quieter than a floor: the microphone may have fallen off. */
export const quietKind: RuleKind<QuietFields> = {
  name: 'quiet',
  title: 'silence',
  fields: [
    {
      name: 'floor_db',
      label: 'Floor',
      unit: 'dB',
      schema: { type: 'number', minimum: 0, maximum: 100 },
      needed: true,
      usual: 20,
    },
    {
      name: 'place',
      label: 'Where',
      schema: { type: 'string', enum: ['inside', 'outside'] },
      default: 'outside',
      choices: [
        {
          value: 'inside',
          words: 'in a room',
          fields: [{ name: 'glass', label: 'Panes', schema: { type: 'number', minimum: 1 }, most: 3, unit: 'panes' }],
        },
        { value: 'outside', words: 'outside' },
      ],
    },
  ],
  words: ({ floor_db: floor, place }) => ({
    code: 'quieter',
    text: 'quieter than {floor} dB {place}',
    values: { floor, place },
  }),
  unitOf: () => 'dB',
  watch(rule, { open, events }) {
    let isOpen = open !== undefined;
    return {
      level({ at, to, levels: { leq = null } }) {
        const isQuiet = (leq ?? 0) < rule.floor_db;
        if (isQuiet && !isOpen)
          events.begin({
            what: 'leq',
            limitValue: rule.floor_db,
            windowFrom: at * 1_000,
            windowTo: to * 1_000,
            openedAt: at * 1_000,
            worst: leq,
            worstAt: at * 1_000,
            detail: 'It is too quiet.',
          });
        if (!isQuiet && isOpen) events.end(at * 1_000);
        isOpen = isQuiet;
      },
    };
  },
  async replay(rule, { unitId }, { from, to }, { history, signal }) {
    const found: Replayed[] = [];
    const answer = await history.query({ unitId, over: { from, to, step: 1 } }, signal);
    for await (const page of answer.rows)
      for (const { from: at, to: closedAt, leq } of page)
        if (leq !== null && leq < rule.floor_db) found.push({ at, closedAt, from: at, value: leq, valueAt: at });
    return found;
  },
};

/** Messages to targets of the kind `paper`. */
export const printed: string[] = [];

export const paperKind: TargetKind<{ readonly tray: string }> = {
  name: 'paper',
  title: 'a printer',
  fields: [{ name: 'tray', label: 'Tray', schema: { type: 'string', minLength: 1 }, needed: true }],
  async send({ tray }, messages) {
    for (const { type, event } of messages) printed.push(`${tray}: ${type} ${event.detail}`);
    return { ok: true, outcome: 'It is printed.' };
  },
};

const plugin: typeof alerts = {
  ...alerts,
  register(host) {
    RULE_KINDS.push(quietKind);
    TARGET_KINDS.push(paperKind);
    host.onStop(() => {
      RULE_KINDS.splice(RULE_KINDS.indexOf(quietKind), 1);
      TARGET_KINDS.splice(TARGET_KINDS.indexOf(paperKind), 1);
    });
    return alerts.register(host);
  },
};
export default plugin;
