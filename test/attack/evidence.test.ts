/** A ZIP made to deceive is refused, and the report says why. */
import t from 'tap';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { differenceText } from '../../plugins/evidence/verify/report.ts';
import { packed, sourceOf } from '../support/evidence.ts';
import { ATTACKS } from '../support/evidence-attacks.ts';

const whole = await packed();

for (const { name, says, on } of ATTACKS)
  t.test(name, async (t) => {
    const { outcome, differences } = await verifyPackage(sourceOf(await on(whole)));
    t.match(outcome, /^(differs|not a package)$/);
    t.match(differences.map(differenceText).join('\n'), says);
  });
