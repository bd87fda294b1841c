/** The pages of a PDF and what is drawn on them. Places are points from the left and from the top; PDF itself counts from below (ISO 32000-1, 8.3). */
import { type PdfFile, pdfNumber, pdfText } from './pdf-file.ts';
import type { PdfPicture } from './picture.ts';
import type { SetFont } from './set-font.ts';

/** From the left and from the top, in points. */
export type PagePlace = readonly [x: number, y: number];

/** A line of text: `y` is where its letters stand. */
export interface SetLine {
  readonly text: string;
  readonly font: SetFont;
  readonly size: number;
  /** Such as `#1b1f24`. */
  readonly ink: string;
  readonly place: PagePlace;
}

/** What the file says of itself. */
export interface PdfFacts {
  readonly title: string;
  readonly creator: string;
  /** ms since 1970 UTC. */
  readonly createdAt: number;
  readonly lang: string;
}

/** Drawn on in any order, written once. */
export class PdfPages {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly #pages: string[][] = [];
  readonly #pictures: PdfPicture[] = [];

  constructor(width: number, height: number) {
    [this.width, this.height] = [width, height];
  }

  get count(): number {
    return this.#pages.length;
  }

  add(): void {
    this.#pages.push([]);
  }

  /** On the last page, or on page `n` from 0. */
  line({ text, font, size, ink, place }: SetLine, n = this.count - 1): void {
    this.#pages[n]?.push(
      `BT /${font.name} ${pdfNumber(size)} Tf ${colour(ink)} rg 1 0 0 1 ${this.#at(place)} Tm ${font.encode(text)} Tj ET`,
    );
  }

  /** Strokes from place to place; `width` in points. */
  stroke(pieces: readonly (readonly PagePlace[])[], ink: string, width: number): void {
    const paths = pieces.map((piece) => piece.map((place, n) => `${this.#at(place)} ${n === 0 ? 'm' : 'l'}`).join(' '));
    this.#pages.at(-1)?.push(`${pdfNumber(width)} w ${colour(ink)} RG ${paths.join(' ')} S`);
  }

  /** With its left upper corner there. */
  picture(picture: PdfPicture, [x, y]: PagePlace, width: number, height: number): void {
    const name = `I${this.#pictures.push(picture)}`;
    // Its own corners are those of a square of one point.
    const [a, b, c, d, e, f] = picture.turned;
    const matrix = [a * width, b * height, c * width, d * height, x + e * width, this.height - y - height + f * height];
    this.#pages.at(-1)?.push(`q ${matrix.map(pdfNumber).join(' ')} cm /${name} Do Q`);
  }

  /** Everything, with the fonts that were used. */
  async write(file: PdfFile, fonts: readonly SetFont[], facts: PdfFacts): Promise<Buffer> {
    const [root, tree, resources] = [file.reserve(), file.reserve(), file.reserve()];
    const pages: number[] = [];
    for (const drawn of this.#pages) {
      const content = await file.addStream(drawn.join('\n'));
      pages.push(file.add(`<< /Type /Page /Parent ${tree} 0 R /Contents ${content} 0 R >>`));
    }
    const named: string[] = [];
    for (const font of fonts) named.push(`/${font.name} ${await font.write(file)} 0 R`);
    const pictures: string[] = [];
    for (const [n, picture] of this.#pictures.entries()) pictures.push(`/I${n + 1} ${await picture.write(file)} 0 R`);
    const lists = `/Font << ${named.join(' ')} >> /XObject << ${pictures.join(' ')} >>`;
    file.add(`<< /ProcSet [/PDF /Text /ImageB /ImageC /ImageI] ${lists} >>`, resources);
    const box = `/MediaBox [0 0 ${pdfNumber(this.width)} ${pdfNumber(this.height)}]`;
    const kids = pages.map((id) => `${id} 0 R`).join(' ');
    file.add(`<< /Type /Pages /Count ${pages.length} ${box} /Resources ${resources} 0 R /Kids [${kids}] >>`, tree);
    const view = `/ViewerPreferences << /DisplayDocTitle true >> /Lang (${facts.lang})`;
    file.add(`<< /Type /Catalog /Pages ${tree} 0 R ${view} >>`, root);
    const date = `${new Date(facts.createdAt).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
    const creator = `/Creator ${pdfText(facts.creator)} /Producer ${pdfText(facts.creator)}`;
    return file.end(root, file.add(`<< /Title ${pdfText(facts.title)} ${creator} /CreationDate (D:${date}) >>`));
  }

  #at([x, y]: PagePlace): string {
    return `${pdfNumber(x)} ${pdfNumber(this.height - y)}`;
  }
}

const colour = (ink: string): string =>
  [1, 3, 5].map((at) => pdfNumber(Number.parseInt(ink.slice(at, at + 2), 16) / 255)).join(' ');
