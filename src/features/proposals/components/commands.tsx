'use client'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { Button, buttonClass } from '#ui/button.tsx'
import { pushUrl } from '#ui/data-table-row.tsx'
import { Menu } from '#ui/menu.tsx'
import { useProposalCommands } from '../hooks/use-proposal-commands.ts'
import { CommandDialog } from './command-dialog.tsx'

const KEYS: Partial<Record<ProposalCommand, string>> = {
  approve: 'a',
  reject: 'r',
  undo: 'u',
  retry: 't',
  resubmit: 's',
  revert: 'v',
}
/** Shown as buttons in this order; the others are in the menu. */
const BUTTONS: readonly ProposalCommand[] = ['approve', 'reject', 'undo', 'retry', 'resubmit', 'revert']
const PRIMARY: readonly ProposalCommand[] = ['approve', 'undo', 'retry', 'resubmit']
/** These open a dialog: for a note, hours, or a confirmation. */
const ASKED: readonly ProposalCommand[] = ['reject', 'extend', 'force', 'discard', 'revert']

type Props = { proposal: ProposalView; ids: readonly string[]; search: string }

/** What can be done with a proposal now: buttons, keys and the command menu. A decision moves on to the next one. */
export function Commands({ proposal, ids, search }: Props) {
  const t = useTranslations('proposals')
  const [asked, setAsked] = useState<ProposalCommand | null>(null)
  const at = ids.indexOf(proposal.proposal_id)
  const open = (id: string | undefined) => id && pushUrl(`/proposals/${id}${search}`)
  const mutations = useProposalCommands({ next: () => open(ids[at + 1] ?? ids[at - 1]), open })
  const can = (command: ProposalCommand) => proposal.commands.includes(command)
  const run = (command: ProposalCommand) =>
    ASKED.includes(command) ? setAsked(command) : mutations.run(command, proposal)
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      {BUTTONS.filter(can).map((command) => (
        <CommandButton key={command} command={command} busy={mutations.busy} run={() => run(command)} />
      ))}
      <More commands={proposal.commands.filter((c) => !BUTTONS.includes(c))} run={run} />
      <Step id="proposals.next" keys="]" label={t('next')} run={() => open(ids[at + 1])} />
      <Step id="proposals.previous" keys="[" label={t('previous')} run={() => open(ids[at - 1])} />
      <CommandDialog command={asked} proposal={proposal} close={() => setAsked(null)} mutations={mutations} />
    </div>
  )
}

function Step({ id, keys, label, run }: { id: string; keys: string; label: string; run: () => void }) {
  useAction({ id, keys, label, run, palette: false })
  return null
}

function CommandButton({ command, run, busy }: { command: ProposalCommand; run: () => void; busy: boolean }) {
  const t = useTranslations('proposals')
  const keys = KEYS[command]
  useAction({
    id: `proposals.${command}`,
    label: t(command),
    group: t('title'),
    run,
    ...(keys ? { keys } : {}),
  })
  return (
    <Button
      kind={PRIMARY.includes(command) ? 'primary' : 'secondary'}
      onClick={run}
      busy={busy && command === 'approve'}
      {...(keys ? { keys } : {})}
    >
      {t(command)}
    </Button>
  )
}

function More({
  commands,
  run,
}: {
  commands: readonly ProposalCommand[]
  run: (command: ProposalCommand) => void
}) {
  const t = useTranslations('proposals')
  if (commands.length === 0) return null
  return (
    <Menu
      label={t('actions')}
      className={buttonClass('secondary')}
      items={commands.map((c) => ({ id: c, label: t(c), run: () => run(c) }))}
    >
      <Ellipsis className="size-4" aria-hidden />
    </Menu>
  )
}
