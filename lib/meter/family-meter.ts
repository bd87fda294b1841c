/** Answers of a meter about its family, wherever its session is. */
import type { Family, MeterSetting, OperationName } from '../drivers/contract.ts';
import { operationOf, settingOf } from '../drivers/not-supported.ts';
import type { Meter } from './contract.ts';

/** The part of a meter that sends nothing. */
export abstract class FamilyMeter implements Pick<Meter, 'can' | 'assertCan' | 'setting'> {
  abstract readonly unitId: string;
  abstract readonly family: Family;

  can(...names: readonly OperationName[]): boolean {
    return names.every((name) => this.family.operations[name]);
  }

  assertCan(...names: readonly OperationName[]): void {
    for (const name of names) operationOf(this, name);
  }

  setting(name: string): MeterSetting {
    return settingOf(this, name);
  }
}
