'use client'
import { useRef, useState } from 'react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'

/** What approvals have in common that a rule could take over. */
export type Alike = { agent: string; action: string; path: string }

const ENOUGH = 5

/** Proposals of one agent with one action in one folder; null for what no rule would take: the owner's own, tainted, an agent's files. */
export function alikeOf(p: ProposalItem): Alike | null {
  const path = p.target.path.slice(0, p.target.path.lastIndexOf('/') + 1)
  if (!p.agent || p.source.tainted || !path.startsWith('notes/')) return null
  return { agent: p.agent, action: p.action, path }
}

const isSame = (a: Alike | null, b: Alike | null): boolean =>
  a !== null && b !== null && a.agent === b.agent && a.action === b.action && a.path === b.path

/** After five alike approvals in a row, what they have in common; any other decision ends the row. `saw` is told of each decision. */
export function useRuleOffer(): { alike: Alike | null; saw: (p: ProposalItem) => void; dismiss: () => void } {
  const row = useRef<{ alike: Alike | null; ids: Set<string> }>({ alike: null, ids: new Set() })
  const [alike, setAlike] = useState<Alike | null>(null)
  const saw = (p: ProposalItem) => {
    const now = p.status === proposalMachine.events.approve.to ? alikeOf(p) : null
    const ids = isSame(row.current.alike, now) ? row.current.ids : new Set<string>()
    row.current = { alike: now, ids: ids.add(p.proposal_id) }
    setAlike(now && ids.size >= ENOUGH ? now : null)
  }
  const dismiss = () => {
    row.current = { alike: null, ids: new Set() }
    setAlike(null)
  }
  return { alike, saw, dismiss }
}
