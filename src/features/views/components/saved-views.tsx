'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SavedView } from '#contracts/saved-view.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { MAX_VIEWS, type ViewList } from '#domain/view/saved-view.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import type { Filters } from '#lib/url-state.ts'
import { buttonClass } from '#ui/button-class.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { useSavedViews } from '../use-saved-views.ts'
import { changeTo, isShown } from '../view-filters.ts'
import type { AskedOfView } from './view-dialogs.tsx'

const ViewDialog = onDemand(() => import('./view-dialogs.tsx').then((m) => m.ViewDialog))

type Props = {
  list: ViewList
  /** From `useFilters`: what is saved, and what choosing a view changes. */
  filters: Filters
}

/** The views of a list: to choose one, to save the filters that are on, to rename or delete the one that is shown. */
export function SavedViews(props: Props) {
  return may(useSession().role, 'view.own') ? <Views {...props} /> : null
}

function Views({ list, filters }: Props) {
  const t = useTranslations('views')
  const [dialog, setDialog] = useState<AskedOfView | null>(null)
  const views = useSavedViews().filter((view) => view.list === list)
  const shown = views.filter((view) => isShown(view, filters.values))
  const refusal = useSaveRefusal(views.length, filters)
  const save = () => setDialog({ what: 'save' })
  useAction({ id: 'list.saveView', label: t('save'), run: save, disabledReason: refusal })
  const close = () => setDialog(null)
  const items: MenuItem[] = [
    ...(views.length > 0 ? [{ id: 'saved', heading: t('savedViews') }] : []),
    ...views.map((view) => ({
      id: view.view_id,
      label: <span className="block truncate">{view.name}</span>,
      checked: shown.includes(view),
      run: () => filters.set(changeTo(view, filters.values)),
    })),
    {
      id: 'save',
      label: t('save'),
      icon: <Icon name="bookmark-plus" />,
      run: save,
      ...(refusal ? { disabledReason: refusal } : {}),
    },
    ...useShownItems(shown, setDialog),
  ]
  return (
    <>
      <Menu
        label={shown[0] ? `${t('savedViews')}: ${shown[0].name}` : t('savedViews')}
        className={buttonClass('quiet', 'sm')}
        items={items}
      >
        <Icon name="bookmark" className="size-3.5" />
        <span className="max-w-32 truncate">{shown[0]?.name ?? t('views')}</span>
      </Menu>
      {dialog ? (
        <DialogOnDemand onClose={close}>
          <ViewDialog asked={dialog} list={list} filters={filters} close={close} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}

/** Why the filters can't be saved now. */
function useSaveRefusal(saved: number, filters: Filters): string | undefined {
  const t = useTranslations('views')
  const right = useRight('view.own')
  if (right) return right
  if (!filters.active) return t('noFilter')
  return saved >= MAX_VIEWS ? t('full', { max: MAX_VIEWS }) : undefined
}

/** What can be done with the view that is shown. */
function useShownItems(shown: readonly SavedView[], show: (dialog: AskedOfView) => void): MenuItem[] {
  const t = useTranslations('views')
  const right = useRight('view.own')
  const off = right ? { disabledReason: right } : {}
  return shown.flatMap((view): MenuItem[] => [
    {
      id: `rename ${view.view_id}`,
      label: t('rename', { name: view.name }),
      icon: <Icon name="pencil" />,
      run: () => show({ what: 'rename', view }),
      ...off,
    },
    {
      id: `remove ${view.view_id}`,
      label: t('remove', { name: view.name }),
      icon: <Icon name="trash" />,
      tone: 'danger',
      run: () => show({ what: 'remove', view }),
      ...off,
    },
  ])
}
