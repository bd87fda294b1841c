/** The presets that come with the gateway, by name. None of them was compared with the text of its standard. */
import type { AssessmentPreset, PresetBody } from '../contract.ts';
import { UK_BS4142, UK_BS5228 } from './britain.ts';
import {
  ES_RD1367,
  EU_LDEN,
  EU_LDEN_ITALY,
  EU_LDEN_SPAIN,
  EU_LDEN_SWEDEN,
  FR_VOISINAGE,
  IT_DM16_3_98,
} from './europe.ts';
import { AVV_BAULAERM, TA_LAERM } from './germany.ts';
import { HK_CONSTRUCTION, ISO20906, JP_KANKYO, SG_CONSTRUCTION, US_CNEL, US_LDN } from './world.ts';

const BODIES: Readonly<Record<string, PresetBody>> = {
  'eu-lden': EU_LDEN,
  'eu-lden-es': EU_LDEN_SPAIN,
  'eu-lden-it': EU_LDEN_ITALY,
  'eu-lden-se': EU_LDEN_SWEDEN,
  'de-ta-laerm': TA_LAERM,
  'de-avv-baulaerm': AVV_BAULAERM,
  'uk-bs5228': UK_BS5228,
  'uk-bs4142': UK_BS4142,
  'fr-voisinage': FR_VOISINAGE,
  'es-rd1367': ES_RD1367,
  'it-dm16-3-98': IT_DM16_3_98,
  'us-ldn': US_LDN,
  'us-cnel': US_CNEL,
  'jp-kankyo': JP_KANKYO,
  'sg-construction': SG_CONSTRUCTION,
  'hk-construction': HK_CONSTRUCTION,
  iso20906: ISO20906,
};

/** In the order of the table. */
export const STANDARD_PRESETS: readonly AssessmentPreset[] = Object.freeze(
  Object.entries(BODIES).map(([name, body]) => Object.freeze({ ...body, name, built_in: true })),
);
