import t from 'tap';
import type { Sender } from '../../../lib/drivers/contract.ts';
import { readMeasurementTime, writeLeqInterval, writeMeasurementTime } from '../../../lib/drivers/nl43/times.ts';
import { GatewayError } from '../../../lib/errors.ts';

type Exchange = readonly [sent: string, reply: string | GatewayError];

/** A line that expects exactly these commands, in this order. Unexpected or left-over ones fail. */
function scripted(...exchanges: Exchange[]): Pick<Sender, 'send'> & { readonly left: Exchange[] } {
  const left = [...exchanges];
  return {
    left,
    async send(command) {
      const [sent, reply] = left.shift() ?? ['nothing', ''];
      if (command.text !== sent) throw new Error(`${command.text} was sent instead of ${sent}`);
      if (reply instanceof GatewayError) throw reply;
      return command.decode(reply);
    },
  };
}

t.test('Manual means: read number and unit', async (t) => {
  const line = scripted(
    ['Store Mode?', 'Manual'],
    ['Measurement Time Preset Manual?', 'Manual'],
    ['Measurement Time Manual (Num)?', '12'],
    ['Measurement Time Manual (Unit)?', 'h'],
    ['Store Mode?', 'Manual'],
    ['Measurement Time Preset Manual?', 'Manual'],
    ['Measurement Time Manual (Num)?', '12'],
    ['Measurement Time Manual (Unit)?', ' hour '],
  );
  t.equal(await readMeasurementTime(line), '12h');
  t.equal(await readMeasurementTime(line), '12h');
  t.same(line.left, [], 'everything was sent');
});

t.test('another time is written as number, unit and Manual, and answered as it will be read', async (t) => {
  const line = scripted(
    ['Store Mode?', 'Manual'],
    ['Measurement Time Manual (Num),12', ''],
    ['Measurement Time Manual (Unit),h', ''],
    ['Measurement Time Preset Manual,Manual', ''],
  );
  t.equal(await writeMeasurementTime(line, '12h'), '12h');
  t.same(line.left, [], 'everything was sent');
});

t.test('a time that cannot be is refused before anything is sent', async (t) => {
  const line = scripted();
  for (const text of ['00:16:41', '0s', '1001h', 'Off', 'soon'])
    await t.rejects(writeMeasurementTime(line, text), { name: 'GatewayError', code: 'INVALID' }, text);
  await t.rejects(writeLeqInterval(line, 'Manual'), { name: 'GatewayError', code: 'INVALID' });
  t.same(line.left, [], 'everything was sent');
});

const UNSURE = [
  ['Store Mode?', 'Manual'],
  ['Measurement Time Manual (Num)?', '10'],
  ['Measurement Time Manual (Num),330', ''],
] as const;

t.test('whether a number beyond 59 is taken is for the meter to say', async (t) => {
  const line = scripted(
    ...UNSURE,
    ['Measurement Time Manual (Unit),s', ''],
    ['Measurement Time Preset Manual,Manual', ''],
  );
  t.equal(await writeMeasurementTime(line, '00:05:30'), '330s');
  t.same(line.left, [], 'everything was sent');
});

t.test('a meter that refuses the unit gets its number back', async (t) => {
  const refusal = new GatewayError('DEVICE_REFUSED_PARAMETER', 'R+0002');
  const line = scripted(
    ...UNSURE,
    ['Measurement Time Manual (Unit),s', refusal],
    ['Measurement Time Manual (Num),10', ''],
  );
  await t.rejects(writeMeasurementTime(line, '00:05:30'), refusal);
  t.same(line.left, [], 'everything was sent');
});

t.test('a meter that refuses the number is left on its preset', async (t) => {
  const refusal = new GatewayError('DEVICE_REFUSED_PARAMETER', 'R+0002');
  const line = scripted(['Store Mode?', 'Manual'], ['Measurement Time Manual (Num),12', refusal]);
  await t.rejects(writeMeasurementTime(line, '12h'), refusal);
  t.same(line.left, [], 'everything was sent');
});
