import { createHash } from 'node:crypto'
import { messagesOf } from '#features/shell/room-messages.ts'
import { catalogueScript, keepCatalogue } from '#lib/i18n/catalogue.ts'
import { LOCALES, type Locale } from '#lib/i18n/locales.ts'

/**
 * The catalogues as this server has them. A name is the language and a digest of its messages, so what is served under it never changes.
 */
const names = new Map<Locale, string>()

/** The name of a language's catalogue; pages drawn in this process find its messages by it. */
export function catalogueOf(locale: Locale): string {
  const known = names.get(locale)
  if (known) return known
  const messages = messagesOf(locale)
  const digest = createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 16)
  const name = `${locale}-${digest}`
  keepCatalogue(name, messages)
  names.set(locale, name)
  return name
}

const FILE = /^([a-z]{2})-[0-9a-f]{16}\.js$/
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' }

/** The script of a catalogue. A page that an earlier version of the server drew gets today's messages under the name it knows, to be kept by nobody. */
export function answerCatalogue(file: string): Response {
  const locale = LOCALES.find((one) => one === FILE.exec(file)?.[1])
  if (!locale) return new Response(null, { status: 404, headers: { 'Cache-Control': 'no-store' } })
  const name = file.slice(0, -'.js'.length)
  const current = name === catalogueOf(locale)
  return new Response(catalogueScript(name, messagesOf(locale)), {
    headers: {
      ...SCRIPT,
      'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-store',
    },
  })
}
