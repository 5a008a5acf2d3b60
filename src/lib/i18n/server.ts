import { cookies, headers } from 'next/headers'
import { createTranslator } from 'use-intl/core'
import { compileMessages } from './compile.ts'
import { LOCALE_COOKIE, type Locale, pickLocale } from './locales.ts'
import './types.ts'

/** The language of this request: the reader's cookie, else Accept-Language. For server components only. */
export async function readLocale(): Promise<Locale> {
  const [jar, head] = await Promise.all([cookies(), headers()])
  return pickLocale(jar.get(LOCALE_COOKIE)?.value, head.get('accept-language'))
}

/**
 * A translator for server components (page titles): `const t = await serverTranslations(jobsMessages)` where the argument is
 * a room's `{en, uk}`; keys are those of that room, without a namespace.
 */
export async function serverTranslations<T extends Record<string, unknown>>(both: { en: T; uk: T }) {
  const locale = await readLocale()
  const messages = compileMessages(both[locale]) as T
  return createTranslator({ locale, messages })
}
