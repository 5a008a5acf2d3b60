'use client'
import { type FormEvent, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RetentionPreview } from '#contracts/system.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { TextField } from '#ui/fields.tsx'
import { Size } from '#ui/size.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { Amount } from './amount.tsx'

const USUAL_DAYS = 365

/** Asks what would go after so many days; removes nothing. */
export function RetentionDryRun({ days: present }: { days: number | null }) {
  const t = useTranslations('settings')
  const [text, setText] = useState(String(present ?? USUAL_DAYS))
  const preview = useToastMutation(useTRPC().system.previewRetention.mutationOptions())
  const days = Number(text)
  const ready = Number.isInteger(days) && days >= 1 && days <= 36_500
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && !preview.isPending) preview.mutate({ days })
  }
  return (
    <div className="mt-3">
      <form onSubmit={submit} className="max-w-xs">
        <TextField
          label={t('retentionDays')}
          hint={t('retentionDaysHint')}
          type="number"
          value={text}
          onChange={setText}
        />
        <div className="mt-2">
          <Button type="submit" busy={preview.isPending} disabled={!ready}>
            {t('dryRun')}
          </Button>
        </div>
      </form>
      {preview.data ? <Found preview={preview.data} /> : null}
    </div>
  )
}

type Item = RetentionPreview['items'][number]

function Found({ preview: { days, artifacts, bytes, items } }: { preview: RetentionPreview }) {
  const t = useTranslations('settings')
  const columns = useMemo(
    () =>
      columnsOf<Item>([
        { id: 'title', header: t('artifactTitle'), card: 'title', cell: (a) => a.title },
        { id: 'agent', header: t('artifactAgent'), cell: (a) => a.agent_slug },
        {
          id: 'size',
          header: t('artifactSize'),
          card: 'fact',
          align: 'end',
          cell: (a) => <Size bytes={a.bytes} />,
        },
        { id: 'created', header: t('since'), card: 'fact', cell: (a) => <RelativeTime at={a.created_at} /> },
      ]),
    [t],
  )
  if (artifacts === 0) return <p className="mt-3 text-ink-2">{t('dryRunNothing', { days })}</p>
  return (
    <div className="mt-3">
      <p className="text-ink-2">
        {t('dryRunFound', { days })} <Amount text={t('artifacts', { n: artifacts })} bytes={bytes} />.{' '}
        {artifacts > items.length ? t('dryRunFirst', { n: items.length }) : null}
      </p>
      <DataTable
        label={t('retention')}
        columns={columns}
        rows={items}
        rowId={(a) => a.artifact_id}
        rowName={(a) => a.title}
        href={(a) => `/artifacts/${a.artifact_id}`}
        scope="retention"
        error={null}
        onRetry={() => undefined}
        keyboard={false}
        empty={null}
      />
    </div>
  )
}
