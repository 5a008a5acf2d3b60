/**
 * The files of the type that the first paint of a page is set in. The browser would ask for them when it has read the styles, and draw the page in another
 * type until they come. Other scripts of the same type are asked for where they occur.
 */
import type { Locale } from '#lib/i18n/locales.ts'

// Written out: the bundler reads these names, and gives the address that the styles have for the same file.
const LATIN = new URL('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', import.meta.url)
const CYRILLIC = new URL('@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2', import.meta.url)
const MONO = new URL(
  '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  import.meta.url,
)

const FILES: Record<Locale, readonly URL[]> = { en: [LATIN, MONO], uk: [LATIN, CYRILLIC, MONO] }

/** The addresses of what a page of this language is set in. */
export const fontsOf = (locale: Locale): string[] => FILES[locale].map(({ href }) => href)
