'use client'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentCard } from '#contracts/agent.contract.ts'
import type { SearchHit } from '#contracts/search.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { SEARCH_KINDS } from '#domain/search/search-kinds.ts'
import { RunAgentDialog, useRunRefusal } from '#features/agents/index.ts'
import { useSavedViews, viewHref } from '#features/views/index.ts'
import { byUse, noteUse } from '#lib/action-use.ts'
import { type Action, keysOf } from '#lib/actions.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useGo } from '#lib/use-go.ts'
import CommandPalette, { type PaletteGroup, type PaletteItem } from '#ui/command-palette.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { containsWords } from '../contains-words.ts'
import { objectHref } from '../object-href.ts'
import { useHitStates } from './use-hit-state.tsx'
import { useHits, useRecent } from './use-hits.ts'

type Props = {
  /** What can be done here and everywhere, in the order to show it. */
  actions: readonly Action[]
  /** What was typed before the menu was there. */
  typed?: RefObject<string>
  onClose: () => void
}

/** The command menu: acts by name, agents to run, and every object of the console. */
export function SearchPalette(props: Props) {
  const { onClose } = props
  const t = useTranslations('search')
  const [running, setRunning] = useState<AgentCard | null>(null)
  return (
    <>
      <DialogFrame open={running === null} onClose={onClose} title={t('title')} width="md" bare>
        <Menu {...props} runAgent={setRunning} />
      </DialogFrame>
      {running ? <RunAgentDialog agent={running} open onClose={onClose} /> : null}
    </>
  )
}

function Menu({
  actions,
  typed: early,
  onClose,
  runAgent,
}: Props & { runAgent: (agent: AgentCard) => void }) {
  const t = useTranslations('search')
  const [typed, setTyped] = useState(() => early?.current ?? '')
  const { badge, labels } = useHitStates()
  const { hits, busy, failed } = useHits(typed, labels)
  const recent = useRecent()
  const go = useGo()
  const runs = useRuns(runAgent, actions)
  const views = useViewItems(onClose)
  const commands = byUse([...actions.flatMap((action) => commandOf(action, onClose)), ...runs])
  const itemOf = (hit: SearchHit): PaletteItem => ({
    id: `${hit.kind} ${hit.id}`,
    label: hit.title,
    detail: hit.detail,
    badge: badge(hit),
    run: () => {
      onClose()
      go(objectHref(hit))
    },
  })
  const groups: PaletteGroup[] =
    typed.trim() === ''
      ? [
          { heading: t('recent'), items: recent.map(itemOf) },
          { heading: t('commands'), items: commands },
          { heading: t('views'), items: views },
        ]
      : [
          {
            heading: t('commands'),
            items: commands.filter(({ label }) => containsWords(label, typed.trim())),
          },
          {
            heading: t('views'),
            items: views.filter(({ label }) => containsWords(label, typed.trim())),
          },
          ...SEARCH_KINDS.map((kind) => ({
            heading: t(`kinds.${kind}`),
            items: hits.filter((hit) => hit.kind === kind).map(itemOf),
          })),
        ]
  return (
    <CommandPalette
      groups={groups}
      typed={typed}
      onType={setTyped}
      placeholder={t('placeholder')}
      nothing={failed ? t('failed') : busy ? t('searching') : t('nothing')}
      onClose={onClose}
      busy={busy}
    />
  )
}

/** An act as an item; its use is counted. */
function commandOf(action: Action, close: () => void): PaletteItem[] {
  if (action.palette === false || action.scope === 'dialog') return []
  const keys = keysOf(action)[0]
  return [
    {
      id: action.id,
      label: action.label,
      ...(action.disabledReason ? { disabledReason: action.disabledReason } : {}),
      ...(keys ? { keys } : {}),
      run: () => {
        noteUse(action.id)
        close()
        action.run()
      },
    },
  ]
}

/** The reader's saved views of every list. */
function useViewItems(close: () => void): PaletteItem[] {
  const t = useTranslations('views')
  const places = useTranslations('shell')
  const go = useGo()
  return useSavedViews().map((view) => ({
    id: view.view_id,
    label: t('inList', { list: places(view.list), name: view.name }),
    run: () => {
      close()
      go(viewHref(view))
    },
  }))
}

/** Every agent that can be run, from anywhere; those that the page itself offers are among its acts. */
function useRuns(runAgent: (agent: AgentCard) => void, actions: readonly Action[]): PaletteItem[] {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const { role } = useSession()
  const refusal = useRunRefusal()
  const agents = useQuery({ ...trpc.agents.list.queryOptions({}), enabled: may(role, 'run.request') })
  const offered = new Set(actions.map(({ id }) => id))
  return (agents.data?.items ?? []).flatMap((agent) => {
    const id = `agents.run.${agent.slug}`
    if (offered.has(id) || refusal(agent)) return []
    const run = () => {
      noteUse(id)
      runAgent(agent)
    }
    return [{ id, label: t('runTitle', { name: agent.name }), run }]
  })
}
