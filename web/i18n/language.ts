// Which languages there are, and which of them a page means.
import languages from "./languages.json";

export type Lang = keyof typeof languages;

export const langs = Object.keys(languages) as readonly Lang[];

/** Someone's text in the quotation marks of a language. */
export const quoteIn =
  (lang: Lang) =>
  (text: string): string =>
    languages[lang].quotes.join(text);

/** The language of a tag of BCP 47; English where there is none of that name. */
export function langOf(tag: string): Lang {
  const name = /^\w*/.exec(tag)![0].toLowerCase();
  return langs.find(lang => lang === name) ?? "en";
}
