'use client'
import { useTranslations } from 'use-intl/react'
import type { CombinedDiff } from '#contracts/proposal-batch.contract.ts'
import { DiffView } from '#ui/lazy.tsx'
import { Fold } from './outliers.tsx'

/** What the proposals of a group do together, file by file; open, so that nothing is approved that was not on the page. */
export function CombinedFiles({ files }: Pick<CombinedDiff, 'files'>) {
  const t = useTranslations('proposals')
  return (
    <ul className="space-y-2">
      {files.map(({ path, before, after, proposal_ids }) => (
        <li key={path}>
          <Fold
            open
            summary={
              <>
                <span className="min-w-0 flex-1 break-all font-mono">{path}</span>
                {proposal_ids.length > 1 ? (
                  <span className="text-ink-3">{t('combinedBy', { count: proposal_ids.length })}</span>
                ) : null}
              </>
            }
          >
            <DiffView path={path} before={before} after={after} keyboard={false} />
          </Fold>
        </li>
      ))}
    </ul>
  )
}
