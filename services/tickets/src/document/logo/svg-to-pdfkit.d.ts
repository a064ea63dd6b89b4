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
