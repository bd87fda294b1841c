/** The log of checks with a sound calibrator. Nothing is deleted; each change is a new version. */
import type { Plugin } from '../../lib/index.ts';
import notes from '../notes/index.ts';
import { CalibrationAssistants } from './assistant.ts';
import { addAssistant } from './assistant-routes.ts';
import { CALIBRATION_VERSIONS, calibrationMigrations } from './calibration.ts';
import { CalibrationRecords, type Calibrations } from './records.ts';
import { addCalibrationRoutes } from './routes.ts';

export { type CalibrationDrift, DOUBTFUL, doubtfulWords, shownDoubtful } from './drift.ts';
export type { CalibrationState, WithCalibrations } from './records.ts';

const plugin: Plugin<{ readonly drift_db: number }, Calibrations> = {
  name: 'calibration',
  about: 'The log of calibrations, and how far the meter moved between them',
  uses: ['notes'],
  settings: {
    type: 'object',
    properties: {
      drift_db: { type: 'number', title: 'The setting calibration_drift_db', default: 0.5 },
    },
  },
  async register(host) {
    const tables = await host.tables([CALIBRATION_VERSIONS], calibrationMigrations);
    const calibrations = new CalibrationRecords(tables, host.clock, host.settings.drift_db);
    await calibrations.load();
    host.onStop(() => calibrations.close());
    const written = host.use(notes);
    const assistants = new CalibrationAssistants({ clock: host.clock, notes: written });
    host.onStop(() => assistants.close());
    addCalibrationRoutes(host, calibrations, written);
    addAssistant({ host, calibrations, notes: written, assistants });
    return calibrations;
  },
};
export default plugin;
