/** Entries of a schedule as the dashboard writes and reads them. */
import t from 'tap';
import { DAYS } from '../../web/alerts/rule-words.ts';
import { cronOf, wordsOfCron } from '../../web/campaign/cron-words.ts';

t.test('a time on some days is the five parts of the API', async (t) => {
  t.equal(cronOf('06:05', ['mon', 'fri']), '5 6 * * 1,5');
  t.equal(cronOf('22:00', ['sun', 'mon']), '0 22 * * 1,7');
  t.equal(cronOf('00:30', DAYS), '30 0 * * *');
  t.equal(cronOf('00:30', []), '30 0 * * *');
});

t.test('and is read back in words; a longer text is shown without change', async (t) => {
  t.equal(wordsOfCron('5 6 * * 1,5'), '06:05 Mon Fri');
  t.equal(wordsOfCron('0 22 * * 1-5'), '22:00 Mon Tue Wed Thu Fri');
  t.equal(wordsOfCron('0 22 * * 0'), '22:00 Sun');
  t.equal(wordsOfCron('30 0 * * *'), '00:30 every day');
  t.equal(wordsOfCron('*/5 * * * *'), '*/5 * * * *');
  t.equal(wordsOfCron('0 6 1 * *'), '0 6 1 * *');
});
