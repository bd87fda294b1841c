import t from 'tap';
import { squarePng } from '../support/pictures.ts';
import { fitsPhone, isFitInLightAndDark } from './support/axe.ts';
import { stageTest } from './support/stage.ts';

const LOGO = squarePng(40);

stageTest(t, 'a template is made of sections in an order, and letterheads have a logo', async (t, stage) => {
  await stage.addMeter('roof', { name: 'Roof', history: 'poll' });
  const page = await stage.open('reports');
  const templates = page.getByRole('region', { name: 'Templates' });
  await templates.getByText('Everything').waitFor();
  t.equal(await templates.getByRole('button', { name: 'Change Everything' }).count(), 0, 'it comes with the gateway');
  await templates.getByText('A new template').click();
  await templates.getByLabel('Name of the template').fill('full');
  await templates.getByLabel('Title of the template').fill('Permit <i>');
  await templates.getByRole('button', { name: 'Save this template' }).click();
  await templates.locator('.said.bad', { hasText: 'comes with the gateway' }).waitFor();
  await templates.getByLabel('Name of the template').fill('permit');
  await templates.getByLabel('Add a section').selectOption('Weather');
  await templates.getByRole('button', { name: 'Up Weather' }).click();
  await templates.getByRole('button', { name: 'Leave out Summary in two sentences' }).click();
  await templates.getByLabel('Title of “Limits”').fill('Permit 12/345');
  await templates.getByRole('button', { name: 'Save this template' }).click();
  await templates.getByText('Permit 12/345, Weather, Levels over time').waitFor();
  t.match(await stage.client.reportTemplate('permit'), {
    title: 'Permit <i>',
    sections: ['limits', 'weather', 'charts'],
    titles: { limits: 'Permit 12/345' },
  });

  const heads = page.getByRole('region', { name: 'Letterheads' });
  await heads.getByText('A new letterhead').click();
  const choose = (name: string, buffer: Buffer, mimeType = 'image/png') =>
    heads.getByLabel(/ogo, PNG or JPEG/).setInputFiles({ name, mimeType, buffer });
  await choose('logo.png', Buffer.from('<svg onload="alert(1)"/>'));
  await heads.getByRole('alert').filter({ hasText: 'This file is no PNG and no JPEG.' }).waitFor();
  await choose('logo.png', Buffer.alloc(1_000_001, 1));
  await heads.getByRole('alert').filter({ hasText: 'a logo may have 1 MB' }).waitFor();
  t.equal(await heads.getByRole('img').count(), 0);
  const broken = Buffer.concat([LOGO.subarray(0, 40), Buffer.alloc(60)]);
  await choose('logo.png', broken);
  await heads.getByLabel('Name of the letterhead').fill('office');
  await heads.getByLabel('Lines, up to 6').fill('Noise Office <b>\nHarbour Road 1\n');
  await heads.getByRole('button', { name: 'Save this letterhead' }).click();
  await heads.getByRole('alert').waitFor();
  t.strictSame(await stage.client.reportLetterheads(), [], 'nothing is half kept');
  await choose('logo.png', LOGO);
  await heads.getByRole('button', { name: 'Save this letterhead' }).click();
  await heads.locator('.entry', { hasText: 'Harbour Road 1' }).getByRole('img', { name: 'Logo' }).waitFor();
  t.match(await stage.client.reportLetterhead('office'), {
    lines: ['Noise Office <b>', 'Harbour Road 1'],
    logo: LOGO.toString('base64'),
  });
  await isFitInLightAndDark(t, page);

  // The form of a report offers both at once.
  const form = page.getByRole('form', { name: 'New report' });
  await form.getByLabel('What is in it').selectOption('permit');
  await form.getByLabel('Letterhead').selectOption('office');

  await heads.getByRole('button', { name: 'Change office' }).click();
  const head = page.getByRole('form', { name: 'Change office' });
  await head.getByLabel('Lines, up to 6').fill('Noise Office');
  await head.getByRole('button', { name: 'Save this letterhead' }).click();
  await head.waitFor({ state: 'detached' });
  t.match(await stage.client.reportLetterhead('office'), { lines: ['Noise Office'], logo: LOGO.toString('base64') });
  await templates.getByRole('button', { name: 'Change Permit <i>' }).click();
  await fitsPhone(page);
  const change = page.getByRole('form', { name: 'Change Permit <i>' });
  await change.getByLabel('Title of “Limits”').fill('');
  await change.getByRole('button', { name: 'Save this template' }).click();
  await templates.getByText('Limits, Weather, Levels over time').waitFor();
  t.match(await stage.client.reportTemplate('permit'), { titles: {} });
  await templates.getByRole('button', { name: 'Remove Permit <i>' }).click();
  await templates.getByRole('button', { name: 'Yes, remove Permit <i>' }).click();
  await heads.getByRole('button', { name: 'Remove office' }).click();
  await heads.getByRole('button', { name: 'Yes, remove office' }).click();
  await heads.locator('.entry').waitFor({ state: 'detached' });
  await templates.locator('.entry', { hasText: 'Permit <i>' }).waitFor({ state: 'detached' });
  t.strictSame(await stage.client.reportLetterheads(), []);
  t.equal((await stage.client.reportTemplates()).filter(({ built_in: isBuiltIn }) => !isBuiltIn).length, 0);
});
