import type { DigestPart } from '#domain/inbox/digest.rules.ts'
import type { MessageTopic, PushLanguage } from '#domain/push/push.rules.ts'

type Forms = Record<Intl.LDMLPluralRule, string>
type Words = { test: { title: string; body: string }; open: string } & Record<
  Exclude<MessageTopic, 'test'>,
  Forms
>

const forms = (one: string, few: string, many: string, other = few): Forms => ({
  ...{ zero: many, one, two: few, few, many, other },
})
const english = (one: string, other: string): Forms => forms(one, other, other)

/** The words of notifications, `#` for the number: the device speaks the language of its console, where no page is open. */
export const PUSH_WORDS: Record<PushLanguage, Words> = {
  en: {
    test: { title: 'Test notification', body: 'Garden Bloom reaches this device.' },
    open: 'Open the console to review.',
    high_risk: english('# high-risk proposal to review', '# high-risk proposals to review'),
    expiring: english('# proposal expires within 24 hours', '# proposals expire within 24 hours'),
    question: english('# question from an agent', '# questions from agents'),
    failed: english('# failure needs you', '# failures need you'),
    digest: english('# item needs you', '# items need you'),
  },
  uk: {
    test: { title: 'Тестове сповіщення', body: 'Garden Bloom досягає цього пристрою.' },
    open: 'Відкрийте консоль, щоб переглянути.',
    high_risk: forms(
      '# пропозиція високого ризику на розгляд',
      '# пропозиції високого ризику на розгляд',
      '# пропозицій високого ризику на розгляд',
    ),
    expiring: forms(
      '# пропозиція спливає протягом 24 годин',
      '# пропозиції спливають протягом 24 годин',
      '# пропозицій спливають протягом 24 годин',
    ),
    question: forms('# запитання від агента', '# запитання від агентів', '# запитань від агентів'),
    failed: forms(
      '# збій потребує вашої уваги',
      '# збої потребують вашої уваги',
      '# збоїв потребують вашої уваги',
    ),
    digest: forms('# справа чекає на вас', '# справи чекають на вас', '# справ чекають на вас'),
  },
}

/** The parts of a digest, each with its number. */
export const DIGEST_WORDS: Record<PushLanguage, Record<DigestPart, Forms>> = {
  en: {
    expiring: english('# expires today', '# expire today'),
    conflicts: english('# conflict', '# conflicts'),
    proposals: english('# proposal to review', '# proposals to review'),
    failed: english('# failed to apply', '# failed to apply'),
    questions: english('# question', '# questions'),
    dead_jobs: english('# dead job', '# dead jobs'),
    other: english('# other item', '# other items'),
  },
  uk: {
    expiring: forms('# спливає сьогодні', '# спливають сьогодні', '# спливають сьогодні'),
    conflicts: forms('# конфлікт', '# конфлікти', '# конфліктів', '# конфлікту'),
    proposals: forms('# пропозиція на розгляд', '# пропозиції на розгляд', '# пропозицій на розгляд'),
    failed: forms('# не застосовано', '# не застосовано', '# не застосовано'),
    questions: forms('# запитання', '# запитання', '# запитань'),
    dead_jobs: forms('# мертве завдання', '# мертві завдання', '# мертвих завдань', '# мертвого завдання'),
    other: forms('# інша справа', '# інші справи', '# інших справ'),
  },
}
