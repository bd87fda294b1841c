/**
 * Every change of the tables, oldest first. The list is written by hand so that nothing is searched for at run time.
 * A name that was ever released stays: a database is "newer" when it has a name that is not here.
 */
import { FirstTables } from './0001-first-tables.ts';
import { PollingAndMoments } from './0002-polling-and-moments.ts';
import { UnitsForPeople } from './0003-units-for-people.ts';
import { TablesOfPlugins } from './0004-tables-of-plugins.ts';
import { MeterOfAUnit } from './0005-meter-of-a-unit.ts';
import { FamilyOfAMeter } from './0006-family-of-a-meter.ts';
import { SourceOfTheStart } from './0007-source-of-the-start.ts';
import { FurtherLevels } from './0008-further-levels.ts';
import { ChannelsOfTheHistory } from './0009-channels-of-the-history.ts';

/** Run in this order, each once. */
export const storeMigrations = [
  { name: '0001-first-tables', class: FirstTables },
  { name: '0002-polling-and-moments', class: PollingAndMoments },
  { name: '0003-units-for-people', class: UnitsForPeople },
  { name: '0004-tables-of-plugins', class: TablesOfPlugins },
  { name: '0005-meter-of-a-unit', class: MeterOfAUnit },
  { name: '0006-family-of-a-meter', class: FamilyOfAMeter },
  { name: '0007-source-of-the-start', class: SourceOfTheStart },
  { name: '0008-further-levels', class: FurtherLevels },
  { name: '0009-channels-of-the-history', class: ChannelsOfTheHistory },
];
