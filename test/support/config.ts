import { newConfig } from '../../lib/domain/fields/config.ts';
import type { DeviceConfig } from '../../lib/store/contract.ts';

/** The config of a meter, with what a test does not care about filled in. */
export const deviceConfig = (over: Partial<DeviceConfig> = {}): DeviceConfig => ({
  ...newConfig('UTC'),
  unitId: 'roof',
  host: '192.0.2.1',
  pollEnabled: false,
  history: 'off',
  ...over,
});
