'use client'
import { useTranslations } from 'use-intl/react'
import type { AlikeGroupView } from '#contracts/proposal-batch.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { showUrl } from '#lib/shown-path.ts'
import { Icon } from '#ui/icon.tsx'
import { Link } from '#ui/link.tsx'

/** The largest groups; the others come up when these are decided. */
const MOST_SHOWN = 3

type Props = {
  groups: readonly AlikeGroupView[]
  /** The group that is open beside the list. */
  openKey: string
  hrefOf: (key: string) => string
}

/** The groups of alike proposals above the list; one opens beside it. `l` goes from one to the next. */
export function AlikeGroups({ groups, openKey, hrefOf }: Props) {
  return groups.length > 0 ? <Groups groups={groups} openKey={openKey} hrefOf={hrefOf} /> : null
}

function Groups({ groups, openKey, hrefOf }: Props) {
  const t = useTranslations('proposals')
  const name = useGroupName()
  const shown = groups.slice(0, MOST_SHOWN)
  const next = groups[(groups.findIndex(({ key }) => key === openKey) + 1) % groups.length]
  useAction({
    id: 'proposals.alike',
    label: t('alikeNext'),
    group: t('title'),
    keys: 'l',
    run: () => next && showUrl(hrefOf(next.key), openKey !== ''),
  })
  return (
    <nav aria-label={t('alike')} className="mb-3 rounded bg-sunken px-3 py-2 text-sm">
      <ul className="space-y-1">
        {shown.map((group) => (
          <li key={group.key} className="flex flex-wrap items-baseline gap-x-3">
            <Icon name="layers" className="size-3.5 shrink-0 self-center text-ink-3" />
            <Link
              href={hrefOf(group.key)}
              aria-current={group.key === openKey ? 'true' : undefined}
              className="min-w-0 break-words pointer-coarse:py-2.5 aria-[current=true]:font-semibold"
              onNavigate={(event) => {
                event.preventDefault()
                showUrl(hrefOf(group.key))
              }}
            >
              {name(group)}
            </Link>
            <span className={group.outliers > 0 ? 'text-waiting' : 'text-ink-3'}>
              {t('outlierCount', { count: group.outliers })}
            </span>
          </li>
        ))}
      </ul>
      {groups.length > shown.length ? (
        <p className="mt-1 text-ink-3">{t('alikeMore', { count: groups.length - shown.length })}</p>
      ) : null}
    </nav>
  )
}

/** A group in a few words: who proposes what, how often, and where. */
export function useGroupName(): (group: AlikeGroupView) => string {
  const t = useTranslations('proposals')
  return ({ agent, source, action, count, folder }) =>
    t('alikeGroup', {
      who: agent ?? (source === 'owner' ? t('owner') : source),
      action: action.replaceAll('-', '_'),
      count,
      folder: `${folder.replace(/^notes\//, '')}/`,
    })
}
