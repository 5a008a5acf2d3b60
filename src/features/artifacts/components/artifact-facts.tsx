'use client'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail } from '#contracts/artifact.contract.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Size } from '#ui/size.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'

/** In the unit that reads best; the exact number on hover. */

type FoundBy = 'tag' | 'entity'

/** To the artifacts that have it, too. */
const FoundLink = ({ by, value }: { by: FoundBy; value: string }) => (
  <Link href={`/artifacts?${by}=${encodeURIComponent(value)}`} className="break-all">
    {value}
  </Link>
)

const Found = ({ by, all }: { by: FoundBy; all: readonly string[] }) => (
  <span className="flex flex-wrap gap-x-3">
    {all.map((value) => (
      <FoundLink key={value} by={by} value={value} />
    ))}
  </span>
)

/** Tags that proposals added, each with who and when. */
function AddedTags({ tags }: { tags: ArtifactDetail['added_tags'] }) {
  const t = useTranslations('artifacts')
  return (
    <ul className="space-y-1">
      {tags.map(({ tag, by, at, proposal_id }) => (
        <li key={tag} className="flex flex-wrap items-baseline gap-x-3">
          <FoundLink by="tag" value={tag} />
          <span className="text-sm text-ink-3">{by}</span>
          {at ? <RelativeTime at={at} className="text-sm text-ink-3" /> : null}
          {proposal_id ? (
            <Link href={`/proposals/${proposal_id}`} className="text-sm">
              {t('proposal')}
            </Link>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/** What the artifact is, where it comes from, and the tags that it has and got. */
export function ArtifactFacts({ artifact: a }: { artifact: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  const rows: (FieldRow | null)[] = [
    { label: t('artifact'), value: <Id value={a.artifact_id} full /> },
    { label: t('finalized'), value: <ExactTime at={a.finalized_at} /> },
    { label: t('version'), value: a.version },
    { label: t('engine'), value: `${a.engine.id} ${a.engine.version}` },
    { label: t('digest'), value: <Digest value={a.content_sha256} /> },
    { label: t('size'), value: <Size bytes={a.bytes} /> },
    a.agent_slug
      ? { label: t('agent'), value: <Link href={`/agents/${a.agent_slug}`}>{a.agent_slug}</Link> }
      : null,
    a.run_id
      ? {
          label: t('runOf'),
          value: (
            <Link href={`/runs/${a.run_id}`} className="font-mono text-sm">
              {a.run_id}
            </Link>
          ),
        }
      : null,
    a.job_id
      ? {
          label: t('job'),
          value: (
            <Link href={`/jobs/${a.job_id}`} className="font-mono text-sm">
              {a.job_id}
            </Link>
          ),
        }
      : null,
    a.task_id
      ? {
          label: t('llmTask'),
          value: (
            <Link href={`/tasks/${a.task_id}`} className="font-mono text-sm">
              {a.task_id}
            </Link>
          ),
        }
      : null,
    a.entity_refs.length > 0
      ? { label: t('entities'), value: <Found by="entity" all={a.entity_refs} /> }
      : null,
    a.tags.length > 0 ? { label: t('tags'), value: <Found by="tag" all={a.tags} /> } : null,
    a.added_tags.length > 0 ? { label: t('addedTags'), value: <AddedTags tags={a.added_tags} /> } : null,
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
