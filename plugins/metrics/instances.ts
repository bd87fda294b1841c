/** The instances that share a database, as numbers. Nothing if the gateway is alone. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { INSTANCE_STATES, type InstancesKnown } from '../../lib/index.ts';

/** `member`: the label `instance` belongs to Prometheus, which puts the address of its request there. */
export function showInstances(registry: Registry, { members, takeovers }: InstancesKnown): void {
  const self = members.find(({ isSelf }) => isSelf);
  if (!self) return;
  const registers = [registry];
  const count = new Gauge({
    name: 'slm_instances',
    labelNames: ['state'],
    registers,
    help: 'Instances that share the database, by their state as the answering instance knows it',
  });
  for (const state of INSTANCE_STATES) count.set({ state }, members.filter((member) => member.state === state).length);
  const up = new Gauge({
    name: 'slm_instance_heard',
    labelNames: ['member', 'version'],
    registers,
    help: '1 while an instance gives signs of life, 0 while it is silent; an instance that was stopped regularly has no value',
  });
  for (const { name, version, state } of members)
    if (state !== 'left') up.set({ member: name, version }, state === 'silent' ? 0 : 1);
  const has = new Gauge({
    name: 'slm_instance_active',
    labelNames: ['member'],
    registers,
    help: '1 if the instance is active',
  });
  for (const { name, state } of members) has.set({ member: name }, Number(state === 'active'));
  new Counter({
    name: 'slm_instance_takeovers_total',
    labelNames: ['member'],
    registers,
    help: 'How often the process that answers became active since it began, the first time included',
  }).inc({ member: self.name }, takeovers);
}
