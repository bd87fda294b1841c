/** The pages of the settings, each a list of sections. */
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Role, suffices } from '../../client/index.ts';
import { AlertTargets } from '../alerts/alert-targets.tsx';
import { ProfileList } from '../campaign/profiles.tsx';
import { PAGES } from '../pages.ts';
import { about, client, mayAdminister } from '../state/access.ts';
import { anchor, go, type OwnPage, page } from '../state/address.ts';
import { changes, meters, titleOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { save } from '../ui/download-link.tsx';
import { JobList } from '../ui/job-list.tsx';
import { Link } from '../ui/link.tsx';
import { Paged } from '../ui/paged.tsx';
import { say, sayWith } from '../words/say.ts';
import { Activity } from './activity.tsx';
import { AddMeter } from './add-meter.tsx';
import { Instances } from './instances.tsx';
import { Keys } from './keys.tsx';
import { MeterConfig } from './meter-config.tsx';
import { People, Sessions } from './people.tsx';
import { PermitList } from './permits.tsx';
import { Phones } from './phones.tsx';
import { PlanPicture } from './plan-picture.tsx';
import { Shares } from './shares.tsx';
import { Stations } from './stations.tsx';

interface Section {
  /** Of its heading: the part of an address behind `#`. */
  readonly id: string;
  /** The lowest role for which there is something in it. */
  readonly role: Role;
  readonly View: ComponentType;
  /** Small ones share a line where the screen is wide. */
  readonly isSmall?: true;
}
type SettingsName = Extract<OwnPage, { readonly view: 'SettingsPage' }>['name'];

const SECTIONS: Readonly<Record<SettingsName, readonly Section[]>> = {
  settings: [
    { id: 'add', role: 'admin', View: AddMeter },
    { id: 'configs', role: 'admin', View: Configs },
    { id: 'profiles', role: 'operator', View: ProfileList },
  ],
  people: [
    { id: 'people', role: 'admin', View: People },
    { id: 'keys', role: 'admin', View: Keys, isSmall: true },
    { id: 'sessions', role: 'viewer', View: Sessions, isSmall: true },
    { id: 'shares', role: 'admin', View: Shares, isSmall: true },
  ],
  targets: [
    { id: 'targets', role: 'admin', View: Recipients },
    { id: 'phones', role: 'viewer', View: Phones, isSmall: true },
  ],
  sites: [
    { id: 'permits', role: 'operator', View: PermitList },
    { id: 'stations', role: 'operator', View: Stations },
    { id: 'plan-picture', role: 'admin', View: PlanPicture, isSmall: true },
  ],
  data: [
    { id: 'jobs', role: 'operator', View: () => <JobList /> },
    { id: 'backup', role: 'admin', View: Backup, isSmall: true },
  ],
  gateway: [
    { id: 'activity', role: 'admin', View: Activity },
    { id: 'instances', role: 'viewer', View: Instances, isSmall: true },
    { id: 'about', role: 'viewer', View: AboutGateway, isSmall: true },
  ],
};
const SETTINGS_PAGES = PAGES.filter((each) => each.view === 'SettingsPage');

const sectionsOf = (name: SettingsName): readonly Section[] =>
  SECTIONS[name].filter(({ role }) => suffices(about.value?.caller.role ?? 'viewer', role));

/** The pages that have something for the caller. */
export const settingsOffered = () => SETTINGS_PAGES.filter(({ name }) => sectionsOf(name).length > 0);

/** The page of the address, with links to the others that have something for the caller. */
export function SettingsPage() {
  const offered = settingsOffered();
  const shown = offered.find(({ name }) => name === page.value.name);
  // Everything was on one page before, and links to its sections are still about.
  const target =
    offered.find(({ name }) => sectionsOf(name).some(({ id }) => id === anchor.value)) ?? shown ?? offered[0];
  useEffect(() => {
    if (target && target !== shown) go(`${target.address}${location.hash}`, { replace: true });
  }, [target, shown]);
  const sections = shown ? sectionsOf(shown.name) : [];
  return (
    <>
      <h1>{say('Settings')}</h1>
      <nav class="tabs" aria-label={say('Pages of the settings')}>
        {offered.map(({ name, address, title }) => (
          <Link key={name} class="tab" to={address} current={name === shown?.name}>
            {name === 'settings' ? say('Meters') : title(say)}
          </Link>
        ))}
      </nav>
      {!mayAdminister.value && (
        <p class="soft">
          {say('Your key may only read. To add or change meters, sign in with a key of the role admin.')}
        </p>
      )}
      {sections.map(({ id, View, isSmall }) => !isSmall && <View key={id} />)}
      <div class="columns">{sections.map(({ id, View, isSmall }) => isSmall && <View key={id} />)}</div>
    </>
  );
}

function Configs() {
  const unitIds = [...(meters.value?.keys() ?? [])];
  if (unitIds.length === 0) return null;
  return (
    <Card id="configs" title={say('Meters')}>
      <Paged items={unitIds} label={say('meters')} wordsOf={(unitId) => `${unitId} ${titleOf(unitId)}`}>
        {(some) => (
          <ul class="configs">
            {some.map((unitId) => (
              <li key={unitId}>
                <MeterConfig unitId={unitId} />
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </Card>
  );
}

function Recipients() {
  const { found: kinds } = useFound(() => client.value.alertKinds(), []);
  const { found: targets, again } = useFound(() => client.value.alertTargets(), [changes.value.alert]);
  return kinds && targets ? <AlertTargets kinds={kinds.targets} targets={targets} onChange={again} /> : null;
}

function AboutGateway() {
  const { version, caller, evidence_key: evidenceKey } = about.value ?? {};
  return (
    <Card id="about" title={say('About')}>
      <dl class="facts">
        <dt>{say('Gateway')}</dt>
        <dd>slm-gateway {version}</dd>
        <dt>{say('Key of evidence')}</dt>
        <dd>{evidenceKey ?? say('none is made yet')}</dd>
        <dt>{say('You are')}</dt>
        <dd>
          {caller?.name}, {caller?.role}
          {caller?.units && `, ${say('for {meters}', { meters: caller.units.join(', ') })}`}
        </dd>
        <dt>{say('For programs')}</dt>
        <dd>
          <a href="docs">{say('The API, to be read and tried')}</a>
        </dd>
        <dt>{say('Licence')}</dt>
        <dd>{say('MIT. This page uses Preact, Preact Signals and uPlot, all MIT.')}</dd>
      </dl>
    </Card>
  );
}

function Backup() {
  const make = async () => {
    const name = `slm-backup-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.tar.gz`;
    save(await client.value.blob('/_backup', { method: 'POST' }), name);
    return say('{file} is saved.', { file: name });
  };
  return (
    <Card
      id="backup"
      title={say('Backup')}
      about={sayWith(
        'One file with all data, while everything goes on. The key of the stored passwords is not in it: keep it apart. Large histories are better fetched with {command}.',
        { command: <code>slm backup</code> },
      )}
    >
      <div class="row">
        <ActionButton work={make} waiting={say('It is being made ...')}>
          {say('Save a backup')}
        </ActionButton>
      </div>
    </Card>
  );
}
