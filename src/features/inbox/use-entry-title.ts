'use client'
import { useTranslations } from 'use-intl/react'
import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import './messages.ts'

const AGENT = /^agents\/([^/]+)$/

/** What an entry is called: its summary or question; work that asks nothing by its agent, anything else by its target. */
export function useEntryTitle(): (entry: Pick<InboxEntryView, 'summary' | 'intent'>) => string {
  const t = useTranslations('inbox')
  return ({ summary, intent }) => {
    if (summary) return summary
    const agent = intent.action === 'propose-artifact' ? AGENT.exec(intent.target)?.[1] : undefined
    return agent ? t('workOf', { agent }) : intent.target
  }
}
