/** The instances that share a database, as numbers. Nothing where the gateway is alone. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { InstancesKnown } from '../../cluster/contract.ts';
import { INSTANCE_STATES } from '../../domain/instance-states.ts';

/** `member`: the label `instance` belongs to Prometheus, which writes the address into it that it asked. */
export function showInstances(registry: Registry, { members, takeovers, unowned = [] }: InstancesKnown): void {
  const self = members.find(({ isSelf }) => isSelf);
  if (!self) return;
  const registers = [registry];
  const count = new Gauge({
    ...{ name: 'slm_instances', labelNames: ['state'], registers },
    help: 'Instances that share the database, by what the one that answers knows of them',
  });
  for (const state of INSTANCE_STATES) count.set({ state }, members.filter((member) => member.state === state).length);
  const up = new Gauge({
    ...{ name: 'slm_instance_heard', labelNames: ['member', 'version'], registers },
    help: '1 while an instance gives signs of life, 0 while it is silent; one that was stopped in order has none',
  });
  for (const { name, version, state } of members)
    if (state !== 'left') up.set({ member: name, version }, state === 'silent' ? 0 : 1);
  const has = new Gauge({
    ...{ name: 'slm_instance_has_meters', labelNames: ['member'], registers },
    help: '1 if the instance has the meters',
  });
  for (const { name, state } of members) has.set({ member: name }, Number(state === 'has the meters'));
  const served = new Gauge({
    ...{ name: 'slm_instance_units', labelNames: ['member'], registers },
    help: 'Units whose sessions with meters an instance serves, where meters are shared out',
  });
  for (const { name, units } of members) if (units !== undefined) served.set({ member: name }, units);
  if (self.units !== undefined)
    new Gauge({
      ...{ name: 'slm_units_unowned', registers },
      help: 'Units that no instance serves at this moment, where meters are shared out',
    }).set(unowned.length);
  new Counter({
    ...{ name: 'slm_instance_takeovers_total', labelNames: ['member'], registers },
    help: 'How often the process that answers got the meters since it began, the first time included',
  }).inc({ member: self.name }, takeovers);
}
