import t from 'tap';
import * as commands from '../../../lib/drivers/nl43/commands.ts';
import type { Command, StreamCommand } from '../../../lib/drivers/wire/contract.ts';
import { dod, drd } from './lines.ts';

const { Manual: MANUAL, Auto: AUTO } = commands.MEASUREMENT_TIMES;

/** Spelling from the command list of guide 66132; what the field log has seen accepted is marked. */
const SETTINGS: [Command<void>, string][] = [
  [commands.startMeasurement(), 'Measure,Start'], // field log
  [commands.stopMeasurement(), 'Measure,Stop'], // field log
  [commands.pause(), 'Pause,On'],
  [commands.resume(), 'Pause,Off'],
  [commands.reset(), 'Reset'],
  [commands.manualStore(), 'Manual Store,Start'], // field log
  [commands.setClock('2025/12/24 02:10:55'), 'Clock,2025/12/24 02:10:55'],
  [commands.setSleepMode(true), 'Sleep Mode,On'], // field log
  [commands.setSleepMode(false), 'Sleep Mode,Off'], // field log
  [commands.setFtp(true), 'FTP,On'], // field log
  [commands.setFtp(false), 'FTP,Off'], // field log
  [commands.setFrequencyWeighting('Sub1', 'C'), 'Frequency Weighting (Sub1),C'],
  [commands.setTimeWeighting('Main', 'S'), 'Time Weighting (Main),S'],
  [commands.setStoreMode('Timer Auto'), 'Store Mode,Timer Auto'],
  [commands.setStoreName(19), 'Store Name,0019'],
  [commands.setLpInterval('100ms'), 'Lp Store Interval,100ms'],
  [MANUAL.setPreset('15m'), 'Measurement Time Preset Manual,15m'],
  [AUTO.setPreset('Manual'), 'Measurement Time Preset Auto,Manual'],
  [MANUAL.setNumber(12), 'Measurement Time Manual (Num),12'],
  [AUTO.setUnit('h'), 'Measurement Time Auto (Unit),h'],
  [commands.LEQ_INTERVAL.setPreset('Off'), 'Leq Calculation Interval Preset,Off'],
  [commands.LEQ_INTERVAL.setNumber(3), 'Leq Calculation Interval (Num),3'],
  [commands.LEQ_INTERVAL.setUnit('m'), 'Leq Calculation Interval (Unit),m'],
];

const REQUESTS: [Omit<Command<unknown>, 'tells'>, string, string, unknown][] = [
  [commands.measureState(), 'Measure?', 'Start', 'Start'],
  [commands.pauseState(), 'Pause?', 'Off', 'Off'],
  [commands.deviceType(), 'Type?', 'NL-43', 'NL-43'],
  [commands.serialNumber(), 'Serial Number?', '00123456', '00123456'],
  [commands.systemVersion(), 'System Version?', '1.7', '1.7'],
  [commands.batteryLevel(), 'Battery Level?', 'Full', { percent: 100, word: 'Full' }], // field log
  [commands.sdFreeSize(), 'SD Card Free Size?', '30436', 30_436],
  [commands.sdTotalSize(), 'SD Card Total Size?', '30500', 30_500],
  [commands.clock(), 'Clock?', '2025/12/24 02:10:55', '2025/12/24 02:10:55'], // field log
  [commands.sleepMode(), 'Sleep Mode?', 'On', 'On'], // field log
  [commands.ftp(), 'FTP?', 'Off', 'Off'], // field log
  [commands.frequencyWeighting('Main'), 'Frequency Weighting (Main)?', 'A', 'A'], // field log
  [commands.timeWeighting('Sub3'), 'Time Weighting (Sub3)?', 'I', 'I'],
  [commands.storeMode(), 'Store Mode?', 'Timer Auto', 'Timer Auto'],
  [commands.storeName(), 'Store Name?', '0019', '0019'],
  [commands.lpInterval(), 'Lp Store Interval?', '100ms', '100ms'],
  [MANUAL.preset, 'Measurement Time Preset Manual?', '10m', '10m'],
  [AUTO.number, 'Measurement Time Auto (Num)?', '12', 12],
  [MANUAL.unit, 'Measurement Time Manual (Unit)?', 'h', 'h'],
  [commands.LEQ_INTERVAL.preset, 'Leq Calculation Interval Preset?', 'Manual', 'Manual'],
  [commands.LEQ_INTERVAL.number, 'Leq Calculation Interval (Num)?', '3', 3],
  [commands.LEQ_INTERVAL.unit, 'Leq Calculation Interval (Unit)?', 's', 's'],
];

t.test('every setting is spelt as the meter spells it, and its reply has no value', async (t) => {
  for (const [command, text] of SETTINGS) {
    t.match(command, { text, kind: 'setting' });
    t.equal(command.decode(''), undefined);
  }
});

t.test('every request is spelt as the meter spells it, and its reply is read', async (t) => {
  for (const [command, text, line, value] of REQUESTS) {
    t.match(command, { text, kind: 'request' });
    t.same(command.decode(line), value, text);
    t.throws(() => command.decode('R+0000'), { name: 'DecodeError' }, `${text} takes no result line for a value`);
  }
});

t.test('the data lines are asked for and read', async (t) => {
  t.equal(commands.display().text, 'DOD?');
  t.equal(commands.lastResult().text, 'DLC?');
  t.equal(commands.display().decode(dod()).main.leq, '20.1');
  t.equal(commands.lastResult().decode(dod()).main.lpeak, '21.0');
});

t.test('the streams are asked for and read', async (t) => {
  const plain: StreamCommand<unknown> = commands.frames();
  t.equal(plain.text, 'DRD?');
  t.match(plain.decode(drd()), { counter: 163 });
  t.equal(commands.statusFrames().text, 'DRD?status');
  t.match(commands.statusFrames().decode(`${drd()},2025/12/24 02:10:55,E,F,30436,M`), { sd_free_mb: 30_436 });
});

t.test('knowledge about the state of the meter from a reply', async (t) => {
  const told = <T>(command: Command<T>, value: T) => command.tells?.(value);
  t.same(told(commands.measureState(), 'Start'), { measuring: true });
  t.same(told(commands.measureState(), 'Stop'), { measuring: false, paused: false });
  t.same(told(commands.startMeasurement(), undefined), { measuring: true, paused: false, began: true });
  t.same(told(commands.stopMeasurement(), undefined), { measuring: false, paused: false });
  t.same(told(commands.pause(), undefined), { measuring: true, paused: true });
  t.same(told(commands.resume(), undefined), { paused: false });
  t.same(told(commands.pauseState(), 'On'), { paused: true });
  t.same(told(commands.pauseState(), 'Off'), { paused: false });
  t.same(told(commands.clock(), '2025/12/24 02:10:55'), { clock: Date.UTC(2025, 11, 24, 2, 10, 55) });
  t.same(told(commands.storeName(), '0019'), { storeName: '0019' });
  t.equal(commands.setFtp(true).tells, undefined);
});
