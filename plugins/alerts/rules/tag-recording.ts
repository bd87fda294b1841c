/**
 * A rule of a tag is also about units that get the tag later. From then on such a unit records the levels that the rule
 * needs, as the units with the tag did when the rule was created. A later change of `history` by a person stays.
 */
import { type DeviceConfig, type Host, messageOf } from '../../../lib/index.ts';
import type { RuleKind } from './kind.ts';
import { missingAt } from './recording.ts';
import { concerns, type Rule } from './rule.ts';

export interface TagRecordingParts {
  readonly host: Pick<Host, 'configs' | 'families' | 'log' | 'on'>;
  readonly kinds: readonly RuleKind[];
  readonly rules: () => readonly Rule[];
}

/** Follows the tags of all units until the plugin ends. */
export function recordTagged(parts: TagRecordingParts): void {
  const { host } = parts;
  const known = new Map(host.configs.list().map(({ unitId, tags }) => [unitId, tags]));
  host.on('config', ({ unitId }) => {
    const unit = host.configs.get(unitId);
    const before = known.get(unitId) ?? [];
    if (!unit) {
      known.delete(unitId);
      return;
    }
    known.set(unitId, unit.tags);
    if (unit.tags.some((tag) => !before.includes(tag))) void raise(parts, unit, before);
  });
}

async function raise({ host, kinds, rules }: TagRecordingParts, unit: DeviceConfig, before: readonly string[]) {
  const { unitId } = unit;
  const fresh = rules().filter(
    (rule) => rule.record !== false && rule.tag !== undefined && !concerns(rule, { unitId, tags: before }),
  );
  const missing = fresh.flatMap((rule) => missingAt({ host, kinds }, rule, unit) ?? []);
  const history = missing.some((one) => one.history === 'stream') ? 'stream' : missing[0]?.history;
  if (history === undefined) return;
  try {
    await host.configs.change(unitId, (present) => ({ ...(present ?? unit), history }));
    host.log.info({ unit_id: unitId, history, was: unit.history }, 'a unit records more, for rules of its new tag');
  } catch (error) {
    host.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'the recording of a unit was not raised for a rule');
  }
}
