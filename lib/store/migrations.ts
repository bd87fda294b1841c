/**
 * Every change of the tables, oldest first. The list is written by hand so that nothing is searched for at run time.
 * A name that was ever released stays: a database is "newer" when it has a name that is not here.
 */
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/sqlite';
import { withColumns } from './database.ts';

/** Device configs, last snapshots, and facts about the database. Released with 0.1.0. */
class FirstTables extends Migration {
  override up(): void {
    this.addSql(`create table device_config (
      unit_id text not null primary key,
      host text not null,
      tcp_port integer not null,
      tcp_enabled integer not null,
      ftp_enabled integer not null,
      web_enabled integer not null,
      ftp_port integer not null,
      ftp_mode text not null,
      ftp_username text null,
      ftp_password text null
    )`);
    this.addSql(`create table snapshot (
      unit_id text not null primary key,
      measurement_state text null,
      lp text null, leq text null, le text null, lmax text null, lmin text null, lpeak text null,
      ln1 text null, ln2 text null, ln3 text null, ln4 text null, ln5 text null,
      over_range integer null,
      under_range integer null,
      battery_level text null,
      battery_state text null,
      power_source text null,
      sd_remaining_mb text null,
      sd_free_ratio text null,
      measurement_start_time integer null,
      last_seen integer null
    )`);
    this.addSql('create table store_fact (name text not null primary key, value text not null)');
  }

  override down(): void {
    for (const table of ['device_config', 'snapshot', 'store_fact']) this.addSql(`drop table ${table}`);
  }
}

const MOMENTS = ['state_at', 'lp_at', 'levels_at', 'battery_at', 'power_at', 'card_at', 'unchanged_since'];

/**
 * Whether and how often a meter is read in the background; when each group of its values was measured. Adds columns;
 * values of older snapshots have no time of their own.
 */
class PollingAndMoments extends Migration {
  override up(): void {
    // Off for existing meters: an update of the gateway must not contact a meter.
    this.addSql('alter table device_config add column poll_enabled integer not null default false');
    this.addSql('alter table device_config add column poll_interval_seconds integer not null default 60');
    // Moments of values from before are not known: `last_seen` is only the last one of them all.
    for (const name of MOMENTS) this.addSql(`alter table snapshot add column ${name} integer null`);
  }

  override down(): void {
    for (const name of MOMENTS) this.addSql(`alter table snapshot drop column ${name}`);
    for (const name of ['poll_enabled', 'poll_interval_seconds']) {
      this.addSql(`alter table device_config drop column ${name}`);
    }
  }
}

const COLUMNS = [
  'name text null',
  'place text null',
  'latitude double null',
  'longitude double null',
  'timezone text null',
  'tags json null',
  // Off for existing meters: an update of the gateway must not record without a request.
  "history text not null default 'off'",
  'mirror json null',
];

/**
 * Name, place, zone and tags of a unit; its recorded levels, and its copied files. Adds columns with their defaults.
 */
class UnitsForPeople extends Migration {
  override up(): void {
    for (const column of COLUMNS) this.addSql(`alter table device_config add column ${column}`);
  }

  override down(): void {
    for (const column of COLUMNS) this.addSql(`alter table device_config drop column ${column.split(' ')[0]}`);
  }
}

/** Which migrations of plugins have run. Adds the table `plugin_migration`. */
class TablesOfPlugins extends Migration {
  override up(): void {
    this.addSql('create table plugin_migration (name text not null primary key)');
  }

  override down(): void {
    this.addSql('drop table plugin_migration');
  }
}

/**
 * Which meter answered last, and where. Adds the column `meter` of a snapshot: endpoint, serial number and model, as
 * JSON.
 */
class MeterOfAUnit extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column meter json null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column meter');
  }
}

/** To which family of meters a unit belongs. Adds the column `family` of a config. */
class FamilyOfAMeter extends Migration {
  override up(): void {
    // There was only this family.
    this.addSql("alter table device_config add column family text not null default 'nl43'");
  }

  override down(): void {
    this.addSql('alter table device_config drop column family');
  }
}

/** How the start of the present measurement is known. Adds the column `measurement_start_source` of a snapshot. */
class SourceOfTheStart extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column measurement_start_source text null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column measurement_start_source');
  }
}

/** A column for last levels without a column of their own: JSON by name. Adds the column `levels` of a snapshot. */
class FurtherLevels extends Migration {
  override up(): void {
    this.addSql('alter table snapshot add column levels json null');
  }

  override down(): void {
    this.addSql('alter table snapshot drop column levels');
  }
}

/**
 * Which channels of a unit are recorded. Adds the column `history_channels` of a config; null: the main channel
 * alone.
 */
class ChannelsOfTheHistory extends Migration {
  override up(): void {
    this.addSql('alter table device_config add column history_channels json null');
  }

  override down(): void {
    this.addSql('alter table device_config drop column history_channels');
  }
}

const LAST_DAYS = ['verified_until', 'sim_valid_until'];

/** When the legal verification and the SIM card of a meter end. Adds two columns of a config; null: not known. */
class LastDaysOfAMeter extends Migration {
  override up(): void {
    for (const name of LAST_DAYS) this.addSql(`alter table device_config add column ${name} text null`);
  }

  override down(): void {
    for (const name of LAST_DAYS) this.addSql(`alter table device_config drop column ${name}`);
  }
}

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
  { name: '0010-last-days-of-a-meter', class: LastDaysOfAMeter },
];

/** As the ORM creates it (`MigrationStorage`); a test compares the two. */
const DONE =
  "create table `mikro_orm_migrations` (`id` integer not null primary key autoincrement, `name` text not null, `executed_at` datetime not null default (strftime('%s', 'now') * 1000))";

/**
 * Result of all migrations for an empty SQLite database, as one text. With the ORM, one after the other, they take five
 * times as long.
 *
 * All tables of the store, and the names of the migrations. Without a transaction around it.
 */
export function textForEmpty({ driver, config }: MikroORM): string {
  const statements = storeMigrations.flatMap(({ class: Step }) => {
    const step = new Step(driver, config);
    step.up();
    return step.getQueries().map(String);
  });
  const names = storeMigrations.map(({ name }) => `('${name}')`).join(', ');
  return [DONE, ...withColumns(statements), `insert into mikro_orm_migrations (name) values ${names}`].join(';\n');
}
