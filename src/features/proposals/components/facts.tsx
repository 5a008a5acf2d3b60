'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { RuleVerdict } from '#features/approval-rules/index.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { ExactTime } from '#ui/time.tsx'

/** Where a proposal comes from and what was decided about it. */
export function Facts({ proposal: p }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  const rules = useTranslations('approvalRules')
  const l = p.lineage
  const rows: (FieldRow | null)[] = [
    { label: t('proposal'), value: <Id value={p.proposal_id} full /> },
    {
      label: t('source'),
      value: p.agent ? (
        <Link
          href={`/agents/${p.agent}`}
        >{`${p.agent}${l.agent_version ? ` v${l.agent_version}` : ''}`}</Link>
      ) : (
        p.source.identity
      ),
    },
    l.run_id
      ? {
          label: t('run'),
          value: (
            <Link href={`/runs/${l.run_id}`} className="font-mono text-sm">
              {l.run_id}
            </Link>
          ),
        }
      : null,
    {
      label: t('entry'),
      value: (
        <Link href={`/inbox/${l.inbox_id}`} className="font-mono text-sm">
          {l.inbox_id}
        </Link>
      ),
    },
    { label: t('target'), value: <code className="break-all font-mono text-sm">{p.target.path}</code> },
    { label: t('created'), value: <ExactTime at={p.created_at} /> },
    { label: t('base'), value: <Digest value={p.base_revision} algorithm="git" /> },
    { label: t('digest'), value: <Digest value={p.review_digest} /> },
    p.approval ? { label: t('decision'), value: <Decision proposal={p} /> } : null,
    p.rule_trace.length > 0 ? { label: rules('verdict'), value: <RuleVerdict trace={p.rule_trace} /> } : null,
    p.git_commit ? { label: t('commit'), value: <Digest value={p.git_commit} algorithm="git" /> } : null,
    p.apply_result.remote === 'none'
      ? null
      : { label: t('remote'), value: <Remote result={p.apply_result} /> },
    ...link(t('resubmittedFrom'), l.resubmitted_from),
    ...link(t('resubmittedAs'), l.resubmitted_as),
    ...link(t('reverts'), l.reverts),
    ...link(t('revertedBy'), l.reverted_by),
    ...link(t('editedFrom'), l.edited_from),
    ...link(t('rebasedFrom'), l.rebased_from),
    ...link(t('supersedes'), l.supersedes),
    ...link(t('supersededBy'), l.superseded_by),
    ...link(t('remainderOf'), l.remainder_of),
    ...link(t('remainderAs'), l.remainder_as),
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}

function link(label: string, id: string | null): FieldRow[] {
  return id
    ? [
        {
          label,
          value: (
            <Link href={`/proposals/${id}`} className="font-mono text-sm">
              {id}
            </Link>
          ),
        },
      ]
    : []
}

/** Whether the commit has come to the git remote, and when. */
function Remote({ result }: { result: ProposalView['apply_result'] }) {
  const t = useTranslations('proposals')
  if (result.remote !== 'pushed') return t('remoteLocal')
  return (
    <span>
      {t('remotePushed')} {result.remote_pushed_at ? <ExactTime at={result.remote_pushed_at} /> : null}
    </span>
  )
}

function Decision({ proposal: p }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  if (!p.approval) return null
  return (
    <span>
      <ExactTime at={p.approval.decided_at} /> {t('decidedBy', { who: p.approval.decided_by })}
      {p.approval.reason_code ? (
        <span className="ml-2 text-ink-3">{t(`reasons.${p.approval.reason_code as 'other'}`)}</span>
      ) : null}
      {p.approval.decision_note ? (
        <span className="block text-ink-2">“{p.approval.decision_note}”</span>
      ) : null}
    </span>
  )
}
