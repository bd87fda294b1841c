/** Writers that do not send CR LF: LF alone, CR LF LF, and an empty LF that asks whether the meter is ready. */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { openMeter, PROFILES } from './meters.ts';

const RESULT = /R\+000\d\r\n/;
const DISPLAY = /R\+0000\r\n[^\r\n]+\r\n/;

for (const name of PROFILES) {
  t.test(`a writer of bare LF: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    const bytes = await Bytes.open(meter.tcpPort);
    bytes.write('DOD?\n');
    if (profile.line_feed_only === 'refused') {
      await clock.advance(10_000);
      t.notMatch(bytes.text, RESULT, 'the line is not over');
      bytes.write('\r\n');
      t.match(await clock.until(bytes.until(RESULT)), /R\+0001/, 'and is no command when it is');
    } else {
      t.match(await clock.until(bytes.until(DISPLAY)), DISPLAY);
      await clock.advance(1_000);
      bytes.write('Measure?\n');
      t.match(await clock.until(bytes.until(DISPLAY)), /Stop\r\n/);
    }
    bytes.close();
  });

  t.test(`a writer of CR LF LF gets one reply to each command: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    const bytes = await Bytes.open(meter.tcpPort);
    const results: string[] = [];
    for (let time = 0; time < 5; time++) {
      bytes.text = '';
      bytes.write('Pause?\r\n\n');
      await clock.advance(1_000);
      results.push(...(bytes.text.match(/R\+000\d/g) ?? []));
    }
    const takesLf = profile.line_feed_only === 'ends the line';
    const afterFirst = takesLf ? 'R+0000' : 'R+0001';
    t.same(results, ['R+0000', ...Array(4).fill(afterFirst)], takesLf ? '' : 'LF spoils the next line');
    bytes.close();
  });

  t.test(`an empty LF asks whether the meter is ready: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    const bytes = await Bytes.open(meter.tcpPort);
    await clock.advance(1_000);
    bytes.text = '';
    bytes.write('\n');
    await clock.advance(1_000);
    const ends = profile.line_feed_only === 'ends the line';
    const prompts = ends && profile.empty_line === 'prompt' && profile.prompt_after_reply;
    t.equal(bytes.text.includes('$'), prompts);
    t.notMatch(bytes.text, RESULT);
    bytes.close();
  });
}
