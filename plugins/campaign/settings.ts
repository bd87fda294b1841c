/** `plugin_settings.campaign`. */
import type { Schema } from '../../lib/index.ts';

/** How long jobs try again, and how late a run may be; minutes. */
export interface CampaignSettings {
  readonly retry_minutes: number;
  readonly make_up_minutes: number;
  readonly start_waits_minutes: number;
}

export const CAMPAIGN_SETTINGS: Schema = {
  type: 'object',
  properties: {
    retry_minutes: {
      type: 'integer',
      title: 'How long a step of a job is tried again while the meter cannot be reached, minutes',
      minimum: 0,
      maximum: 1_440,
      default: 15,
    },
    start_waits_minutes: {
      type: 'integer',
      title: 'How long a start waits for the files of the stop before it, minutes',
      minimum: 0,
      maximum: 1_440,
      default: 5,
    },
    make_up_minutes: {
      type: 'integer',
      title: 'How late a run of a schedule may still be done after the gateway was down, minutes',
      minimum: 0,
      maximum: 10_080,
      default: 720,
    },
  },
};
