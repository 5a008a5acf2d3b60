'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { writePreference } from '#lib/preferences.ts'
import { useSession } from '#lib/session.tsx'
import { useMedia } from '#lib/use-media.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Icon } from '#ui/icon.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { FolderTree } from './folder-tree.tsx'

type Props = {
  /** The note that is open, or null in the list. */
  path: string | null
  /** Whether the folders stand beside the page, as the reader left it. */
  folders: boolean
  children: ReactNode
}

/** Where there is room for a column beside the page. */
const WIDE = '(width >= 80rem)'

/** A page of notes with the folders at its left: a column where there is room, elsewhere a drawer. */
export function NotesFrame({ path, folders, children }: Props) {
  const t = useTranslations('notes')
  const [isShown, setIsShown] = useState(folders)
  const [isDrawn, setIsDrawn] = useState(false)
  const isWide = useMedia(WIDE)
  const show = (shown: boolean) => {
    setIsShown(shown)
    writePreference('folders', shown ? 'shown' : 'hidden')
  }
  const toggle = () => (isWide ? show(!isShown) : setIsDrawn(!isDrawn))
  useAction({ id: 'notes.folders', label: t('toggleTree'), keys: 'f', group: t('title'), run: toggle })
  return (
    <div
      className={cx(
        isShown && 'min-[80rem]:grid min-[80rem]:grid-cols-[16rem_minmax(0,1fr)] min-[80rem]:items-start',
      )}
    >
      {isShown ? (
        <section
          aria-label={t('tree')}
          data-chrome
          className="border-line max-[80rem]:hidden min-[80rem]:sticky min-[80rem]:top-0 min-[80rem]:h-dvh min-[80rem]:overflow-y-auto min-[80rem]:border-r min-[80rem]:px-3 min-[80rem]:py-5"
        >
          <div className="mb-1 flex items-center justify-between pl-2">
            <span className="text-sm font-semibold text-ink-2">{t('tree')}</span>
            <IconButton label={`${t('hideTree')} (f)`} onClick={() => show(false)}>
              <Icon name="panel-left-close" />
            </IconButton>
          </div>
          {/* Where the column is hidden nothing is read for it. */}
          {isWide ? <FolderTree path={path} /> : <Skeleton lines={12} label={t('tree')} />}
        </section>
      ) : null}
      <div className="min-w-0">
        <div data-chrome className={cx('-mb-3 px-4 pt-3 md:px-8', isShown && 'min-[80rem]:hidden')}>
          <Button
            size="sm"
            kind="quiet"
            className="-ml-2"
            icon={<Icon name="folder-tree" className="size-4" />}
            onClick={toggle}
          >
            {t('showTree')}
          </Button>
        </div>
        <OwnerSees />
        {children}
      </div>
      <Dialog open={isDrawn} onClose={() => setIsDrawn(false)} title={t('tree')} width="sm" drawer>
        <div className="-mx-2">
          <FolderTree path={path} onFollow={() => setIsDrawn(false)} />
        </div>
      </Dialog>
    </div>
  )
}

/** A guest's reading is no secret to the owner ([zones#readings]), and so not kept one from the guest. */
function OwnerSees() {
  const t = useTranslations('notes')
  if (useSession().role !== 'guest') return null
  return (
    <p data-chrome className="-mb-2 flex items-center gap-2 px-4 pt-4 text-sm text-ink-3 md:px-8">
      <Icon name="eye" className="size-4 shrink-0" />
      {t('ownerSees')}
    </p>
  )
}
