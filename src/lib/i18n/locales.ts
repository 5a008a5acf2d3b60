/** The languages of the console and the rule that picks one. No browser, no server: pure. */
export const LOCALES = ['en', 'uk'] as const
export type Locale = (typeof LOCALES)[number]
export const DEFAULT_LOCALE: Locale = 'en'
export const LOCALE_COOKIE = 'locale'

const isLocale = (value: string | undefined): value is Locale => LOCALES.includes(value as Locale)

/** The reader's own choice first, then the first language of the browser we speak, then English. */
export function pickLocale(cookie: string | undefined, acceptLanguage: string | null | undefined): Locale {
  if (isLocale(cookie)) return cookie
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', q] = part.trim().split(';q=')
      return { language: tag.slice(0, 2).toLowerCase(), weight: q === undefined ? 1 : Number(q) || 0 }
    })
    .filter((w) => w.weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return wanted.map((w) => w.language).find(isLocale) ?? DEFAULT_LOCALE
}
