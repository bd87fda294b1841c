import type { DeviceConfig } from '../../lib/store/contract.ts';

/** The config of a meter, with what a test does not care about filled in. */
export const deviceConfig = (over: Partial<DeviceConfig> = {}): DeviceConfig => ({
  unitId: 'roof',
  host: '192.0.2.1',
  tcpPort: 2255,
  tcpEnabled: true,
  ftpEnabled: false,
  webEnabled: false,
  ftpPort: 21,
  ftpMode: 'active',
  ftpUsername: null,
  ftpPassword: null,
  pollEnabled: false,
  pollIntervalSeconds: 60,
  ...over,
});
