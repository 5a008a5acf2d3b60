'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem, ProposalView } from '#contracts/proposal.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { isEditableTarget } from '#domain/proposal/hunks.rules.ts'
import {
  allowsForcedApproval,
  commandsFor,
  type ProposalCommand,
} from '#domain/proposal/proposal-commands.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { showUrl } from '#lib/shown-path.ts'
import { Button } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { isGlance, useAdvance } from '../hooks/use-advance.ts'
import { useApprovalCheck, useDwell } from '../hooks/use-approval-check.ts'
import { useApproved } from '../hooks/use-approved.ts'
import type { Edits } from '../hooks/use-edits.ts'
import type { Neighbours } from '../hooks/use-neighbours.ts'
import { useProposalCommands } from '../hooks/use-proposal-commands.ts'
import type { ShownFiles } from '../hooks/use-shown.ts'
import { CardSwipe } from './card-swipe.tsx'
import { EditBar } from './edit-bar.tsx'
import { InPalette, MoreCommands } from './more-commands.tsx'

const CommandDialog = onDemand(() => import('./command-dialog.tsx').then((m) => m.CommandDialog))

const KEYS: Partial<Record<ProposalCommand, string>> = {
  approve: 'a',
  reject: 'r',
  edit: 'e',
  requestChanges: 'q',
  snooze: 'z',
  unsnooze: 'z',
  undo: 'u',
  retry: 't',
  force: 'F',
  rebase: 'm',
  resubmit: 's',
  revert: 'v',
}
/** Shown as buttons in this order; the others are in the menu. */
const BUTTONS: readonly ProposalCommand[] = [
  'approve',
  'rebase',
  'reject',
  'edit',
  'requestChanges',
  'snooze',
  'unsnooze',
  'undo',
  'retry',
  'resubmit',
  'revert',
  'force',
]
const PRIMARY: readonly ProposalCommand[] = ['approve', 'rebase', 'undo', 'retry', 'resubmit']
/** So many stand at the lower edge of a phone: the primary ones first. The others are behind "more". */
const PINNED = 2
/** At the lower edge of a phone, in the place of the tab bar, over the whole width. */
const EDGE =
  'max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:my-0 max-md:flex-nowrap max-md:border-t max-md:border-line max-md:bg-surface max-md:px-4 max-md:pb-[calc(0.5rem+env(safe-area-inset-bottom))] max-md:pt-2'
/** These open a dialog: for a note, hours, or a confirmation. */
const ASKED: readonly ProposalCommand[] = ['reject', 'extend', 'snooze', 'force', 'discard', 'revert']

type Props = {
  proposal: ProposalView
  neighbours: Neighbours
  /** Shows the nearest undecided one, or the list where there is none, unless the reader has left this one. */
  goOn: () => void
  search: string
  decided: (proposal: ProposalItem) => void
  edits: Edits
  /** Which of its texts are on screen. */
  files: ShownFiles
  /** Opens the form that sends comments to the agent. */
  requestChanges: () => void
  /** Whether the three-way view of a conflict is open. */
  isResolving: boolean
  /** Opens that view, or closes it. */
  resolve: () => void
}

/** What can be done with a proposal now: buttons, keys and the command menu. A decision moves on to the next one. */
export function Commands({
  proposal,
  neighbours: { next, previous },
  goOn,
  search,
  decided,
  edits,
  files,
  requestChanges,
  isResolving,
  resolve,
}: Props) {
  const t = useTranslations('proposals')
  const [asked, setAsked] = useState<ProposalCommand | null>(null)
  const open = (id: string | undefined) => id && showUrl(`/proposals/${id}${search}`, true)
  const mutations = useProposalCommands({
    next: goOn,
    advance: useAdvance({ next, search }),
    open,
    decided,
  })
  const check = useApprovalCheck(proposal, { ...files, total: edits.counts.total })
  const dwell = useDwell(proposal)
  // A text is being written: no letter is a command, wherever the focus is.
  const hasKeys = !edits.isWriting
  // What is on screen is what `a` approves: with edits that is the bar's to do.
  const offered = useOffered(proposal, edits).filter(
    ({ command }) => command !== 'approve' || !edits.isEdited,
  )
  // Where nothing is this reader's to do, the edge of a phone keeps the tabs.
  const decides = may(useSession().role, 'proposal.decide')
  const isActor = offered.some(({ no }) => decides || no === undefined)
  const onScreen = () => window.location.pathname.endsWith(`/${proposal.proposal_id}`)
  const run = (command: ProposalCommand) => {
    // Another one has been asked for and is not on screen yet: a key pressed now is not meant for this one.
    if (!onScreen()) return
    if (command === 'approve' && (isGlance(proposal.proposal_id) || !check.ready())) return
    if (command === 'rebase') resolve()
    else if (command === 'requestChanges') requestChanges()
    else if (command === 'edit') edits.setWriting(true)
    else if (ASKED.includes(command)) setAsked(command)
    else mutations.run(command, proposal)
  }
  const act = (one: Offered) => ({ ...one, run: () => run(one.command) })
  const buttons = BUTTONS.flatMap((command) => offered.filter((one) => one.command === command)).map(act)
  const menu = offered.filter(({ command }) => !BUTTONS.includes(command)).map(act)
  const isPrimary = ({ command }: Offered) => PRIMARY.includes(command)
  const pinned = [...buttons.filter(isPrimary), ...buttons.filter((one) => !isPrimary(one))].slice(0, PINNED)
  const approve = buttons.find(({ command }) => command === 'approve')
  const approveEdited = () => {
    const isLookedAt = dwell === 0 && !isGlance(proposal.proposal_id)
    if (onScreen() && isLookedAt && !mutations.busy && check.ready())
      void mutations.approveEdited(proposal, edits).catch(() => {})
  }
  return (
    <>
      {edits.isEdited ? (
        <EditBar
          edits={edits}
          approve={approveEdited}
          busy={mutations.busy}
          dwell={dwell}
          hasKey={hasKeys && !isResolving}
        />
      ) : null}
      {/* What it leaves between the head and the changes where it stands at the edge. */}
      <div className="h-4 md:hidden" />
      <div
        className={cx('my-4 flex flex-wrap items-center gap-2', isActor ? EDGE : 'max-md:hidden')}
        data-commands={isActor ? '' : undefined}
      >
        {buttons.map((one) => (
          <CommandButton
            key={one.command}
            {...one}
            busy={mutations.busy}
            dwell={one.command === 'approve' ? dwell : 0}
            hasKey={hasKeys}
            isPinned={pinned.includes(one)}
          />
        ))}
        <InPalette actions={menu} />
        <MoreCommands actions={menu} className="max-md:hidden" />
        <MoreCommands
          actions={[...buttons.filter((one) => !pinned.includes(one)), ...menu]}
          className="max-md:h-11 md:hidden"
        />
        <CardSwipe
          proposal={proposal}
          approve={approve}
          next={next ? () => void open(next) : undefined}
          isOff={!hasKeys || isResolving || mutations.busy}
        />
        {/* Over several files the keys go from file to file (`changes.tsx`). */}
        {proposal.changes.length > 1 || !hasKeys ? null : (
          <>
            <Step id="proposals.next" keys="]" label={t('next')} run={() => open(next)} />
            <Step id="proposals.previous" keys="[" label={t('previous')} run={() => open(previous)} />
          </>
        )}
        {asked ? (
          <DialogOnDemand onClose={() => setAsked(null)}>
            <CommandDialog
              command={asked}
              proposal={proposal}
              close={() => setAsked(null)}
              mutations={mutations}
            />
          </DialogOnDemand>
        ) : null}
      </div>
    </>
  )
}

type Offered = { command: ProposalCommand; no: string | undefined }

/** What the state allows, each with the reason why this reader cannot do it now. */
function useOffered(proposal: ProposalView, edits: Edits): Offered[] {
  const t = useTranslations('proposals')
  const decide = useRight('proposal.decide')
  const retry = useRight('proposal.retry')
  const { status, archived, freshness, commands } = proposal
  const snoozed = proposal.snoozed_until !== null
  const errorCode = proposal.apply_result.error?.code ?? null
  const inConflict = freshness !== null && freshness.state !== 'clean' && !freshness.mergeable
  // What is applied, rejected or closed offers its ways out only to who may take them.
  const open = status === 'PENDING' || status === 'FAILED'
  const isEditable = isEditableTarget(proposal.target.type)
  const awaitsChanges = proposal.awaiting_changes_since !== null
  // Without an agent the button is there, too, and says why.
  const asked = { awaitsChanges, hasAgent: true }
  const subject = { status, archived, snoozed, errorCode, inConflict, isEditable, ...asked }
  const all = open ? commandsFor('owner', subject) : commands
  const forced = allowsForcedApproval(subject) ? (['force'] as const) : []
  return [...new Set([...all, ...commands, ...forced])].map((command) => ({
    command,
    no:
      command === 'retry' && commands.includes('retry')
        ? retry
        : (decide ??
          (command === 'edit' && !edits.files[edits.open]?.canWrite ? t('editNotPossible') : undefined) ??
          (command === 'requestChanges' && !proposal.agent ? t('changesNoAgent') : undefined)),
  }))
}

function Step({ id, keys, label, run }: { id: string; keys: string; label: string; run: () => void }) {
  useAction({ id, keys, label, run, palette: false })
  return null
}

type Act = Offered & { run: () => void }
type CommandButtonProps = Act & { busy: boolean; dwell: number; hasKey: boolean; isPinned: boolean }

function CommandButton({ command, no: never, run, busy, dwell, hasKey, isPinned }: CommandButtonProps) {
  const t = useTranslations('proposals')
  const seconds = Math.ceil(dwell / 1_000)
  const no = never ?? (seconds > 0 ? t('dwell', { seconds }) : undefined)
  // While the tray is open its `u` takes back the latest approval, whichever is on screen.
  const trayed = useApproved().length > 0
  const keys = !hasKey || (command === 'undo' && trayed) ? undefined : KEYS[command]
  useAction({
    id: `proposals.${command}`,
    label: t(command),
    group: t('title'),
    run,
    disabledReason: no,
    ...(keys ? { keys } : {}),
  })
  return (
    <Button
      className={isPinned ? 'max-md:h-11 max-md:min-w-0 max-md:flex-1 max-md:text-base' : 'max-md:hidden'}
      kind={PRIMARY.includes(command) ? 'primary' : 'secondary'}
      onClick={run}
      busy={busy && command === 'approve'}
      disabledReason={no}
      {...(keys ? { keys } : {})}
    >
      {seconds > 0 ? t('approveIn', { seconds }) : t(command)}
    </Button>
  )
}
