/** Titles and sources of the presets that come with the gateway, in German. */

/** By the English text. Terms of BauNVO, TA Lärm and DIN 45645-1. Names of laws stay. */
export const presetsDe = {
  'Lden and Lnight, periods of the directive': 'Lden und Lnight, Zeiträume der Richtlinie',
  'Lden and Lnight, Spain': 'Lden und Lnight, Spanien',
  'Lden and Lnight, Italy': 'Lden und Lnight, Italien',
  'Lden and Lnight, Sweden': 'Lden und Lnight, Schweden',
  'Directive 2002/49/EC, Annex I': 'Richtlinie 2002/49/EG, Anhang I',
  'Germany: TA Lärm, installations': 'Deutschland: TA Lärm, Anlagen',
  'TA Lärm 1998, No. 6 and annex A.1': 'TA Lärm 1998, Nr. 6 und Anhang A.1',
  'Industrial area': 'Industriegebiet',
  'Commercial area': 'Gewerbegebiet',
  'Urban area': 'Urbanes Gebiet',
  'Mixed area': 'Mischgebiet',
  'General residential area': 'Allgemeines Wohngebiet',
  'Purely residential area': 'Reines Wohngebiet',
  'Spas, hospitals, nursing homes': 'Kurgebiete, Krankenhäuser, Pflegeanstalten',
  'Germany: AVV Baulärm, building sites': 'Deutschland: AVV Baulärm, Baustellen',
  'AVV Baulärm 1970, No. 3 and annex 1': 'AVV Baulärm 1970, Nr. 3 und Anlage 1',
  'Only commercial or industrial': 'Nur gewerbliche oder industrielle Anlagen',
  'Mainly commercial': 'Vorwiegend gewerbliche Anlagen',
  Mixed: 'Gemischt',
  'Mainly residential': 'Vorwiegend Wohnungen',
  'Only residential': 'Ausschließlich Wohnungen',
  'United Kingdom: BS 5228, building sites (ABC method)': 'Vereinigtes Königreich: BS 5228, Baustellen (ABC-Verfahren)',
  'BS 5228-1, annex E': 'BS 5228-1, Anhang E',
  'Ambient, rounded to 5 dB, is below the limits of A':
    'Gesamtgeräusch, auf 5 dB gerundet, liegt unter den Werten von A',
  'Ambient, rounded to 5 dB, is the same as the limits of A':
    'Gesamtgeräusch, auf 5 dB gerundet, ist gleich den Werten von A',
  'Ambient, rounded to 5 dB, is above the limits of A':
    'Gesamtgeräusch, auf 5 dB gerundet, liegt über den Werten von A',
  'United Kingdom: BS 4142, industrial and commercial sound':
    'Vereinigtes Königreich: BS 4142, Industrie- und Gewerbegeräusche',
  'BS 4142:2014+A1:2019, sections 7 to 11': 'BS 4142:2014+A1:2019, Abschnitte 7 bis 11',
  'Above this difference: likely an adverse impact': 'Über dieser Differenz: nachteilige Wirkung wahrscheinlich',
  'Above this difference: likely a significant adverse impact':
    'Über dieser Differenz: erhebliche nachteilige Wirkung wahrscheinlich',
  'France: neighbourhood noise by emergence': 'Frankreich: Nachbarschaftslärm nach Emergenz',
  Everywhere: 'Überall',
  'Spain: activities, LKeq': 'Spanien: Betriebe und Anlagen, LKeq',
  'Real Decreto 1367/2007, annexes III (table B1) and IV': 'Real Decreto 1367/2007, Anhänge III (Tabelle B1) und IV',
  'Health, teaching, culture': 'Gesundheit, Bildung, Kultur',
  Residential: 'Wohnen',
  Tertiary: 'Dienstleistungen',
  Leisure: 'Freizeit',
  Industrial: 'Industrie',
  'Italy: corrected level by class': 'Italien: korrigierter Pegel nach Klassen',
  'DM 16/3/1998; limits: DPCM 14/11/1997, table C': 'DM 16/3/1998; Grenzwerte: DPCM 14/11/1997, Tabelle C',
  'Specially protected': 'Besonders geschützt',
  'Intense human activity': 'Intensive menschliche Tätigkeit',
  'Mainly industrial': 'Vorwiegend Industrie',
  'Only industrial': 'Ausschließlich Industrie',
  'United States: Ldn': 'Vereinigte Staaten: Ldn',
  Acceptable: 'Annehmbar',
  '24 CFR 51, subpart B': '24 CFR 51, Teil B',
  'California: CNEL': 'Kalifornien: CNEL',
  'California Code of Regulations, title 21, section 5001': 'California Code of Regulations, Titel 21, Abschnitt 5001',
  'Japan: environmental quality standard, and works at the boundary':
    'Japan: Umweltnorm für Lärm, und Bauarbeiten an der Grundstücksgrenze',
  'Environment Agency notice 64 of 1998; Noise Regulation Act, specified construction work':
    'Bekanntmachung 64 der Umweltbehörde von 1998; Lärmregelungsgesetz, bestimmte Bauarbeiten',
  'Quiet is specially needed': 'Ruhe ist besonders nötig',
  'Residential beside commerce and industry': 'Wohnen neben Gewerbe und Industrie',
  'Boundary of a building site': 'Grenze einer Baustelle',
  'Singapore: building sites': 'Singapur: Baustellen',
  'Hospitals, schools, homes for the aged': 'Krankenhäuser, Schulen, Altenheime',
  'Residential within 150 m': 'Wohnungen innerhalb von 150 m',
  Others: 'Andere',
  'Hong Kong: building sites': 'Hongkong: Baustellen',
  'Noise Control Ordinance, technical memoranda; ProPECC PN 2/93':
    'Noise Control Ordinance, technische Anweisungen; ProPECC PN 2/93',
  'Dwellings by day': 'Wohnungen am Tag',
  'Schools by day': 'Schulen am Tag',
  'Area sensitivity rating A': 'Schutzstufe A',
  'Area sensitivity rating B': 'Schutzstufe B',
  'Area sensitivity rating C': 'Schutzstufe C',
  'Aircraft noise by events': 'Fluglärm nach Ereignissen',
};

/** Each language has the same texts. */
export type PresetWordTable = Readonly<Record<keyof typeof presetsDe, string>>;
