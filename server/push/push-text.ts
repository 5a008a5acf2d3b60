import { DIGEST_PARTS, type DigestCounts } from '#domain/inbox/digest.rules.ts'
import type { MessageTopic, PushLanguage } from '#domain/push/push.rules.ts'
import { DIGEST_WORDS, PUSH_WORDS } from './push-words.ts'

/** What a device gets, and all of it: words and a way to the page. It names no act, so nothing can be done without opening the console. */
export type PushPayload = {
  title: string
  body: string
  /** A path of the console. */
  url: string
  /** A newer message of a topic takes the place of the older one. */
  tag: MessageTopic
  lang: PushLanguage
}

const LONGEST_BODY = 160

/** What a message speaks of: how many things wait, and the first of them. */
export type Waiting = { count: number; summary: string | null; url: string }

/** The notification about what waits. */
export function pushText(
  tag: MessageTopic,
  { count, summary, url }: Waiting,
  lang: PushLanguage,
): PushPayload {
  const words = PUSH_WORDS[lang]
  if (tag === 'test') return { title: words.test.title, body: words.test.body, url, tag, lang }
  const title = numbered(words[tag][new Intl.PluralRules(lang).select(count)], count, lang)
  const body = (count === 1 || tag === 'digest' ? summary : null) ?? words.open
  return { title, body: shortened(body), url, tag, lang }
}

/** "3 expire today · 2 conflicts · 5 dead jobs", without what there is none of; proposals in all where none is pressing. */
export function digestText(counts: DigestCounts, lang: PushLanguage): string {
  const rules = new Intl.PluralRules(lang)
  const isPressing = counts.expiring + counts.conflicts > 0
  return DIGEST_PARTS.filter((part) => counts[part] > 0 && !(part === 'proposals' && isPressing))
    .map((part) => numbered(DIGEST_WORDS[lang][part][rules.select(counts[part])], counts[part], lang))
    .join(' · ')
}

const numbered = (form: string, count: number, lang: PushLanguage): string =>
  form.replace('#', new Intl.NumberFormat(lang).format(count))

const shortened = (text: string): string =>
  text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY - 1).trimEnd()}…` : text
