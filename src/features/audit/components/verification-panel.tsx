'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AuditFault, AuditLoss, AuditVerification } from '#contracts/audit.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'
import { Link } from '#ui/link.tsx'
import { ProgressBar } from '#ui/progress-bar.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'

const isRunning = (newest: AuditVerification | null | undefined): boolean => newest?.finished_at === null

/** The newest verification, read often while it is under way. */
function useVerification() {
  return useQuery({
    ...useTRPC().audit.verification.queryOptions(),
    refetchInterval: ({ state }) => (isRunning(state.data?.newest) ? POLL_MS.live : POLL_MS.slow),
  })
}

/** Starts a verification; while one is under way it shows that. */
export function VerifyButton() {
  const t = useTranslations('audit')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const running = isRunning(useVerification().data?.newest)
  const verify = useToastMutation(
    trpc.audit.verify.mutationOptions({
      onSuccess: (newest) => {
        queries.setQueryData(trpc.audit.verification.queryKey(), { newest })
      },
    }),
  )
  const run = () => verify.mutate()
  useAction({ id: 'audit.verify', label: t('verify'), keys: 'v', group: t('title'), run })
  return (
    <Button
      kind="primary"
      keys="v"
      icon={<Icon name="shield-check" className="size-4" />}
      busy={verify.isPending || running}
      onClick={run}
    >
      {running ? t('verifying') : t('verify')}
    </Button>
  )
}

/** When the audit was last verified, by whom, up to which event and with what outcome; or how far the one under way has come. */
export function VerificationPanel() {
  const t = useTranslations('audit')
  const { data } = useVerification()
  if (!data) return null
  return (
    <section aria-label={t('verification')} className="mb-3 flex flex-col gap-2 text-sm">
      {data.newest === null ? (
        <StatusBadge tone="waiting">{t('neverVerified')}</StatusBadge>
      ) : isRunning(data.newest) ? (
        <Progress of={data.newest} />
      ) : (
        <Outcome of={data.newest} />
      )}
    </section>
  )
}

function Progress({ of: v }: { of: AuditVerification }) {
  const t = useTranslations('audit')
  const text = t('progress', {
    stage: t(`stages.${v.stage}`),
    events: v.events_checked,
    toSeq: v.to_seq,
    objects: v.objects_checked,
  })
  return (
    <>
      <StatusBadge tone="working">{text}</StatusBadge>
      <ProgressBar
        label={t('verifying')}
        value={v.events_checked + v.objects_checked}
        max={v.to_seq + v.objects_expected}
      />
      {v.last_error ? <p>{t('verificationWaits', { reason: v.last_error })}</p> : null}
    </>
  )
}

function Outcome({ of: v }: { of: AuditVerification }) {
  const t = useTranslations('audit')
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <Verdict of={v} />
        <span>
          {t('checked', {
            events: v.events_checked,
            objects: v.objects_checked,
            heads: v.heads_checked,
            toSeq: v.to_seq,
          })}
        </span>
        <span>{t('verifiedBy', { by: v.requested_by })}</span>
        {v.finished_at ? <RelativeTime at={v.finished_at} /> : null}
      </p>
      {v.faults.length + v.losses.length > 0 ? (
        <ul className="flex flex-col gap-1">
          {v.faults.map((fault) => (
            <FaultLine key={fault.stage} fault={fault} />
          ))}
          {v.losses.map((loss) => (
            <LossLine key={loss.from} loss={loss} />
          ))}
        </ul>
      ) : null}
    </>
  )
}

const countOf = ({ from, to }: AuditLoss): number => to - from + 1

function Verdict({ of: v }: { of: AuditVerification }) {
  const t = useTranslations('audit')
  const count = v.losses.reduce((sum, loss) => sum + countOf(loss), 0)
  if (!v.ok) return <StatusBadge tone="failed">{t('broken')}</StatusBadge>
  if (count > 0) return <StatusBadge tone="held">{t('verifiedWithLosses', { count })}</StatusBadge>
  return <StatusBadge tone="done">{t('verified')}</StatusBadge>
}

/** Events that are gone, and the event that says so. */
function LossLine({ loss }: { loss: AuditLoss }) {
  const t = useTranslations('audit')
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <StatusBadge tone="held">{t('lost', { ...loss, count: countOf(loss) })}</StatusBadge>
      <Link href={`/audit?id=${loss.event_id}`}>{loss.event_id}</Link>
    </li>
  )
}

function FaultLine({ fault }: { fault: AuditFault }) {
  const t = useTranslations('audit')
  const problem = t(`problems.${fault.problem}`)
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <StatusBadge tone="failed">
        {fault.seq === null ? problem : t('faultAt', { seq: fault.seq, problem })}
      </StatusBadge>
      {fault.event_id ? <Link href={`/audit?id=${fault.event_id}`}>{fault.event_id}</Link> : null}
      {!fault.event_id && fault.key ? <code className="font-mono break-all">{fault.key}</code> : null}
    </li>
  )
}
