import t from 'tap';
import type { MemberState } from '../../lib/cluster/contract.ts';
import { inBrowser, openStage, stageTest } from './support/stage.ts';

stageTest(t, 'a gateway alone has no list of instances', async (t, { open }) => {
  const page = await open('settings/gateway');
  await page.getByRole('region', { name: 'About' }).waitFor();
  t.equal(await page.getByRole('heading', { name: 'Instances' }).count(), 0);
});

inBrowser(t, 'a silent instance stands out, with the time of its last sign of life', async (t) => {
  const usual = { version: '0.2.0', lastSeen: Date.UTC(2026, 10, 23, 12, 5), isSelf: false };
  let members: MemberState[] = [
    { ...usual, id: 'n', name: 'north', address: 'http://192.0.2.10:8100', state: 'active', isSelf: true },
    { ...usual, id: 's', name: '<b>south</b>', address: 'http://192.0.2.11:8100', state: 'standby', version: '0.3.0' },
  ];
  const removed: string[] = [];
  const seat = {
    ownership: { member: 'n', incarnation: 1 },
    mayAct: () => true,
    known: () => ({ members, takeovers: 1, gap: undefined }),
    remove: async (id: string) => {
      removed.push(id);
      members = members.filter((one) => one.id !== id);
      return true;
    },
    troubles: () => [],
    beforeListen: async () => {},
  };
  const { open } = await openStage(t, {}, { instance: seat });
  const page = await open('settings/gateway', { timezoneId: 'UTC' });
  const panel = page.getByRole('region', { name: 'Instances' });
  const [north, south] = [panel.getByRole('listitem').nth(0), panel.getByRole('listitem').nth(1)];
  await north.getByText('active').waitFor();
  t.match(await north.textContent(), /north \(answers this page\): active.*192\.0\.2\.10:8100, version 0\.2\.0/);
  t.match(await south.textContent(), /<b>south<\/b>: standby, ready to take over.*version 0\.3\.0/);
  t.equal(await panel.locator('.bad').count(), 0);

  members = members.map((one) => (one.isSelf ? one : { ...one, state: 'silent' }));
  await south.locator('.said.bad').waitFor();
  t.match(await south.textContent(), /silent: last sign of life .*12:05/, 'without a click');
  members = members.map((one) => ({ ...one, lastSeen: undefined }));
  await south.getByText('silent: no sign of life since this gateway began').waitFor();

  t.equal(await north.getByRole('button').count(), 0, 'one that lives cannot be removed');
  await south.getByRole('button', { name: 'Remove <b>south</b>' }).click();
  await south.getByRole('button', { name: 'Keep <b>south</b>' }).waitFor();
  t.strictSame(removed, [], 'it is asked once more');
  await south.getByRole('button', { name: 'Yes, remove <b>south</b>' }).click();
  await south.waitFor({ state: 'detached' });
  t.strictSame(removed, ['s']);
});

stageTest(t, 'the form of a rule offers the instances, and asks for no meters then', async (_t, { open, addMeter }) => {
  await addMeter('roof');
  const page = await open('alerts');
  await page.getByLabel(/^At/).waitFor();
  await page.getByLabel('Is about').selectOption('instances');
  await page.getByLabel(/^At/).waitFor({ state: 'detached' });
  await page.getByLabel('That').selectOption('instance_silent');
  await page.getByText('This gateway is alone').waitFor();
  await page.getByRole('button', { name: 'Save this rule' }).click();
  await page.getByText('An instance is silent for 5 min, warning').waitFor();
});
