import { createTranslator } from 'use-intl/core'
import { describe, expect, it } from 'vitest'
import type { SelectionView } from '#contracts/llm-task.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { messages } from './messages.ts'
import { type Considered, type Language, selectionSentence } from './selection-sentence.ts'

const AT = Date.UTC(2026, 2, 1, 10, 0)

function languageOf(locale: 'en' | 'uk'): Language {
  const translate = createTranslator({ locale, messages: { tasks: messages[locale] }, namespace: 'tasks' })
  return {
    t: translate as unknown as Language['t'],
    clock: (at) => new Date(at).toISOString().slice(11, 16),
    duration: (ms) => formatDuration(ms, locale),
  }
}

const one = (name: string, more: Partial<Considered>): Considered => ({
  ...{ worker_id: name, name, verdict: 'filtered', reason: 'offline' },
  ...{ free_slots: 1, last_heartbeat: AT - 1_000, until: null },
  ...more,
})

const chosenFrom = (...considered: Considered[]): SelectionView => {
  const [first] = considered
  const isChosen = first?.verdict === 'chosen'
  return {
    rule: isChosen ? (first.reason as 'load') : null,
    chosen: isChosen ? first.worker_id : null,
    ...{ considered, filtered: {}, at: AT },
  }
}

const ORANGE = one('orange', { verdict: 'chosen', reason: 'load' })
const RPI = one('rpi', { reason: 'offline', last_heartbeat: AT - 180_000 })
const ALPINE = one('alpine', { reason: 'breaker_open', until: AT + 240_000 })

const ROWS: { selection: SelectionView; waiting?: boolean; en: string; uk: string }[] = [
  {
    selection: chosenFrom(ORANGE, RPI, ALPINE),
    en: 'orange was chosen: it has the most free slots. rpi: offline for 3 m 00 s; alpine: breaker open until 10:04.',
    uk: 'Вибрано orange: вузол має найбільше вільних місць. rpi: офлайн уже 3 хв 00 с; alpine: запобіжник спрацював, до 10:04.',
  },
  {
    selection: chosenFrom(one('orange', { verdict: 'chosen', reason: 'health' }), RPI),
    en: 'orange was chosen: it was the only worker available. rpi: offline for 3 m 00 s.',
    uk: 'Вибрано orange: це був єдиний доступний вузол. rpi: офлайн уже 3 хв 00 с.',
  },
  {
    selection: chosenFrom(
      one('orange', { verdict: 'chosen', reason: 'health' }),
      one('rpi', { verdict: 'passed_over', reason: 'health' }),
    ),
    waiting: true,
    en: 'orange would be chosen now: it has a recent heartbeat. rpi: no recent heartbeat.',
    uk: 'Зараз було б вибрано orange: вузол має недавній сигнал активності. rpi: немає недавнього сигналу активності.',
  },
  {
    selection: chosenFrom(
      one('rpi', { last_heartbeat: null }),
      one('alpine', { reason: 'rate_limited', until: AT + 600_000 }),
      one('pear', { reason: 'full' }),
    ),
    waiting: true,
    en: 'No worker can take this task now. rpi: offline; alpine: rate limited until 10:10; pear: no free slot.',
    uk: 'Зараз жоден робочий вузол не може взяти це завдання. rpi: офлайн; alpine: обмеження частоти діє до 10:10; pear: немає вільних місць.',
  },
  {
    selection: chosenFrom(),
    en: 'No Worker Node is registered.',
    uk: 'Жодного робочого вузла не зареєстровано.',
  },
]

describe.each(['en', 'uk'] as const)('the selection in %s', (locale) => {
  it.each(ROWS)('is a sentence: $en', ({ selection, waiting = false, ...expected }) => {
    expect(selectionSentence(selection, languageOf(locale), { waiting })).toBe(expected[locale])
  })
})

it('names a few workers and counts the rest', () => {
  const full = (n: number) => one(`w${n}`, { reason: 'full' })
  const sentence = selectionSentence(chosenFrom(ORANGE, ...[1, 2, 3, 4, 5, 6, 7].map(full)), languageOf('en'))
  expect(sentence).toMatch(/w5: no free slot; 2 more workers\.$/)
  expect(sentence).not.toContain('w6')
})
