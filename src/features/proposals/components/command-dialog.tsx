'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { Digest } from '#ui/id.tsx'
import type { ProposalCommands } from '../hooks/use-proposal-commands.ts'
import { Overwritten } from './changes.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import { SnoozeDialog } from './snooze-dialog.tsx'

type Props = {
  command: ProposalCommand
  proposal: ProposalView
  close: () => void
  mutations: ProposalCommands
}

/** Asks what a command needs: a reason and a note, hours, or a confirmation. */
export function CommandDialog({ command, proposal, close, mutations }: Props) {
  const id = { proposal_id: proposal.proposal_id }
  if (command === 'reject')
    return <RejectDialog proposal={proposal} close={close} submit={mutations.reject.mutateAsync} />
  if (command === 'extend')
    return <Extend close={close} submit={(input) => mutations.extend.mutateAsync({ ...id, ...input })} />
  if (command === 'snooze')
    return <SnoozeDialog proposal={proposal} close={close} snooze={mutations.snooze} />
  if (command === 'force') return <Force proposal={proposal} close={close} mutations={mutations} />
  if (command === 'discard' || command === 'revert')
    return <Plain command={command} close={close} submit={() => mutations[command].mutateAsync(id)} />
  return null
}

function Extend({
  close,
  submit,
}: {
  close: () => void
  submit: (input: { hours: number; reason: string }) => Promise<unknown>
}) {
  const t = useTranslations('proposals')
  const [hours, setHours] = useState('24')
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t('extendTitle')}
      confirmLabel={t('extend')}
      reason={REASON_LENGTH}
      onConfirm={(reason) => submit({ hours: Number(hours), reason })}
    >
      <TextField label={t('hours')} value={hours} onChange={setHours} type="number" required />
    </ConfirmDialog>
  )
}

/**
 * Forcing is bound to the content that the dialog shows: it keeps what it was opened with, and where the file changes meanwhile it
 * says so and shows the new content before that can be overwritten.
 */
function Force({ proposal, close, mutations }: Omit<Props, 'command'>) {
  const t = useTranslations('proposals')
  const [shown, setShown] = useState(proposal)
  const over = shown.freshness?.current_hash
  const isOutdated = proposal.freshness?.current_hash !== over
  const no = isOutdated || !over ? 'forceOutdated' : isNeedless(shown) ? 'resolveGone' : null
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t('forceTitle')}
      description={t('forceHint')}
      confirmLabel={t('force')}
      tone="danger"
      width="xl"
      reason={REASON_LENGTH}
      disabledReason={no ? t(no) : undefined}
      onConfirm={async (reason) => {
        if (over) await mutations.force(shown, { over_hash: over, reason })
      }}
    >
      {no ? (
        <p role="alert" className="mb-3 flex flex-wrap items-center gap-3 rounded bg-failed-soft px-3 py-2">
          <span className="min-w-0 flex-1">{t(no)}</span>
          {isOutdated ? (
            <Button size="sm" onClick={() => setShown(proposal)}>
              {t('forceShowNew')}
            </Button>
          ) : null}
        </p>
      ) : null}
      <p className="mb-3 text-sm text-ink-2">
        {t('forceOver')} <Digest value={over ?? ''} />
      </p>
      <div className="relative mb-4 max-h-[45dvh] space-y-4 overflow-y-auto max-md:max-h-[26dvh]">
        <Overwritten changes={shown.changes} />
      </div>
    </ConfirmDialog>
  )
}

/** A failed one is forced whatever the file says; one that is pending is approved as it is where nothing stands against it. */
const isNeedless = ({ status, freshness }: ProposalView): boolean =>
  can(proposalMachine, status, 'approve') && freshness !== null && !isInConflict(freshness)

function Plain({
  command,
  close,
  submit,
}: {
  command: 'discard' | 'revert'
  close: () => void
  submit: () => Promise<unknown>
}) {
  const t = useTranslations('proposals')
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t(`${command}Title`)}
      description={t(`${command}Hint`)}
      confirmLabel={t(command)}
      dismissLabel={t('keep')}
      onConfirm={submit}
    />
  )
}
