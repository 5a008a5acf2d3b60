/** Why a task went to a worker, or to none, as one sentence in the reader's language. Pure. */
import type { useTranslations } from 'use-intl/react'
import type { SelectionView } from '#contracts/llm-task.contract.ts'
import { FILTERS, type Filter, SELECTION_RULES, type SelectionRule } from '#domain/task/selection.rules.ts'

export type Considered = SelectionView['considered'][number]
export type Language = {
  t: ReturnType<typeof useTranslations<'tasks'>>
  /** The time of day of an instant. */
  clock: (at: number) => string
  duration: (ms: number) => string
}

/** Workers that the sentence names beside the chosen one; the table has them all. */
const NAMED = 5

type Options = { /** It is how the choice would be made now, not how it was made. */ waiting?: boolean }

export function selectionSentence(
  selection: SelectionView,
  language: Language,
  { waiting = false }: Options = {},
): string {
  const { t } = language
  const others = selection.considered.filter(({ verdict }) => verdict !== 'chosen')
  const named = others
    .slice(0, NAMED)
    .map((one) => t('part', { worker: one.name, why: reasonOf(one, selection, language) }))
  const left = others.length - named.length
  const parts = left > 0 ? [...named, t('more', { count: left })] : named
  return [lead(selection, language, waiting), ...(parts.length > 0 ? [`${parts.join('; ')}.`] : [])].join(' ')
}

function lead(selection: SelectionView, language: Language, waiting: boolean): string {
  const { t } = language
  const chosen = selection.considered.find(({ verdict }) => verdict === 'chosen')
  if (!chosen) return selection.considered.length > 0 ? t('nobody') : t('nobodyThere')
  const why = reasonOf(chosen, selection, language)
  return t(waiting ? 'wouldChoose' : 'chosen', { worker: chosen.name, why })
}

/** What told for the chosen worker or against another one, in a few words. */
export function reasonOf(
  one: Considered,
  selection: SelectionView,
  { t, clock, duration }: Language,
): string {
  const rule = SELECTION_RULES.find((known) => known === one.reason)
  if (one.verdict === 'chosen' && rule) return isAlone(rule, selection) ? t('only') : t(`rule.${rule}`)
  if (one.verdict === 'passed_over' && rule) return t(`passed.${rule}`)
  const filter = FILTERS.find((known) => known === one.reason) as Filter
  if (filter === 'offline' && one.last_heartbeat !== null)
    return t('offlineFor', { time: duration(selection.at - one.last_heartbeat) })
  if ((filter === 'breaker_open' || filter === 'rate_limited') && one.until !== null)
    return t(`untilTime.${filter}`, { time: clock(one.until) })
  return t(`filter.${filter}`)
}

/** Whoever stands alone was not compared with anybody. */
const isAlone = (rule: SelectionRule, { considered }: SelectionView): boolean =>
  rule === 'health' && considered.every(({ verdict }) => verdict !== 'passed_over')
