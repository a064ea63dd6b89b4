// The package's own types are those of its ES module; Node loads the CommonJS one, whose export is the function itself.
declare module 'bidi-js' {
  interface Embedding {
    /** By UTF-16 unit; odd is from the right. */
    readonly levels: Uint8Array;
    readonly paragraphs: readonly { readonly level: number }[];
  }
  interface Bidi {
    getEmbeddingLevels(text: string, base?: 'ltr' | 'rtl'): Embedding;
    getReorderedIndices(text: string, embedding: Embedding): number[];
    getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  }
  export default function createBidi(): Bidi;
}

// The types of DefinitelyTyped take the class of a document for a document.
declare module 'svg-to-pdfkit' {
  interface Options {
    readonly width: number;
    readonly height: number;
    readonly assumePt: boolean;
    readonly warningCallback: (warning: string) => void;
    readonly fontCallback: (family: string, bold: boolean, italic: boolean) => string;
    readonly imageCallback: (link: string) => string;
  }
  export default function svgToPdf(pdf: PDFKit.PDFDocument, svg: string, x: number, y: number, options: Options): void;
}
