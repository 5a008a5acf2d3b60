'use client'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { useAction } from '#lib/keyboard.tsx'
import { Button } from '#ui/button.tsx'
import { DialogFrame } from '#ui/dialog-frame.tsx'
import { TextField } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import type { Snooze } from '../hooks/use-snooze.ts'
import { mayEnd, SNOOZE_CHOICES, type SnoozeChoice, snoozeTimes } from '../snooze-choices.ts'

const SHOWN = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
} as const

type Props = { proposal: ProposalItem; close: () => void; snooze: Snooze }

/** Asks until when: one of four times by its number, or a time of one's own; never past the expiry. */
export function SnoozeDialog({ proposal, close, snooze }: Props) {
  const t = useTranslations('proposals')
  const format = useFormatter()
  const now = new Date(useNow(30_000))
  const expires = new Date(proposal.expires_at)
  const times = snoozeTimes(now, expires)
  const until = (time: Date) => {
    if (snooze.isPending) return
    snooze.mutate({ proposal_id: proposal.proposal_id, until: time.toISOString() }, { onSuccess: close })
  }
  const first = SNOOZE_CHOICES.find((choice) => times[choice])
  return (
    <DialogFrame
      open
      onClose={close}
      title={t('snoozeTitle')}
      description={t('snoozeHint', { time: format.dateTime(expires, SHOWN) })}
      width="sm"
    >
      <ul className="space-y-1">
        {SNOOZE_CHOICES.map((choice, i) => {
          const time = times[choice]
          return time ? (
            <li key={choice}>
              <Choice {...{ choice, time, until }} keys={String(i + 1)} first={choice === first} />
            </li>
          ) : null
        })}
      </ul>
      <div className="mt-4 border-t border-line pt-3">
        <OwnTime {...{ now, expires, until }} busy={snooze.isPending} />
      </div>
    </DialogFrame>
  )
}

type ChoiceProps = {
  choice: SnoozeChoice
  time: Date
  keys: string
  first: boolean
  until: (time: Date) => void
}

function Choice({ choice, time, keys, first, until }: ChoiceProps) {
  const t = useTranslations('proposals')
  const format = useFormatter()
  const label = t(`snoozeTimes.${choice}`)
  const run = () => until(time)
  useAction({ id: `proposals.snooze.${choice}`, label, keys, run, scope: 'dialog', palette: false })
  return (
    <Button className="w-full" keys={keys} onClick={run} data-autofocus={first || undefined}>
      <span className="flex-1 text-left">{label}</span>
      <time dateTime={time.toISOString()} className="font-normal text-ink-3">
        {format.dateTime(time, SHOWN)}
      </time>
    </Button>
  )
}

type OwnProps = { now: Date; expires: Date; until: (time: Date) => void; busy: boolean }

function OwnTime({ now, expires, until, busy }: OwnProps) {
  const t = useTranslations('proposals')
  const [written, setWritten] = useState('')
  const time = new Date(written)
  const wrong = written !== '' && !mayEnd(time, now, expires)
  return (
    <Form onSubmit={() => written && !wrong && until(time)}>
      <TextField
        label={t('snoozeOwn')}
        type="datetime-local"
        value={written}
        onChange={setWritten}
        {...(wrong ? { error: t('snoozeWrong') } : {})}
      />
      <div className="mt-3 flex justify-end">
        <Button kind="primary" type="submit" busy={busy} disabled={written === '' || wrong}>
          {t('snooze')}
        </Button>
      </div>
    </Form>
  )
}
